// "Save page": asks the server for the file of the answer that the tab shows, then saves it.

const { when, requests, save } = elmo;
const panel = element.closest("[role=tabpanel]") || document.body;
let pressed = null;
const say = (text) => { const status = pressed?.parentElement.querySelector(".status-line"); if (status) status.textContent = text; };
const failed = () => say("The page could not be saved");

const answers = requests({ props, trigger, watch }, { lost: failed, answer: ({ name, text }) => {
  save(name, text);
  say("Page saved");
} });
when(panel, "click", "[data-save]", (button) => {
  if (answers.waits()) return;
  pressed = button;
  say("Writing the page…");
  answers.ask({ map: JSON.parse(panel.querySelector("form.landing")?.dataset.request ?? null), query: panel.querySelector(".answer [data-link]")?.dataset.link ?? "" });
});
