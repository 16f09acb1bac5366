// The answer of the Compare tab: all views are in the page already, and one of them is shown.

const root = () => element.querySelector(".answer");

function showView(name) {
  const panels = [...element.querySelectorAll("[data-panel]")];
  if (!panels.some((panel) => panel.dataset.panel === name)) return;
  const stops = [...element.querySelectorAll("[data-stop]")];
  const at = stops.findIndex((stop) => stop.dataset.stop === name);
  if (at >= 0) {
    const range = element.querySelector("#compare-layer");
    range.value = at;
    range.setAttribute("aria-valuetext", stops[at].textContent);
    element.querySelector(".layers").style.setProperty("--at", at);
  }
  root().dataset.layer = name;
  stops.forEach((stop, k) => stop.setAttribute("aria-current", String(k === at)));
  for (const chip of element.querySelectorAll("[data-view]")) chip.setAttribute("aria-pressed", String(chip.dataset.view === name));
  for (const side of element.querySelectorAll("[data-reader]")) side.setAttribute("aria-pressed", String((side.dataset.reader === "static") === (name === "static")));
  for (const views of element.querySelectorAll(".views")) views.hidden = name === "static";
  for (const panel of panels) panel.hidden = panel.dataset.panel !== name;
  const link = element.querySelector("[data-link]"); // a saved page has none
  if (link) link.dataset.link = `${root().dataset.query}&layer=${encodeURIComponent(name)}`;
}
function start() {
  if (!element.querySelector("[data-panel]")) return;
  showView(root().dataset.layer);
  if (element.querySelector(".own-mix")) mix();
}

// --- A mix of one's own: any mix of the layers follows from the products of their vectors ---

const weights = () => {
  const given = [...element.querySelectorAll("[data-weight]")].map((box) => Number(box.value));
  const sum = given.reduce((a, b) => a + b, 0);
  return given.map((value) => (sum ? value / sum : 1 / given.length));
};
function cosines(products, shares) {
  const n = products[0][0].length;
  const dot = (i, j) => shares.reduce((all, a, k) => all + shares.reduce((part, b, l) => part + a * b * products[k][l][i][j], 0), 0);
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => dot(i, j) / Math.sqrt(dot(i, i) * dot(j, j) || 1)));
}
function colour(stops, share) {
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const [low, high] = [Math.floor(at), Math.ceil(at)];
  const channel = (hex, k) => parseInt(hex.slice(1 + 2 * k, 3 + 2 * k), 16);
  const mixed = [0, 1, 2].map((k) => Math.round(channel(stops[low], k) + (at - low) * (channel(stops[high], k) - channel(stops[low], k))));
  const [r, g, b] = mixed.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return [`rgb(${mixed.join(" ")})`, 0.2126 * r + 0.7152 * g + 0.0722 * b <= 1.05 / 4.5 - 0.05 ? "#fff" : "#000"];
}
const written = (value) => (Math.abs(value) < 0.005 ? "0.00" : value.toFixed(2).replace("-", "−"));
function mix() {
  const box = element.querySelector(".own-mix");
  const panel = box.closest(".panel");
  const shares = weights();
  box.querySelectorAll("output").forEach((out, k) => { out.textContent = `${Math.round(100 * shares[k])} %`; });
  const found = cosines(JSON.parse(box.dataset.products), shares);
  const random = cosines(JSON.parse(box.dataset.random), shares);
  const apart = random.flatMap((row, i) => row.filter((_, j) => j !== i));
  const floor = apart.reduce((a, b) => a + b, 0) / apart.length;
  const order = JSON.parse(box.dataset.order);
  const [light, dark] = JSON.parse(box.dataset.colours);
  panel.querySelectorAll(".map tbody tr").forEach((row, i) => row.querySelectorAll("td").forEach((cell, j) => {
    const cosine = found[order[i]][order[j]];
    cell.textContent = written(cosine);
    if (!cell.matches(".heat")) return;
    const share = (cosine - floor) / Math.max(1 - floor, 1e-6);
    const [[b, t], [darkB, darkT]] = [colour(light, share), colour(dark, share)];
    cell.setAttribute("style", `--b:light-dark(${b},${darkB});--t:light-dark(${t},${darkT})`);
  }));
  panel.querySelector(".baseline b").textContent = written(floor);
  const low = panel.querySelector(".legend span");
  low.textContent = low.textContent.replace(/^\S+/, written(floor));
}

elmo.when(element, "input", "#compare-layer", (range) => showView(element.querySelectorAll("[data-stop]")[Number(range.value)].dataset.stop));
elmo.when(element, "click", "[data-stop]", (stop) => showView(stop.dataset.stop));
elmo.when(element, "click", "[data-view]", (chip) => showView(chip.dataset.view));
elmo.when(element, "click", "[data-reader]", (side) => showView(side.dataset.reader === "static" ? "static" : element.querySelector(".views").dataset.first));
elmo.when(element, "input", "[data-weight]", mix);
// The folds of all views open and close together: which one is shown changes with the slider.
elmo.when(element, "toggle", ".panel > details", ({ open }) => {
  for (const fold of element.querySelectorAll(".panel > details")) if (fold.open !== open) fold.open = open;
}, true);
watch("value", start);
start();
