// The form of the Try tab. Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`.

const PAUSE = 400; // milliseconds after the last key
const { make, button, hint, field, examples, segments, picked, pick, models, place, say, hush, narrow, bring, grow, questions, linkOf } = elmo;

const text = make("textarea", {
  id: "try-text", rows: "4", spellcheck: "false", dir: "auto", "aria-describedby": "try-hint try-note",
  placeholder: "Type a sentence…", oninput: () => { grow(text); later(); },
});
const note = place("try-note");
const said = make("span", { class: "said", role: "status" });
const clear = button("Clear", () => { put(""); text.focus(); });
const copy = button("Copy link", link);
const tasks = segments("try-task", "Look for", [["both", "Both"], ...props.kinds.map((k) => [k.task, k.look])], () => { showHeads(); now(); });
const taskOf = Object.fromEntries(props.kinds.map((k) => [k.kind, k.task]));
const heads = {};
const headFields = props.kinds.map(({ kind, model: title }) => {
  const score = hint("", `try-${kind}-note`);
  const chooser = models(`try-${kind}`, [], props.most_models, score, () => { delete wanted[kind]; showHeads(); now(); }, title);
  heads[kind] = { chooser, select: chooser.first, score, scores: {} };
  return chooser.node;
});

let timer = 0;
let waiting = false; // for the end of a pause in typing
let answered = null; // the question, as text, whose answer is shown
const wanted = {}; // by kind the names of heads that a link has, or that was just trained: chosen as soon as they are on offer
let scroll = false; // take a phone to the answer of an example

element.append(make("form", { class: "editor try-editor card", novalidate: true, "aria-label": "A text to read", onsubmit: (event) => event.preventDefault() },
  field("try-text", "Your text", text, note,
    hint(`One sentence a line, at most ${props.most} of ${props.most_words} words. The answer follows as you type.`, "try-hint"),
    make("div", { class: "tools" }, clear, copy, said)),
  tasks, ...headFields,
  examples("try-examples", "Or try an example", props.examples.map((example) => [example.title, () => { choose(example.task); scroll = narrow(); put(example.text); }]))));

const answers = questions({ props, trigger, watch }, { answer: onAnswer, hint: "Try another text.", lost: (message, asked) => {
  say(text, note, { text: message });
  document.querySelector(".try-answer .waiting p")?.replaceChildren("No answer yet.");
  if (asked) answered = JSON.stringify(asked); // it is not asked again by itself
  if (!waiting) send();
  stale();
} });

const task = () => picked(tasks);
const state = () => ({ text: text.value, task: task(), ...Object.fromEntries(Object.entries(heads).map(([kind, { chooser }]) => [kind, chooser.chosen()])) });
const isAsked = (kind) => ["both", taskOf[kind]].includes(task());
const answer = () => document.querySelector(".try-answer");

function choose(name) {
  pick(tasks, name);
  showHeads();
}
function put(value) {
  text.value = value;
  grow(text);
  now();
}
function fillHeads(offered) {
  for (const [kind, { select, chooser, scores }] of Object.entries(heads)) {
    for (const head of offered[kind]) scores[head.name] = head.score;
    const names = offered[kind].map((head) => head.name);
    if (JSON.stringify(names) !== JSON.stringify([...select.options].map((o) => o.value))) chooser.offer(offered[kind]);
    const known = (wanted[kind] || []).filter((name) => names.includes(name));
    if (known.length && JSON.stringify(known) !== JSON.stringify(chooser.chosen())) chooser.choose(known);
    if (known.length === wanted[kind]?.length) delete wanted[kind];
  }
  tasks.hidden = Object.values(heads).some(({ select }) => !select.options.length);
  if (tasks.hidden) choose(taskOf[Object.keys(heads).find((kind) => heads[kind].select.options.length) || props.kinds[0].kind]);
}
function showHeads() {
  for (const [kind, { select, chooser, score, scores }] of Object.entries(heads)) {
    chooser.node.hidden = select.options.length < 2 || !isAsked(kind);
    const chosen = chooser.chosen();
    score.textContent = chosen.length > 1 ? "" : scores[chosen[0]] || ""; // of several, each answer has it
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
  // What is in the form when an answer comes is sent then.
  if (!answers.waits() && JSON.stringify(state()) !== answered) answers.ask(state());
}
function onAnswer(value, asked) {
  if (value.heads) { fillHeads(value.heads); showHeads(); }
  hush(element);
  if (value.note) say(text, note, { text: value.note });
  if (asked) answered = JSON.stringify(asked);
  if (!waiting) send();
  // The answer is a component of its own and may be drawn a moment later than this.
  requestAnimationFrame(() => {
    stale();
    if (value.note) answer()?.classList.add("kept"); // what is shown belongs to an earlier text
    if (scroll) bring(answer());
    scroll = false;
  });
}
function askAgain() {
  answered = null; // heads may have been trained since
  if (!waiting) send();
}
function chooseHead({ detail }) {
  wanted[detail.kind] = [detail.name];
  choose(taskOf[detail.kind]);
  askAgain();
}
function link() {
  const chosen = Object.entries(heads).flatMap(([kind, { chooser }]) => (isAsked(kind) ? chooser.chosen().map((name) => [kind, name]) : []));
  copy.dataset.link = new URLSearchParams([["tab", "try"], ["look", task()], ["t", text.value], ...chosen]); // copied by keep.js
}
function start() {
  const query = linkOf("try");
  const linked = query.get("t");
  choose(linked === null ? "both" : query.get("look"));
  if (linked !== null) for (const kind of Object.keys(heads)) wanted[kind] = [...new Set(query.getAll(kind))].slice(0, props.most_models);
  fillHeads(props.value.heads);
  showHeads();
  put(linked ?? props.examples[0].text); // also without a head: one may have been trained since the app was started
}

element.addEventListener("choosehead", chooseHead);
start();
// Seen again after another tab was open.
let hiddenBefore = false;
new IntersectionObserver(([entry]) => {
  const hidden = element.getClientRects().length === 0;
  if (!hidden && hiddenBefore && entry.isIntersecting) askAgain();
  hiddenBefore = hidden;
}).observe(element);
