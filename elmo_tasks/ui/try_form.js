// The form of the Try tab. Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`.
// The page is built from elements and text nodes only, so nothing a person typed is ever read as HTML.

const PAUSE = 400; // milliseconds after the last key
const grow = () => {
  if (CSS.supports("field-sizing", "content")) return;
  text.style.height = "auto";
  if (text.scrollHeight) text.style.height = `${text.scrollHeight}px`;
};

const text = make("textarea", {
  id: "try-text", rows: "4", spellcheck: "false", dir: "auto", "aria-describedby": "try-hint try-note",
  placeholder: "Type a sentence…", oninput: () => { grow(); later(); },
});
const note = make("div", { class: "note error", id: "try-note", hidden: true });
const said = make("span", { class: "said", role: "status" });
const clear = make("button", { type: "button", class: "plain", onclick: () => { put(""); text.focus(); } }, "Clear");
const copy = make("button", { type: "button", class: "plain", onclick: link }, "Copy link");
const tasks = [["both", "Both"], ["feeling", "Feeling"], ["names", "Names"]].map(([value, title]) => make("label", {},
  make("input", { type: "radio", name: "try-task", value, onchange: () => { showHeads(); now(); } }), make("span", {}, title)));
const radios = tasks.map((label) => label.querySelector("input"));
const kinds = { classification: "Model for feeling", tagging: "Model for names" };
const heads = {};
const headFields = Object.entries(kinds).map(([kind, title]) => {
  const select = make("select", { id: `try-${kind}`, "aria-describedby": `try-${kind}-score`, onchange: () => { showHeads(); now(); } });
  const score = make("p", { class: "hint", id: `try-${kind}-score` });
  const field = make("div", { class: "field", hidden: true }, make("label", { for: `try-${kind}` }, title), select, score);
  heads[kind] = { select, score, field };
  return field;
});
const examples = make("div", { class: "chips", role: "group", "aria-labelledby": "try-examples" },
  ...props.examples.map((example) => make("button", {
    type: "button", class: "chip",
    onclick: () => { choose(example.task); scroll = innerWidth < 960; put(example.text); },
  }, example.title)));
const taskField = make("fieldset", { class: "field" },
  make("legend", {}, "Look for"), make("div", { class: "segments" }, ...tasks));

let timer = 0;
let waiting = false; // for the end of a pause in typing
let asked = null; // the question on its way; one at a time, so no answer can overtake a newer one
let answered = null;
let revision = 0;
const answerDue = patience((message) => {
  show(message);
  asked = null;
});
let wanted = null; // a head that was just trained: chosen as soon as it is on offer
let scroll = false; // take a phone to the answer of an example

element.append(make("form", { class: "editor try-editor card", novalidate: true, "aria-label": "Try the models", onsubmit: (event) => event.preventDefault() },
  make("div", { class: "field" }, make("label", { for: "try-text" }, "Your text"), text, note,
    make("p", { class: "hint", id: "try-hint" }, `One sentence a line, at most ${props.most} of ${props.most_words} words. The answer follows as you type.`),
    make("div", { class: "tools" }, clear, copy, said)),
  taskField, ...headFields,
  make("div", { class: "field examples" }, make("p", { class: "label", id: "try-examples" }, "Or try an example"), examples)));

const task = () => (radios.find((radio) => radio.checked) || radios[0]).value;
const state = () => ({ text: text.value, task: task(), classification: heads.classification.select.value, tagging: heads.tagging.select.value });
const answer = () => document.querySelector(".try-answer");

