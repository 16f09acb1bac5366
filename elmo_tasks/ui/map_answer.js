// The map: a mark tells its sentence, and its nearest uses, when it is pointed at, tapped or reached by key.
// Gradio runs this as a function body with `element` and `watch`.

const SVG = "http://www.w3.org/2000/svg";
let held = null; // the mark that was tapped or chosen; what is pointed at goes before it for a moment

const marks = () => [...element.querySelectorAll(".mark")];
const row = (use) => element.querySelector(`tr[data-row="${use}"]`);
const near = (use) => (row(use)?.dataset.near || "").split(" ").filter(Boolean).map((pair) => pair.split(":"));
const make = (tag, className, ...children) => {
  const node = Object.assign(document.createElement(tag), { className });
  node.append(...children);
  return node;
};
function sentence(use) {
  const cells = row(use).children;
  const line = make("p", "told-line");
  line.append(...[...cells[1].cloneNode(true).childNodes]);
  const sense = cells[2].textContent;
  return [cells[0].firstElementChild.cloneNode(true), line, sense];
}
function tell(use) {
  const told = element.querySelector(".told");
  if (!told || !row(use)) return;
  if (told.dataset.use === use) return;
  told.dataset.use = use;
  const [sign, line, sense] = sentence(use);
  const list = make("ol", "near");
  list.setAttribute("role", "list");
  for (const [other, cosine] of near(use).slice(0, 5)) {
    const [otherSign, otherLine] = sentence(other);
    list.append(make("li", "", make("b", "", cosine.replace("-", "\u2212")), otherSign, otherLine));
  }
  told.replaceChildren(
    make("div", "this", sign, line),
    ...(sense ? [make("p", "hint", sense.startsWith("★") ? "From your text." : `Written for the sense “${sense}”.`)] : []),
    make("h4", "", "Its nearest uses (cosine)"), list);
  draw(use);
}
function draw(use) {
  const ties = element.querySelector(".ties");
  const from = element.querySelector(`.mark[data-use="${use}"]`);
  if (!ties || !from) return;
  ties.replaceChildren(...near(use).slice(0, 5).map(([other]) => {
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
const typical = (mark) => near(mark.dataset.use).slice(0, 5).reduce((sum, [, cosine]) => sum + Number(cosine), 0);
function start() {
  held = null;
  const [first] = marks().sort((a, b) => typical(b) - typical(a));
  if (first && matchMedia("(min-width: 641px)").matches) tell(first.dataset.use);
}
start();
watch("value", start);
