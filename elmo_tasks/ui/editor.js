// The form of the Compare tab. Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`.
// The page is built from elements and text nodes only, so nothing a person typed is ever read as HTML.

const grow = (box) => {
  if (CSS.supports("field-sizing", "content")) return;
  box.style.height = "auto";
  if (box.scrollHeight) box.style.height = `${box.scrollHeight}px`;
};

const note = (id) => make("div", { class: "note", id, hidden: true });
const word = make("input", {
  id: "compare-word", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
  "aria-describedby": "compare-word-note",
});
const wordNote = note("compare-word-note");
const modelNote = note("compare-model-note");
const list = make("ol", { class: "sentences", role: "list" });
const listNote = note("compare-sentences-note");
const add = make("button", { type: "button", class: "plain add", onclick: () => addRow(true) }, "Add a sentence");
const model = make("select", { id: "compare-model", "aria-describedby": "compare-model-note" },
  ...props.models.map((m) => make("option", { value: m.name }, m.title)));
const submit = make("button", { type: "submit", class: "primary" }, "Compare");
const examples = make("div", { class: "chips", role: "group", "aria-labelledby": "compare-examples" },
  ...props.examples.map((example) => make("button", {
    type: "button", class: "chip",
    onclick: () => { fill({ ...example, model: model.value, notes: [] }); send(); },
  }, example.title)));
let sent = null; // what the last request held, to tell whether the person typed on while it ran
let asked = false; // one question at a time, so no answer can overtake a newer one
let again = false; // something was asked while an answer was on its way
let revision = 1; // the answer to the link that the page was opened with

element.append(make("form", { class: "editor card", novalidate: true, "aria-label": "Compare a word", onsubmit: (event) => {
  event.preventDefault();
  send();
} },
  make("div", { class: "field" },
    make("label", { for: "compare-word" }, "Word"), word, wordNote),
  make("fieldset", { class: "field" },
    make("legend", {}, "Sentences that use it"), list, listNote, add,
    make("p", { class: "hint" }, `${props.fewest} to ${props.most} sentences of at most ${props.most_words} words. To compare another word in a sentence, put it in [brackets]: `,
      make("span", { class: "quoted" }, "We walked along the [shore]."))),
  make("div", { class: "field", hidden: props.models.length < 2 },
    make("label", { for: "compare-model" }, "Model"), model, modelNote),
  submit,
  make("div", { class: "field examples" }, make("p", { class: "label", id: "compare-examples" }, "Or try an example"), examples)));

const boxes = () => [...list.querySelectorAll("textarea")];
const state = () => ({ word: word.value, sentences: boxes().map((box) => box.value), model: model.value });

