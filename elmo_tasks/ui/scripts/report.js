// "Download report" below a comparison: asks the server for the file, then saves it.
// Gradio runs this as a function body with `trigger`, `props` and `watch`.

const { questions, save } = elmo;
const say = (text) => { document.querySelector(".answer .said").textContent = text; };

const answers = questions({ props, trigger, watch }, { answer: made, lost: () => say("The report could not be made") });

// It holds what is on the page: the folds below the comparison only if they are open and answered.
function state() {
  const { query } = document.querySelector(".answer").dataset;
  const answered = (what) => document.querySelector(`details.asked[open][data-state="done"] ${what}`);
  const chosen = (name) => answered(`select[name="${name}"]`)?.value ?? "";
  const link = document.querySelector(".answer [data-link]").dataset.link;
  return {
    query, link: `${location.origin}${location.pathname}?${link}`, pair: chosen("pair"), layer: chosen("layer"),
    substitutes: answered(".guesses") !== null,
  };
}
function made({ name, text }) {
  if (!text) return say("The report could not be made");
  save(name, text);
  say("Report saved");
}
document.addEventListener("click", (event) => {
  if (!event.target.closest?.("[data-report]") || answers.waits()) return;
  say("Writing the report…");
  answers.ask(state);
});
