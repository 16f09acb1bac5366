// "Worksheet", "Download page" and "Download report": asks the server for the file, then saves it.
// Gradio runs this as a function body with `element`, `props`, `trigger` and `watch`.

const { when, questions, save } = elmo;
const isReport = props.part === "report";
const what = isReport ? "report" : "file";
const panel = element.closest("[role=tabpanel]") || document.body;
let pressed = null;
const say = (text) => { const said = pressed?.parentElement.querySelector(".said"); if (said) said.textContent = text; };
const failed = () => say(`The ${what} could not be made`);

const answers = questions({ props, trigger, watch }, { lost: failed, answer: ({ name, text }) => {
  if (!text) return failed();
  save(name, text);
  say(isReport ? "Report saved" : "File saved");
} });

// It holds what is on the page: the folds below the comparison only if they are open and answered.
function report() {
  const { query } = panel.querySelector(".answer").dataset;
  const answered = (part) => panel.querySelector(`details.asked[open][data-state="done"] ${part}`);
  const chosen = (name) => answered(`select[name="${name}"]`)?.value ?? "";
  const { link } = panel.querySelector(".answer [data-link]").dataset;
  return {
    query, link: `${location.origin}${location.pathname}?${link}`, pair: chosen("pair"), layer: chosen("layer"),
  };
}
when(panel, "click", isReport ? "[data-report]" : "[data-handout]", (button) => {
  if (answers.waits()) return;
  pressed = button;
  say(`Writing the ${what}…`);
  const shown = () => ({ map: panel.querySelector(".map-editor")?.drawn ?? null, query: panel.querySelector(".answer")?.dataset.query ?? "" });
  answers.ask(isReport ? report() : { what: button.dataset.handout, ...shown() });
});