function addRow(focus = false, text = "") {
  if (list.children.length >= props.most) return;
  const box = make("textarea", { rows: "1", enterkeyhint: "go", spellcheck: "false", onkeydown: onKey, onpaste: onPaste, oninput: (e) => grow(e.target) });
  box.value = text;
  const remove = make("button", { type: "button", class: "remove", onclick: () => removeRow(row) }, "×");
  const row = make("li", {}, make("label", {}), box, remove, note(""));
  list.append(row);
  number();
  grow(box);
  if (focus) box.focus();
}
function removeRow(row) {
  const next = row.nextElementSibling || row.previousElementSibling;
  row.remove();
  number();
  next.querySelector("textarea").focus();
}
function number() {
  const rows = [...list.children];
  rows.forEach((row, at) => {
    const [label, box, remove, message] = row.children;
    label.textContent = at + 1;
    label.setAttribute("aria-label", `Sentence ${at + 1}`);
    box.id = `compare-sentence-${at + 1}`;
    label.htmlFor = box.id;
    message.id = `${box.id}-note`;
    box.setAttribute("aria-describedby", message.id);
    remove.setAttribute("aria-label", `Remove sentence ${at + 1}`);
    remove.hidden = rows.length <= props.fewest;
  });
  add.hidden = rows.length >= props.most;
}
function onKey(event) {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault(); // a sentence has no line break
  send();
}
function onPaste(event) {
  const lines = event.clipboardData.getData("text/plain").split(/\r?\n/).map((l) => l.trim()).filter(Boolean);
  if (lines.length < 2) return;
  event.preventDefault();
  const first = boxes().indexOf(event.target);
  const rest = boxes().slice(first + 1).map((box) => box.value).filter(Boolean);
  const before = boxes().slice(0, first).map((box) => box.value);
  const kept = event.target.value.trim() ? [event.target.value] : [];
  const all = [...before, ...kept, ...lines, ...rest];
  setRows(all);
  const left = all.length - props.most;
  if (left > 0) show({ field: "sentences", kind: "hint", choices: [], text: `Only ${props.most} sentences fit: ${left} left out.` });
  boxes()[Math.min(first + lines.length, boxes().length) - 1].focus();
}
function setRows(sentences) {
  list.replaceChildren();
  const wanted = Math.max(sentences.length, props.fewest);
  for (let at = 0; at < Math.min(wanted, props.most); at++) addRow(false, sentences[at] || "");
}
function place(field) {
  const at = /^sentence (\d+)$/.exec(field);
  const box = at ? boxes()[at[1] - 1] : null;
  if (box) return [box, box.parentElement.querySelector(".note")];
  if (field === "model" && props.models.length > 1) return [model, modelNote];
  return field === "word" ? [word, wordNote] : [boxes()[0], listNote];
}
function show({ field, kind, text, choices }) {
  const [box, message] = place(field);
  message.className = `note ${kind}`;
  message.setAttribute("role", kind === "error" ? "alert" : "status");
  message.replaceChildren(make("p", {}, text), ...choices.map((choice) => make("button", {
    type: "button", class: "chip",
    onclick: () => { box.value = choice.text; grow(box); send(); box.focus(); },
  }, choice.label)));
  message.hidden = false;
  if (kind === "error") box.setAttribute("aria-invalid", "true");
  return box;
}
function clearNotes() {
  for (const message of element.querySelectorAll(".note")) {
    message.hidden = true;
    message.replaceChildren();
  }
  for (const box of element.querySelectorAll("[aria-invalid]")) box.removeAttribute("aria-invalid");
}
function fill(value) {
  word.value = value.word;
  if (value.model) model.value = value.model;
  if (!model.value && props.models.length) model.value = props.models[0].name;
  setRows(value.sentences);
}
const answerDue = patience(giveUp);
function busy(on) {
  if (on) answerDue.start();
  else answerDue.stop();
  submit.textContent = on ? "Comparing…" : "Compare";
  submit.setAttribute("aria-busy", String(on));
}
function send() {
  if (asked) { again = true; return; }
  clearNotes();
  asked = true;
  busy(true);
  sent = state();
  trigger("submit", { ...sent, revision: ++revision });
}
function onAnswer() {
  const value = props.value;
  if (value.revision !== revision) return;
  asked = false;
  const byHand = sent !== null;
  const typedOn = byHand && JSON.stringify(state()) !== JSON.stringify(sent);
  busy(false);
  clearNotes();
  if (again) { again = false; return send(); }
  const { word: w, sentences, model: m } = state();
  const same = w === value.word && (!value.model || m === value.model) && JSON.stringify(sentences) === JSON.stringify(value.sentences);
  if (!typedOn && !same) {
    const at = boxes().indexOf(document.activeElement);
    fill(value);
    if (at >= 0) boxes()[Math.min(at, boxes().length - 1)].focus();
  }
  const wrong = value.notes.map((n) => [n.kind, show(n)]).find(([kind]) => kind === "error");
  if (byHand && wrong) wrong[1].focus();
  else if (byHand && innerWidth < 960) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    document.querySelector(".answer").scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" });
  }
  sent = null;
}
function giveUp(text) {
  asked = again = false;
  busy(false);
  show({ field: "sentences", kind: "error", choices: [], text });
}

element.addEventListener("failed", () => giveUp("The program failed on this; its log says why. Try other sentences."));
fill(props.value);
watch("value", onAnswer);
