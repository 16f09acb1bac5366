// The runs of the Train tab: asks for news every second while a run goes on and somebody looks.
// Gradio runs this as a function body with `element`, `trigger` and `watch`.

const PAUSE = 1000; // milliseconds from question to question
const root = () => element.querySelector(".train-answer");
let chosen = new URLSearchParams(location.search).get("run"); // the run that the person, or a link, wants to see
let focused = "";
let timer = 0;

function ask(action = "look", run = "") {
  trigger("submit", { action, run, shown: chosen, seen: root()?.dataset.digest || "" });
}
function tick() {
  timer = 0;
  const seen = element.getClientRects().length > 0 && !document.hidden;
  if (seen) ask();
  plan();
}
function plan() {
  clearTimeout(timer);
  timer = root()?.hasAttribute("data-busy") ? setTimeout(tick, PAUSE) : 0;
}
// What a person opened, scrolled and focused stays so when the next news comes.
const unfolded = new Map();
const scrolled = new Map();
element.addEventListener("click", (event) => {
  const fold = event.target.closest?.("summary")?.parentElement;
  if (fold) unfolded.set(fold.querySelector("summary").textContent, !fold.open);
  const stop = event.target.closest?.("[data-stop-run]");
  if (stop) { stop.disabled = true; ask("stop", stop.dataset.stopRun); }
  const show = event.target.closest?.("[data-show]");
  if (show) { chosen = show.dataset.show; ask(); scrollToTop(); }
  const open = event.target.closest?.("[data-open]");
  if (open) openHead(open.dataset.open, open.dataset.kind);
});
element.addEventListener("focusin", (event) => { focused = event.target.id || event.target.getAttribute("aria-label") || ""; });
element.addEventListener("focusout", (event) => { if (event.relatedTarget) focused = ""; });
element.addEventListener("scroll", (event) => {
  const label = event.target.getAttribute?.("aria-label");
  if (label) scrolled.set(label, [event.target.scrollTop, event.target.scrollLeft]);
}, true);
function scrollToTop() {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" });
}
function onNews() {
  for (const fold of element.querySelectorAll("details")) {
    const title = fold.querySelector("summary").textContent;
    if (unfolded.has(title)) fold.open = unfolded.get(title);
  }
  for (const region of element.querySelectorAll("[role=region]")) {
    const at = scrolled.get(region.getAttribute("aria-label"));
    if (at) [region.scrollTop, region.scrollLeft] = at;
  }
  if (focused && (document.activeElement === document.body || !document.activeElement)) {
    const again = element.querySelector(`#${CSS.escape(focused)}`) || element.querySelector(`[aria-label="${CSS.escape(focused)}"]`);
    again?.focus({ preventScroll: true });
  }
  const shown = root()?.dataset.shown;
  if (chosen !== null && shown !== chosen) chosen = null;
  plan();
}
function openHead(name, kind) {
  // On a phone the tab may lie in the menu of those that do not fit.
  const tabs = document.querySelectorAll("[role=tab], .overflow-dropdown button");
  const tab = [...tabs].find((t) => t.textContent.trim() === "Try the models");
  tab?.click();
  let tries = 0;
  // The other tab is drawn when it is first opened.
  const hand = () => {
    const form = document.querySelector(".try-editor");
    if (form) form.dispatchEvent(new CustomEvent("choosehead", { bubbles: true, detail: { name, kind } }));
    else if (++tries < 100) setTimeout(hand, 50);
  };
  hand();
}

watch("value", onNews);
document.addEventListener("visibilitychange", () => { if (!document.hidden && timer === 0) ask(); });
ask();
