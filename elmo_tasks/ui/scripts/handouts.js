// "Worksheet" and "Download page": asks the server for the file, then saves it.
// Gradio runs this as a function body with `element`, `props`, `trigger` and `watch`.

const { questions, save } = elmo;
const panel = element.closest("[role=tabpanel]") || document.body;
let pressed = null;
const say = (text) => { const said = pressed?.parentElement.querySelector(".said"); if (said) said.textContent = text; };

const answers = questions({ props, trigger, watch }, { lost: () => say("The file could not be made"), answer: ({ name, text }) => {
  if (!text) return say("The file could not be made");
  save(name, text);
  say("File saved");
} });

panel.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-handout]");
  if (!button || answers.waits()) return;
  pressed = button;
  say("Writing the file…");
  answers.ask({ what: button.dataset.handout, map: panel.querySelector(".map-editor")?.drawn ?? null, query: panel.querySelector(".answer")?.dataset.query ?? "" });
});
