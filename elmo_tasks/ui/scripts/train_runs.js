// The runs of the Train tab: asks for news every second while a run goes on and somebody looks.
// Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`. What is shown is the part above: it is sent
// again only when it is new.

const { make, questions, complain, settle, bring } = elmo;
const PAUSE = 1000; // milliseconds from answer to question
const column = element.closest(".train-column");
const runs = () => column.querySelector(".train-runs");
const shown = () => column.querySelector(".train-answer");
let chosen = new URLSearchParams(location.search).get("run"); // the run that the person, or a link, wants to see
let focused = "";
let timer = 0;

const answers = questions({ props, trigger, watch }, { answer: ({ note }) => { settle(shown()); if (note) complain(shown(), note, () => ask()); }, all: true,
  lost: (text) => complain(shown(), text, () => ask()) });

function ask(action = "look", run = "", title = "") {
  clearTimeout(timer);
  timer = 0;
  answers.ask(() => ({ action, run, title, shown: chosen, seen: props.value.digest }));
}
// In the place of the buttons: a question, what it needs, and a way back.
function askFirst(button, text, label, act, box = null) {
  const row = button.closest(".run-buttons");
  const done = (sure) => { asking.remove(); row.hidden = false; if (sure) act(); else button.focus(); };
  const asking = make("form", { class: "run-asking", onsubmit: (event) => { event.preventDefault(); done(true); },
    onkeydown: (event) => { if (event.key === "Escape") done(false); } },
    ...(box ? [make("label", { for: box.id }, text), box] : [make("p", {}, text)]),
    make("button", { type: "submit", class: "primary" }, label), make("button", { type: "button", class: "plain", onclick: () => done(false) }, "Cancel"));
  row.hidden = true;
  row.after(asking);
  (box || asking.querySelector("button")).focus();
}
function rename(button) {
  const { dataset } = button;
  const box = make("input", { type: "text", id: "train-new-name", maxlength: "60", autocomplete: "off", value: dataset.title });
  askFirst(button, "New name", "Rename", () => { chosen = dataset.renameRun; ask("rename", dataset.renameRun, box.value); }, box);
}
function remove(button) {
  const { dataset } = button;
  askFirst(button, `Delete “${dataset.title}” with its model and its data? It cannot be brought back.`, "Delete",
    () => { chosen = null; ask("delete", dataset.deleteRun); });
}
function plan() {
  clearTimeout(timer);
  timer = props.value.live ? setTimeout(tick, PAUSE) : 0;
}
function tick() {
  const seen = column.getClientRects().length > 0 && !document.hidden;
  const asking = column.querySelector(".run-asking"); // news would take away what a person is typing
  if (seen && !asking && !answers.waits()) ask();
  else plan();
}
// What a person opened, scrolled and focused stays so when the next news comes.
const unfolded = new Map();
const scrolled = new Map();
column.addEventListener("click", (event) => {
  const fold = event.target.closest?.("summary")?.parentElement;
  if (fold) unfolded.set(fold.querySelector("summary").textContent, !fold.open);
  const stop = event.target.closest?.("[data-stop-run]");
  if (stop) { stop.disabled = true; ask("stop", stop.dataset.stopRun); }
  const show = event.target.closest?.("[data-show]");
  const name = event.target.closest?.("[data-rename-run]");
  if (name) rename(name);
  const gone = event.target.closest?.("[data-delete-run]");
  if (gone) remove(gone);
  if (show) { chosen = show.dataset.show; ask(); bring(runs()); }
  const open = event.target.closest?.("[data-open]");
  if (open) openHead(open.dataset.open, open.dataset.kind);
});
column.addEventListener("focusin", (event) => { focused = event.target.id || event.target.getAttribute("aria-label") || ""; });
column.addEventListener("focusout", (event) => { if (event.relatedTarget) focused = ""; });
column.addEventListener("scroll", (event) => {
  const label = event.target.getAttribute?.("aria-label");
  if (label) scrolled.set(label, [event.target.scrollTop, event.target.scrollLeft]);
}, true);
function restore() {
  for (const fold of runs().querySelectorAll("details")) {
    const title = fold.querySelector("summary").textContent;
    if (unfolded.has(title)) fold.open = unfolded.get(title);
  }
  for (const region of runs().querySelectorAll("[role=region]")) {
    const at = scrolled.get(region.getAttribute("aria-label"));
    if (at) [region.scrollTop, region.scrollLeft] = at;
  }
  if (focused && (document.activeElement === document.body || !document.activeElement)) {
    const again = runs().querySelector(`#${CSS.escape(focused)}`) || runs().querySelector(`[aria-label="${CSS.escape(focused)}"]`);
    again?.focus({ preventScroll: true });
  }
}
function openHead(name, kind) {
  [...document.querySelectorAll("[role=tab]")].find((tab) => tab.textContent.trim() === "Try the models")?.click();
  let tries = 0;
  // The other tab is drawn when it is first opened.
  const hand = () => {
    const form = document.querySelector(".try-editor");
    if (form) form.dispatchEvent(new CustomEvent("choosehead", { bubbles: true, detail: { name, kind } }));
    else if (++tries < 100) setTimeout(hand, 50);
  };
  hand();
}

watch("value", () => {
  if (chosen !== null && props.value.shown !== chosen) chosen = null;
  requestAnimationFrame(restore); // what is shown is a component of its own and may be drawn a moment later than this
  plan();
});
window.addEventListener("runstarted", () => { chosen = null; ask(); }); // news that was asked for before must not be the last
document.addEventListener("visibilitychange", () => { if (!document.hidden && timer === 0 && !answers.waits()) ask(); });
ask();
