// The answer of the Compare tab: all layers are in the page already, the slider shows one of them.
// Gradio runs this as a function body with `element`, `trigger` and `watch`.

const root = () => element.querySelector(".answer");

function showLayer(at) {
  const layers = element.querySelector(".layers");
  if (!layers) return;
  const name = layers.dataset.names.split("|")[at];
  const range = layers.querySelector("input");
  range.value = at;
  range.setAttribute("aria-valuetext", layers.dataset.titles.split("|")[at]);
  layers.style.setProperty("--at", at);
  root().dataset.layer = name;
  for (const stop of layers.querySelectorAll("[data-stop]")) stop.setAttribute("aria-current", stop.dataset.stop === String(at));
  for (const panel of element.querySelectorAll("[data-panel]")) panel.hidden = panel.dataset.panel !== name;
  element.querySelector("[data-link]").dataset.link = queryHere();
}
function queryHere() {
  const { query, layer } = root().dataset;
  return `${query}&layer=${encodeURIComponent(layer)}`;
}
// The report holds what is on the page: the folds below only if they are open and answered.
function askReport() {
  const answered = (what) => document.querySelector(`details.asked[open][data-state="done"] ${what}`);
  const chosen = (name) => answered(`select[name="${name}"]`)?.value ?? "";
  element.querySelector(".said").textContent = "Writing the report…";
  trigger("submit", {
    query: root().dataset.query, link: `${location.origin}${location.pathname}?${queryHere()}`, pair: chosen("pair"), layer: chosen("layer"),
    substitutes: answered(".guesses") !== null, number: Date.now(),
  });
}
function start() {
  const layers = element.querySelector(".layers");
  if (layers) showLayer(layers.dataset.names.split("|").indexOf(root().dataset.layer));
}

element.addEventListener("input", (event) => {
  if (event.target.type === "range") showLayer(Number(event.target.value));
});
element.addEventListener("click", (event) => {
  const stop = event.target.closest("[data-stop]");
  if (stop) showLayer(Number(stop.dataset.stop));
  if (event.target.closest("[data-report]")) askReport();
});
element.addEventListener("unsaved", () => { element.querySelector(".said").textContent = "The report could not be made"; });
watch("value", start);
start();
