// What was measured of heads and layers is asked for once, when its tab is first shown. All heads are in the page, a list shows one of them.
// Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`.

const { when, requests, complain, settle } = elmo;
let chosen = "0";
let linked = new URLSearchParams(location.search).get("head"); // of a link: shown once its weights are there

const answers = requests({ props, trigger, watch }, {
  answer: () => { settle(element.firstElementChild); show(); },
  lost: (text) => complain(element.firstElementChild, text, () => answers.ask({})),
});

function show() {
  const select = element.querySelector("#weights-head");
  if (!select) return;
  const panel = linked && [...element.querySelectorAll("[data-name]")].find((one) => one.dataset.name === linked);
  if (panel) chosen = panel.dataset.head;
  linked = null;
  if ([...select.options].some((option) => option.value === chosen)) select.value = chosen;
  for (const one of element.querySelectorAll("[data-head]")) one.hidden = one.dataset.head !== select.value;
}
when(element, "change", "#weights-head", (select) => {
  chosen = select.value;
  show();
});
answers.ask({});
