// The form of the Compare tab.

const { make, button, when, showError, clearErrors, busy, narrow, bring, markOld, markNew, requests } = elmo;

const field = (id, title, box, ...rest) => make("div", { class: "field" }, make("label", { for: id }, title), box, ...rest);
const place = (id) => make("div", { class: "note", id, hidden: true }); // where a message will stand
const options = () => props.models.map(({ name, title }) => make("option", { value: name }, title));

// For one word: nothing is corrected or proposed.
const word = make("input", { id: "compare-word", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": "compare-word-note" });
const wordNote = place("compare-word-note");
// Whole sentences need no word.
const whole = make("input", { id: "compare-whole", type: "checkbox", onchange: onWhole });
const list = make("ol", { class: "sentences", role: "list" });
const listNote = place("compare-sentences-note");
const add = button("Add a sentence", () => addRow(true));
const clear = button("Clear all", () => { clearErrors(element); fill({ word: "", sentences: [], models: chosenModels() }); changed(); word.focus(); });
// One model, and those to compare it with: each is chosen once.
const model = make("select", { id: "compare-model", "aria-describedby": "compare-model-note", onchange: onModel }, ...options());
const otherModels = make("div", { class: "other-models" });
const modelNote = place("compare-model-note");
const addOther = button("Add a model to compare with", () => { addModel().focus(); onModel(); }, { class: "plain add-model" });
// Meanings of one's own, in the format of the dictionary.
const own = make("textarea", { id: "compare-own", rows: "7", spellcheck: "false", "aria-label": "Own meanings", "aria-describedby": "compare-own-hint compare-own-note" });
const ownNote = place("compare-own-note");
const ownFold = make("details", { class: "own-meanings" }, make("summary", {}, "Own meanings"),
  make("p", { class: "hint", id: "compare-own-hint" }, "Give the meanings of the word yourself: they count before the dictionary’s. One line for each meaning is enough, its name, “=”, and a sentence that uses the word or words that go with it:"),
  make("pre", { class: "hint" }, "player = Jordan scored forty points.\ncountry = Jordan borders on Israel."),
  make("div", { class: "tools" }, button("Fill in the word’s entry", () => fillOwn(), { class: "chip" })), own, ownNote);
const legend = make("legend", {}, "Sentences that use it");
const submit = make("button", { type: "submit", class: "primary" }, "Compare");

function runExample(example) {
  fill({ ...example, models: chosenModels(), whole: whole.checked });
  send();
}
let template = ""; // the entry of the word, in the form of own meanings
const form = make("form", { class: "editor card", novalidate: true, "aria-label": "Compare a word", oninput: changed, onsubmit: (event) => {
  event.preventDefault();
  send();
} },
  make("div", { class: "folded-head" }, button("Your own word and sentences", () => unfold(true), { class: "plain unfold", "aria-expanded": "false" })),
  field("compare-word", "Word", word, wordNote),
  make("fieldset", { class: "field" }, legend, list, listNote, make("div", { class: "tools add" }, add, clear)),
  submit,
  make("p", { class: "hint" }, `${props.fewest} to ${props.most} sentences of at most ${props.most_words} words.`,
    make("span", { class: "of-words" }, " To compare another word in a sentence, put it in [brackets]: ", make("i", {}, "We walked along the [shore]."))),
  make("label", { class: "check" }, whole, "Whole sentences, not a word in them"),
  make("div", { class: "field examples" }, make("p", { class: "label", id: "compare-examples" }, "Try an example"),
    make("div", { class: "chips", role: "group", "aria-labelledby": "compare-examples" },
      ...props.examples.map((example) => button(example.title, () => runExample(example), { class: "chip" })))),
  ownFold,
  make("div", { class: "field", hidden: props.models.length < 2 }, make("label", { for: "compare-model" }, "Model"), model, otherModels, modelNote, addOther));
element.append(form);

const boxes = () => [...list.querySelectorAll("textarea")];
const modelBoxes = () => [model, ...otherModels.querySelectorAll("select")];
const chosenModels = () => modelBoxes().map((box) => box.value);
const state = () => ({ word: word.value, sentences: boxes().map((box) => box.value), models: chosenModels(), whole: whole.checked, own: own.value });
let answered = ""; // the form that the shown answer is of
function changed() {
  if (answered && JSON.stringify(state()) === answered) markNew(".answer"); // an edit was taken back
  else markOld(".answer", "Compare again");
}
function onWhole() {
  word.disabled = whole.checked;
  legend.textContent = whole.checked ? "Sentences" : "Sentences that use it";
  form.classList.toggle("whole", whole.checked);
}
// On a narrow page the answer comes first: the form is folded until somebody wants to type.
function unfold(is) {
  form.classList.toggle("unfolded", is);
  form.querySelector(".unfold").setAttribute("aria-expanded", String(is));
  if (is) word.focus();
}
// Meanings of one's own start from the dictionary's, or from the sentences.
function fillOwn() {
  ownFold.open = true;
  const typed = boxes().map((box) => box.value.trim()).filter(Boolean);
  own.value = template || typed.map((sentence, at) => `meaning ${at + 1} = ${sentence}`).join("\n");
  changed();
}
when(document, "click", "[data-wrong]", () => {
  fillOwn();
  if (narrow()) unfold(true);
  bring(ownFold, "center");
  own.focus({ preventScroll: true });
});

// --- Models ---

function onModel() {
  numberModels();
  changed();
}
function addModel(name = props.models.find((entry) => !chosenModels().includes(entry.name)).name) {
  const box = make("select", { onchange: onModel }, ...options());
  const row = make("div", {}, box, button("×", () => { row.remove(); addOther.focus(); onModel(); }, { class: "remove" }));
  box.value = name;
  otherModels.append(row);
  numberModels();
  return box;
}
function numberModels() {
  const all = modelBoxes();
  all.forEach((box, at) => {
    if (at) {
      box.setAttribute("aria-label", `Model ${at + 1}`);
      box.nextElementSibling.setAttribute("aria-label", `Remove model ${at + 1}`);
    }
    for (const option of box.options) option.disabled = all.some((other) => other !== box && other.value === option.value);
  });
  addOther.hidden = all.length >= Math.min(props.most_models, props.models.length);
}
function chooseModels(names) {
  const known = [...new Set(names)].filter((name) => props.models.some((entry) => entry.name === name)).slice(0, props.most_models);
  otherModels.replaceChildren();
  model.value = known[0] || props.models[0]?.name || "";
  known.slice(1).forEach((name) => addModel(name));
  numberModels();
}

// --- Sentences ---

function grow(box) {
  if (CSS.supports("field-sizing", "content")) return;
  box.style.height = "auto";
  if (box.scrollHeight) box.style.height = `${box.scrollHeight}px`;
}
function onKey(event) { // a sentence has no line break
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  send();
}
function addRow(focus = false, text = "") {
  if (list.children.length >= props.most) return;
  const box = make("textarea", { rows: "1", enterkeyhint: "go", spellcheck: "false", onkeydown: onKey, onpaste: onPaste, oninput: (e) => grow(e.target) });
  box.value = text;
  const row = make("li", {}, make("label", {}), box, button("×", () => removeRow(row), { class: "remove" }), place(""));
  list.append(row);
  numberRows();
  grow(box);
  if (focus) box.focus();
}
function removeRow(row) {
  const next = row.nextElementSibling || row.previousElementSibling;
  row.remove();
  numberRows();
  changed();
  next.querySelector("textarea").focus();
}
function numberRows() {
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
// Several lines become several sentences.
function onPaste(event) {
  const lines = event.clipboardData.getData("text/plain").split(/\r?\n/).map((l) => l.trim()).filter(Boolean);
  if (lines.length < 2) return;
  event.preventDefault();
  const typed = boxes().map((box) => box.value);
  const at = boxes().indexOf(event.target);
  const before = typed.slice(0, at + 1).filter((text, k) => k < at || text.trim());
  const all = [...before, ...lines, ...typed.slice(at + 1).filter(Boolean)];
  setRows(all);
  changed();
  const left = all.length - props.most;
  if (left > 0) show({ field: "sentences", kind: "hint", text: `Only ${props.most} sentences fit: ${left} left out.` });
  boxes()[Math.min(before.length + lines.length, boxes().length) - 1].focus();
}
function setRows(sentences) {
  list.replaceChildren();
  const wanted = Math.max(sentences.length, props.fewest);
  for (let at = 0; at < Math.min(wanted, props.most); at++) addRow(false, sentences[at] || "");
}

// --- Requests and answers ---

function at(name) {
  const row = /^sentence (\d+)$/.exec(name);
  const box = row ? boxes()[row[1] - 1] : null;
  if (box) return [box, box.parentElement.querySelector(".note")];
  if (name === "own_meanings") { ownFold.open = true; return [own, ownNote]; }
  if (name === "model" && props.models.length > 1) return [model, modelNote];
  return name === "word" ? [word, wordNote] : [boxes()[0], listNote];
}
function show(note) {
  const [box, where] = at(note.field);
  if (note.kind === "error") form.classList.add("unfolded");
  return showError(box, where, note, (text) => { box.value = text; grow(box); send(); box.focus(); });
}
function fill(value) {
  word.value = value.word;
  whole.checked = Boolean(value.whole);
  onWhole();
  own.value = value.own || "";
  ownFold.open = Boolean(own.value);
  chooseModels(value.models);
  setRows(value.sentences);
}
const compared = requests({ props, trigger, watch }, { answer: onAnswer, lost,
  busy: (is) => busy(submit, is && "Comparing…"), first: 1, hint: "Try other sentences." });

const query = new URLSearchParams(location.search);
let linked = query.has("s") && !query.has("tab"); // a link is opened for its answer

function lost(text) {
  document.querySelector(".answer .waiting")?.replaceChildren(make("p", {}, "No answer yet."));
  show({ field: "sentences", text });
}
function send() {
  clearErrors(element);
  compared.ask(state);
}
function onAnswer(value, sent, more) {
  clearErrors(element);
  if (more) return;
  const now = state();
  const same = now.word === value.word && now.whole === value.whole && now.own.trim() === (value.own || "").trim() && (!value.models.length || String(now.models) === String(value.models)) && JSON.stringify(now.sentences) === JSON.stringify(value.sentences);
  template = value.template || "";
  const typedOn = sent && JSON.stringify(now) !== JSON.stringify(sent);
  if (!typedOn && !same) {
    const focused = boxes().indexOf(document.activeElement);
    fill(value);
    if (focused >= 0) boxes()[Math.min(focused, boxes().length - 1)].focus();
  }
  const wrong = value.notes.map((note) => [note.kind, show(note)]).find(([kind]) => kind === "error");
  const answer = () => document.querySelector(".answer");
  // The answer is drawn after the form hears of it.
  if (!typedOn) answered = JSON.stringify(state());
  requestAnimationFrame(() => {
    markNew(".answer");
    if (typedOn) changed();
    if (!wrong && (sent || linked) && (narrow() || answer()?.getBoundingClientRect().top < 0)) bring(answer());
    linked = false;
  });
  if (sent && wrong) wrong[1].focus();
}

// The form shows its own sentences at once; the answer brings what the server made of them.
fill(linked ? { ...props.value, word: query.get("word") || "", sentences: query.getAll("s"), whole: query.has("whole"), own: query.get("own") || "" } : props.value);
