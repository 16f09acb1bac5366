// The map: a mark tells its sentence, and its nearest uses, when it is pointed at, tapped or reached by key.

const { make, when } = elmo;
let held = null; // the mark that was tapped or chosen; what is pointed at goes before it for a moment

const marks = () => [...element.querySelectorAll(".mark")];
const markAt = (use) => element.querySelector(`.mark[data-use="${use}"]`);
const row = (use) => element.querySelector(`tr[data-row="${use}"]`);
const near = (use) => JSON.parse(row(use)?.dataset.near || "[]"); // [other use, cosine, cosine as text], nearest first

function sentence(use) {
  const [sign, text] = row(use).children;
  return [sign.firstElementChild.cloneNode(true), make("p", { class: "readout-sentence" }, ...text.cloneNode(true).childNodes)];
}
function tell(use) {
  const details = element.querySelector(".readout");
  if (!details || !row(use)) return;
  if (details.dataset.use === use) return;
  details.dataset.use = use;
  const meaning = row(use).dataset.meaning;
  const list = make("ol", { class: "near", role: "list" }, ...near(use).map(([other, , cosine]) => make("li", {}, make("b", {}, cosine), ...sentence(other))));
  details.replaceChildren(make("div", { class: "this" }, ...sentence(use)), meaning && make("p", { class: "hint" }, meaning),
    make("h4", {}, "Its nearest uses (cosine)"), list);
  const from = markAt(use);
  elmo.tie(element.querySelector(".sense-map"), from, near(use).map(([other]) => markAt(other)), [from]);
}
// A tooltip at the mark: the sentence, and its meaning.
const bubble = make("div", { class: "term-tip mark-tip", popover: "manual", role: "tooltip" });
function point(mark) {
  const [, text] = row(mark.dataset.use)?.children ?? [];
  if (!text) return;
  const meaning = row(mark.dataset.use).dataset.meaning;
  bubble.replaceChildren(make("p", {}, ...text.cloneNode(true).childNodes), ...(meaning ? [make("p", { class: "tip-meaning" }, meaning)] : []));
  (document.fullscreenElement ?? mark.closest(".gradio-container") ?? document.body).append(bubble);
  bubble.showPopover();
  const at = mark.querySelector(".shape").getBoundingClientRect();
  const { width, height } = bubble.getBoundingClientRect();
  const above = at.top - 8 - height;
  bubble.style.left = `${Math.max(6, Math.min(at.left + at.width / 2 - width / 2, innerWidth - width - 6))}px`;
  bubble.style.top = `${above > 6 ? above : at.bottom + 8}px`;
}
function unpoint() {
  if (bubble.matches(":popover-open")) bubble.hidePopover();
}
function hold(mark) {
  held = mark.dataset.use;
  for (const other of marks()) {
    other.setAttribute("aria-pressed", String(other === mark));
    other.setAttribute("tabindex", other === mark ? "0" : "-1");
  }
  tell(held);
}
when(element, "mouseover", ".mark", (mark) => { tell(mark.dataset.use); point(mark); });
when(element, "mouseout", ".mark", () => { unpoint(); if (held !== null) tell(held); });
when(element, "focusin", ".mark", (mark) => { hold(mark); point(mark); });
when(element, "focusout", ".mark", unpoint);
when(element, "click", ".mark", (mark) => { mark.focus(); hold(mark); point(mark); });
document.addEventListener("scroll", unpoint, true);
document.addEventListener("keydown", ({ key }) => { if (key === "Escape") unpoint(); });
function middleOf(mark) {
  const box = mark.querySelector(".shape").getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}
when(element, "keydown", ".mark", (mark, event) => {
  const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
  if (!step) return;
  event.preventDefault();
  // The nearest mark that lies that way.
  const [x, y] = middleOf(mark);
  function costOf(other) {
    const [dx, dy] = middleOf(other).map((v, k) => v - [x, y][k]);
    const along = dx * step[0] + dy * step[1];
    return along > 0 ? along + 2 * (Math.abs(dx * step[1]) + Math.abs(dy * step[0])) : Infinity;
  }
  marks().reduce((best, other) => (costOf(other) < costOf(best) ? other : best), mark).focus();
});
when(element, "change", "[data-by-source]", (box) => element.querySelector(".map-answer").classList.toggle("sources", box.checked));
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
