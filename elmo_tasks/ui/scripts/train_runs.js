// The runs of the Train tab: asks for news every second while a run goes on and somebody looks.
// Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`. What is shown is the part above: it is sent
// again only when it is new.

const { make, when, button, questions, complain, settle, bring, hand, remembered } = elmo;
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
function askFirst(pressed, text, label, act, box = null) {
  const row = pressed.closest(".run-buttons");
  const done = (sure) => { asking.remove(); row.hidden = false; if (sure) act(); else pressed.focus(); };
  const asking = make("form", { class: "run-asking", onsubmit: (event) => { event.preventDefault(); done(true); },
    onkeydown: (event) => { if (event.key === "Escape") done(false); } },
    ...(box ? [make("label", { for: box.id }, text), box] : [make("p", {}, text)]),
    make("button", { type: "submit", class: "primary" }, label), button("Cancel", () => done(false)));
  row.hidden = true;
  row.after(asking);
  (box || asking.querySelector("button")).focus();
}
function rename(pressed) {
  const { title, renameRun: run } = pressed.dataset;
  const box = make("input", { type: "text", id: "train-new-name", maxlength: "60", autocomplete: "off", value: title });
  askFirst(pressed, "New name", "Rename", () => { chosen = run; ask("rename", run, box.value); }, box);
}
function remove(pressed) {
  const { title, deleteRun: run } = pressed.dataset;
  askFirst(pressed, `Delete “${title}” with its model and its data? It cannot be brought back.`, "Delete", () => { chosen = null; ask("delete", run); });
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
const unfold = remembered(column, runs);
const scrolled = new Map();
when(column, "click", "[data-stop-run]", (stop) => { stop.disabled = true; ask("stop", stop.dataset.stopRun); });
when(column, "click", "[data-rename-run]", rename);
when(column, "click", "[data-delete-run]", remove);
when(column, "click", "[data-show]", (show) => { chosen = show.dataset.show; ask(); bring(runs()); });
when(column, "click", "[data-open]", ({ dataset: { open: name, kind } }) => hand("Try", ".try-editor", "choosehead", { name, kind }));
column.addEventListener("focusin", (event) => { focused = event.target.id || event.target.getAttribute("aria-label") || ""; });
column.addEventListener("focusout", (event) => { if (event.relatedTarget) focused = ""; });
column.addEventListener("scroll", (event) => {
  const label = event.target.getAttribute?.("aria-label");
  if (label) scrolled.set(label, [event.target.scrollTop, event.target.scrollLeft]);
}, true);
function restore() {
  unfold();
  for (const region of runs().querySelectorAll("[role=region]")) {
    const at = scrolled.get(region.getAttribute("aria-label"));
    if (at) [region.scrollTop, region.scrollLeft] = at;
  }
  if (focused && (document.activeElement === document.body || !document.activeElement)) {
    const again = runs().querySelector(`#${CSS.escape(focused)}`) || runs().querySelector(`[aria-label="${CSS.escape(focused)}"]`);
    again?.focus({ preventScroll: true });
  }
}

watch("value", () => {
  if (chosen !== null && props.value.shown !== chosen) chosen = null;
  requestAnimationFrame(restore); // what is shown is a component of its own and may be drawn a moment later than this
  plan();
});
window.addEventListener("runstarted", () => { chosen = null; ask(); }); // news that was asked for before must not be the last
document.addEventListener("visibilitychange", () => { if (!document.hidden && timer === 0 && !answers.waits()) ask(); });
ask();
