// The map: a mark tells its sentence, and its nearest uses, when it is pointed at, tapped or reached by key.
// Gradio runs this as a function body with `element` and `watch`.

const { make, number } = elmo;
const SVG = "http://www.w3.org/2000/svg";
let held = null; // the mark that was tapped or chosen; what is pointed at goes before it for a moment

const marks = () => [...element.querySelectorAll(".mark")];
const row = (use) => element.querySelector(`tr[data-row="${use}"]`);
const near = (use) => JSON.parse(row(use)?.dataset.near || "[]").slice(0, 5); // [other use, cosine], nearest first

function sentence(use) {
  const [sign, text] = row(use).children;
  return [sign.firstElementChild.cloneNode(true), make("p", { class: "told-line" }, ...text.cloneNode(true).childNodes)];
}
function tell(use) {
  const told = element.querySelector(".told");
  if (!told || !row(use)) return;
  if (told.dataset.use === use) return;
  told.dataset.use = use;
  const { sense, own } = row(use).dataset;
  const from = sense ? `Written for the sense “${sense}”.` : own ? "From your text." : "";
  const list = make("ol", { class: "near", role: "list" });
  for (const [other, cosine] of near(use)) {
    list.append(make("li", {}, make("b", {}, number(cosine)), ...sentence(other)));
  }
  told.replaceChildren(make("div", { class: "this" }, ...sentence(use)), from && make("p", { class: "hint" }, from),
    make("h4", {}, "Its nearest uses (cosine)"), list);
  draw(use);
}
// The sentence that is told of is told anew: its group, or a name, has changed.
function tellAgain() {
  const told = element.querySelector(".told");
  const use = told?.dataset.use;
  if (use === undefined) return;
  delete told.dataset.use;
  tell(use);
}
function draw(use) {
  const ties = element.querySelector(".ties");
  const from = element.querySelector(`.mark[data-use="${use}"]`);
  if (!ties || !from) return;
  ties.replaceChildren(...near(use).map(([other]) => {
    const to = element.querySelector(`.mark[data-use="${other}"]`);
    const line = document.createElementNS(SVG, "line");
    for (const [name, value] of [["x1", from.getAttribute("x")], ["y1", from.getAttribute("y")], ["x2", to.getAttribute("x")], ["y2", to.getAttribute("y")]]) line.setAttribute(name, value);
    return line;
  }));
  for (const mark of marks()) mark.classList.toggle("told-of", mark === from);
}
function hold(mark) {
  held = mark.dataset.use;
  for (const other of marks()) {
    other.setAttribute("aria-pressed", String(other === mark));
    other.setAttribute("tabindex", other === mark ? "0" : "-1");
  }
  tell(held);
}
const markOf = (event) => event.target.closest?.(".mark");
element.addEventListener("mouseover", (event) => { const mark = markOf(event); if (mark) tell(mark.dataset.use); });
element.addEventListener("mouseout", (event) => { if (markOf(event) && held !== null) tell(held); });
element.addEventListener("focusin", (event) => { const mark = markOf(event); if (mark) hold(mark); });
element.addEventListener("click", (event) => {
  const mark = markOf(event);
  if (mark) { mark.focus(); hold(mark); }
  const word = event.target.closest?.("[data-map]");
  if (word) document.querySelector(".map-editor")?.dispatchEvent(new CustomEvent("choose", { detail: word.dataset.map }));
});
element.addEventListener("keydown", (event) => {
  const mark = markOf(event);
  const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
  if (!mark || !step) return;
  event.preventDefault();
  // The nearest mark that lies that way.
  const place = (m) => { const box = m.querySelector(".shape").getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
  const [x, y] = place(mark);
  let best = null;
  let least = Infinity;
  for (const other of marks()) {
    if (other === mark) continue;
    const [dx, dy] = place(other).map((v, k) => v - [x, y][k]);
    const along = dx * step[0] + dy * step[1];
    const aside = Math.abs(dx * step[1]) + Math.abs(dy * step[0]);
    if (along <= 0) continue;
    const cost = along + 2 * aside;
    if (cost < least) [best, least] = [other, cost];
  }
  best?.focus();
});
// There is room for one sentence from the start, a typical one; on a phone it would push the list away.
const typical = (mark) => near(mark.dataset.use).reduce((sum, [, cosine]) => sum + cosine, 0);
function start() {
  held = null;
  const [first] = marks().sort((a, b) => typical(b) - typical(a));
  if (first && matchMedia("(min-width: 641px)").matches) tell(first.dataset.use);
  element.dispatchEvent(new CustomEvent("drawn", { bubbles: true })); // for landing.js
}
start();
watch("value", start);