function choose(name) {
  const radio = radios.find((r) => r.value === name) || radios[0];
  radio.checked = true;
  showHeads();
}
function put(value) {
  text.value = value;
  grow();
  now();
}
function fillHeads(offered) {
  for (const [kind, { select }] of Object.entries(heads)) {
    const before = select.value;
    const names = offered[kind].map((head) => head.name);
    if (JSON.stringify(names) === JSON.stringify([...select.options].map((o) => o.value))) continue;
    select.replaceChildren(...offered[kind].map((head) => make("option", { value: head.name, "data-score": head.score }, head.title)));
    if (names.includes(before)) select.value = before;
  }
  if (wanted && offered[wanted.kind]?.some((head) => head.name === wanted.name)) {
    heads[wanted.kind].select.value = wanted.name;
    wanted = null;
  }
  taskField.hidden = Object.values(heads).some(({ select }) => !select.options.length);
  if (taskField.hidden && heads.tagging.select.options.length) choose("names");
  else if (taskField.hidden) choose("feeling");
}
function showHeads() {
  for (const [kind, { select, score, field }] of Object.entries(heads)) {
    const other = kind === "tagging" ? "feeling" : "names";
    field.hidden = select.options.length < 2 || task() === other;
    score.textContent = select.selectedOptions[0]?.dataset.score || "";
  }
}
function later() {
  clearTimeout(timer);
  waiting = true;
  stale();
  timer = setTimeout(now, PAUSE);
}
function now() {
  clearTimeout(timer);
  waiting = false;
  send();
}
function stale() {
  const shown = answer();
  if (!shown) return;
  const old = JSON.stringify(state()) !== answered;
  shown.classList.toggle("stale", old);
  shown.classList.remove("kept");
  shown.setAttribute("aria-busy", String(old));
}
function send() {
  stale();
  if (asked !== null) return; // what is in the form when the answer comes is sent then
  asked = JSON.stringify(state());
  if (asked === answered) { asked = null; return; }
  answerDue.start();
  trigger("submit", { ...state(), revision: ++revision });
}
function done() {
  answerDue.stop();
  answered = asked;
  asked = null;
  if (!waiting) send();
}
function onAnswer() {
  const value = props.value;
  if (value.heads) { fillHeads(value.heads); showHeads(); }
  if (asked === null || value.revision !== revision) return;
  show(value.note);
  done();
  // The answer is a component of its own and may be drawn a moment later than this.
  requestAnimationFrame(() => {
    stale();
    if (value.note) answer()?.classList.add("kept"); // what is shown belongs to an earlier text
    if (scroll) answer()?.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth", block: "start" });
    scroll = false;
  });
}
function show(message) {
  note.hidden = !message;
  note.setAttribute("role", "alert");
  note.replaceChildren(message ? make("p", {}, message) : "");
  if (message) text.setAttribute("aria-invalid", "true");
  else text.removeAttribute("aria-invalid");
}
function onFailure() {
  show("The program failed on this; its log says why. Try another text.");
  document.querySelector(".try-answer .quiet[aria-busy] p")?.replaceChildren("No answer yet.");
  if (asked !== null) done();
}
function askAgain() {
  answered = null; // heads may have been trained since
  if (!waiting) send();
}
function chooseHead({ detail }) {
  wanted = detail;
  choose(detail.kind === "tagging" ? "names" : "feeling");
  askAgain();
}
function link() {
  copy.dataset.link = new URLSearchParams([["tab", "try"], ["look", task()], ["t", text.value]]); // copied by keep.js
}
function start() {
  const query = new URLSearchParams(location.search);
  const linked = query.get("tab") === "try" ? query.get("t") : null;
  choose(linked === null ? "both" : query.get("look"));
  fillHeads(props.value.heads);
  showHeads();
  text.value = linked === null ? props.examples[0].text : linked;
  grow();
  now(); // also without a head: one may have been trained since the app was started
}

element.addEventListener("failed", onFailure);
element.addEventListener("choosehead", chooseHead);
watch("value", onAnswer);
start();
// Seen again after another tab was open.
let hiddenBefore = false;
new IntersectionObserver(([entry]) => {
  const hidden = element.getClientRects().length === 0;
  if (!hidden && hiddenBefore && entry.isIntersecting) askAgain();
  hiddenBefore = hidden;
}).observe(element);
