// The answer of the Compare tab: all layers are in the page already, the slider shows one of them.

const root = () => element.querySelector(".answer");

function showLayer(at) {
  const stops = [...element.querySelectorAll("[data-stop]")];
  if (!stops[at]) return;
  const name = stops[at].dataset.stop;
  const range = element.querySelector("#compare-layer");
  range.value = at;
  range.setAttribute("aria-valuetext", stops[at].textContent);
  element.querySelector(".layers").style.setProperty("--at", at);
  root().dataset.layer = name;
  stops.forEach((stop, k) => stop.setAttribute("aria-current", String(k === at)));
  for (const panel of element.querySelectorAll("[data-panel]")) panel.hidden = panel.dataset.panel !== name;
  const link = element.querySelector("[data-link]"); // a saved page has none
  if (link) link.dataset.link = `${root().dataset.query}&layer=${encodeURIComponent(name)}`;
}
function start() {
  showLayer([...element.querySelectorAll("[data-stop]")].findIndex((stop) => stop.dataset.stop === root().dataset.layer));
}

elmo.when(element, "input", "#compare-layer", (range) => showLayer(Number(range.value)));
elmo.when(element, "click", "[data-stop]", (stop) => showLayer([...stop.parentElement.children].indexOf(stop)));
watch("value", start);
start();
