// The form of the Compare tab. Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`.

const { make, button, models, field, wordBox, examples, place, say, hush, busy, away, bring, grow, onEnter, outdated, questions } = elmo;

const word = wordBox("compare-word");
const wordNote = place("compare-word-note");
const modelNote = place("compare-model-note");
// Whole sentences need no word.
const whole = make("input", { id: "compare-whole", type: "checkbox", onchange: () => { word.disabled = whole.checked; } });
const list = make("ol", { class: "sentences", role: "list" });
const listNote = place("compare-sentences-note");
const add = button("Add a sentence", () => addRow(true));
const clear = button("Clear all", () => { hush(element); fill({ word: "", sentences: [], models: model.chosen(), own: "" }); old.check(); word.focus(); });
const model = models("compare-model", props.models, props.most_models, modelNote, () => old.check());
// Meanings of one's own, in the format of the dictionary.
const own = make("textarea", { id: "compare-own", rows: "7", spellcheck: "false", placeholder: "bank\n  money, noun: a firm that lends money\n    The [bank] refused our loan.\n  river, noun: the land beside a river\n    We sat on the [bank] and fished." });
const ownNote = place("compare-own-note");
const ownFold = make("details", { class: "own-meanings" }, make("summary", {}, "Own meanings"),
  make("p", { class: "hint" }, "Give the meanings of any word yourself, each with a sentence or more. They count before the dictionary’s."), own, ownNote);
const submit = make("button", { type: "submit", class: "primary" }, "Compare");

element.append(make("form", { class: "editor card", novalidate: true, "aria-label": "Compare a word", oninput: () => old.check(), onsubmit: (event) => {
  event.preventDefault();
  send();
} },
  examples("compare-examples", "Try an example", props.examples.map((example) => [example.title, () => {
    fill({ ...example, models: model.chosen(), whole: whole.checked });
    send();
  }])),
  field("compare-word", "Word", word, wordNote, make("label", { class: "check" }, whole, "Whole sentences, not a word in them")),
  make("fieldset", { class: "field" },
    make("legend", {}, "Sentences that use it"), list, listNote, make("div", { class: "tools add" }, add, clear),
    make("p", { class: "hint" }, `${props.fewest} to ${props.most} sentences of at most ${props.most_words} words. To compare another word in a sentence, put it in [brackets]: `,
      make("span", { class: "quoted" }, "We walked along the [shore]."))),
  submit,
  ownFold,
  model.node));

const boxes = () => [...list.querySelectorAll("textarea")];
const state = () => ({ word: word.value, sentences: boxes().map((box) => box.value), models: model.chosen(), whole: whole.checked, own: own.value });

function addRow(focus = false, text = "") {
  if (list.children.length >= props.most) return;
  const box = make("textarea", { rows: "1", enterkeyhint: "go", spellcheck: "false", onkeydown: onEnter(send), onpaste: onPaste, oninput: (e) => grow(e.target) });
  box.value = text;
  const row = make("li", {}, make("label", {}), box, button("×", () => removeRow(row), { class: "remove" }), place(""));
  list.append(row);
  number();
  grow(box);
  if (focus) box.focus();
}
function removeRow(row) {
  const next = row.nextElementSibling || row.previousElementSibling;
  row.remove();
  number();
  old.check();
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
  old.check();
  const left = all.length - props.most;
  if (left > 0) show({ field: "sentences", kind: "hint", text: `Only ${props.most} sentences fit: ${left} left out.` });
  boxes()[Math.min(first + lines.length, boxes().length) - 1].focus();
}
function setRows(sentences) {
  list.replaceChildren();
  const wanted = Math.max(sentences.length, props.fewest);
  for (let at = 0; at < Math.min(wanted, props.most); at++) addRow(false, sentences[at] || "");
}
function at(name) {
  const row = /^sentence (\d+)$/.exec(name);
  const box = row ? boxes()[row[1] - 1] : null;
  if (box) return [box, box.parentElement.querySelector(".note")];
  if (name === "own_meanings") { ownFold.open = true; return [own, ownNote]; }
  if (name === "model" && props.models.length > 1) return [model.first, modelNote];
  return name === "word" ? [word, wordNote] : [boxes()[0], listNote];
}
function show(note) {
  const [box, where] = at(note.field);
  return say(box, where, note, (text) => { box.value = text; grow(box); send(); box.focus(); });
}
function fill(value) {
  word.value = value.word;
  whole.checked = Boolean(value.whole);
  word.disabled = whole.checked;
  own.value = value.own || "";
  ownFold.open = Boolean(own.value);
  model.choose(value.models);
  setRows(value.sentences);
}
const compared = questions({ props, trigger, watch }, { answer: onAnswer, lost,
  busy: (text) => busy(submit, text && "Comparing…"), first: 1, hint: "Try other sentences." });

const query = new URLSearchParams(location.search);
let linked = query.has("s") && !query.has("tab"); // of a link the answer is what one came for

// What is typed since the answer came is not what it answers.
const old = outdated(() => document.querySelector(".answer"), "Compare again", send, state);

function lost(text) {
  document.querySelector(".answer .waiting")?.replaceChildren(make("p", {}, "No answer yet."));
  show({ field: "sentences", text });
}
function send() {
  hush(element);
  compared.ask(state);
}
function onAnswer(value, sent, more) {
  hush(element);
  if (more) return;
  const now = state();
  const same = now.word === value.word && now.whole === value.whole && now.own.trim() === (value.own || "").trim() && (!value.models.length || String(now.models) === String(value.models)) && JSON.stringify(now.sentences) === JSON.stringify(value.sentences);
  const typedOn = sent && JSON.stringify(now) !== JSON.stringify(sent);
  if (!typedOn && !same) {
    const focused = boxes().indexOf(document.activeElement);
    fill(value);
    if (focused >= 0) boxes()[Math.min(focused, boxes().length - 1)].focus();
  }
  const wrong = value.notes.map((note) => [note.kind, show(note)]).find(([kind]) => kind === "error");
  if (sent && wrong) wrong[1].focus();
  // The answer is drawn after the form hears of it.
  else if ((sent || linked) && away(".answer")) requestAnimationFrame(() => bring(document.querySelector(".answer")));
  linked = false;
  old.answered(wrong ? null : typedOn ? sent : state());
}

// Its own sentences stand there at once; the answer brings what the server made of them.
fill(linked ? { ...props.value, word: query.get("word") || "", sentences: query.getAll("s"), whole: query.has("whole"), own: query.get("own") || "" } : props.value);
