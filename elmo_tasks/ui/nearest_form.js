// The form of the Nearest uses tab. Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`.
// The page is built from elements and text nodes only, so nothing a person typed is ever read as HTML.

const options = (list) => list.map((o) => make("option", { value: o.name }, o.title));

const word = make("input", { id: "near-word", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": "near-word-note" });
const wordNote = make("div", { class: "note error", id: "near-word-note", hidden: true });
const sentence = make("textarea", { id: "near-sentence", rows: "3", spellcheck: "false", dir: "auto", enterkeyhint: "go", "aria-describedby": "near-sentence-hint near-sentence-note", onkeydown: (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault(); // a sentence has no line break
  go();
} });
const sentenceNote = make("div", { class: "note error", id: "near-sentence-note", hidden: true });
const only = [["all", "All"], ["same", "Same word"], ["other", "Other words"]].map(([value, title]) => make("label", {},
  make("input", { type: "radio", name: "near-only", value, checked: value === "all", onchange: () => send() }), make("span", {}, title)));
const radios = only.map((label) => label.querySelector("input"));
const layer = make("select", { id: "near-layer", onchange: () => { chosenLayer = true; send(); } }, ...options(props.layers));
const source = make("select", { id: "near-source", onchange: () => { chosenSource = true; send(); } });
const sourceField = make("div", { class: "field", hidden: true }, make("label", { for: "near-source" }, "Look through"), source);
const model = make("select", { id: "near-model", onchange: () => { chosenLayer = false; send(); } }, ...options(props.models));
const submit = make("button", { type: "submit", class: "primary" }, "Find the nearest uses");
const examples = make("div", { class: "chips", role: "group", "aria-labelledby": "near-examples" },
  ...props.examples.map((example) => make("button", { type: "button", class: "chip", onclick: () => { word.value = example.word; sentence.value = example.sentence; scroll = innerWidth < 960; send(); } }, example.title)));

let asked = false;
let again = false; // something was changed while an answer was on its way
let revision = 0;
let chosenLayer = false;
let chosenSource = false;
let linkedSource = "";
let scroll = false;

element.append(make("form", { class: "editor near-editor card", novalidate: true, "aria-label": "Find the nearest uses", onsubmit: (event) => { event.preventDefault(); go(); } },
  make("div", { class: "field" }, make("label", { for: "near-word" }, "Word"), word, wordNote),
  make("div", { class: "field" }, make("label", { for: "near-sentence" }, "A sentence with it"), sentence, sentenceNote,
    make("p", { class: "hint", id: "near-sentence-hint" }, `At most ${props.most_words} words.`)),
  make("fieldset", { class: "field" }, make("legend", {}, "Show uses of"), make("div", { class: "segments" }, ...only)),
  submit,
  make("div", { class: "field examples" }, make("p", { class: "label", id: "near-examples" }, "Or try an example"), examples),
  make("div", { class: "field" }, make("label", { for: "near-layer" }, "Layer: how much the model has read"), layer),
  sourceField,
  make("div", { class: "field", hidden: props.models.length < 2 }, make("label", { for: "near-model" }, "Model"), model)));

function go() {
  scroll = innerWidth < 960;
  send();
}
function hide() {
  for (const note of [wordNote, sentenceNote]) { note.hidden = true; note.replaceChildren(); }
  for (const box of [word, sentence]) box.removeAttribute("aria-invalid");
}
function show({ field, text, choices }) {
  const [box, note] = field === "word" ? [word, wordNote] : [sentence, sentenceNote];
  note.hidden = false;
  note.setAttribute("role", "alert");
  note.replaceChildren(make("p", {}, text), ...(choices || []).map((choice) => make("button", { type: "button", class: "chip", onclick: () => { sentence.value = choice.text; send(); } }, choice.label)));
  box.setAttribute("aria-invalid", "true");
  return box;
}
const answerDue = patience(giveUp);
function busy(message) {
  if (message) answerDue.start();
  else answerDue.stop();
  submit.textContent = message || "Find the nearest uses";
  submit.setAttribute("aria-busy", String(!!message));
  document.querySelector(".near-answer")?.classList.toggle("stale", !!message);
}
function send() {
  if (asked) { again = true; return; }
  hide();
  asked = true;
  busy("Searching…");
  trigger("submit", {
    word: word.value, sentence: sentence.value, only: radios.find((radio) => radio.checked).value,
    layer: chosenLayer ? layer.value : "", source: linkedSource || (chosenSource ? source.value : ""), model: model.value, revision: ++revision,
  });
}
function onAnswer() {
  const value = props.value;
  if (!revision || value.revision !== revision) return;
  hide(); // an answer that was given up may still come
  if (value.busy) return busy(value.busy);
  asked = false;
  if (linkedSource) chosenSource = !value.note;
  linkedSource = "";
  busy("");
  if (value.layer) layer.value = value.layer;
  if (value.sources) {
    if (value.sources.length !== source.options.length) source.replaceChildren(...options(value.sources));
    source.value = value.source;
    sourceField.hidden = value.sources.length < 2;
  }
  if (value.note) {
    const box = show(value.note);
    if (document.activeElement === submit) box.focus();
  }
  if (again) { again = false; return send(); }
  if (scroll && !value.note) requestAnimationFrame(() => document.querySelector(".near-answer")?.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth", block: "start" }));
  scroll = false;
}
function giveUp(text) {
  asked = again = false;
  busy("");
  document.querySelector(".near-answer .quiet[aria-busy]")?.replaceChildren(make("p", {}, "No answer yet."));
  show({ field: "sentence", text });
}
element.addEventListener("failed", () => giveUp("The program failed on this; its log says why. Try another sentence."));
watch("value", onAnswer);

const query = new URLSearchParams(location.search);
const linked = query.get("tab") === "nearest";
word.value = (linked && query.get("word")) || props.examples[0].word;
sentence.value = (linked && query.get("s")) || props.examples[0].sentence;
if (linked) {
  for (const radio of radios) if (radio.value === query.get("only")) radio.checked = true;
  if (props.layers.some((l) => l.name === query.get("layer"))) { layer.value = query.get("layer"); chosenLayer = true; }
  if (props.models.some((m) => m.name === query.get("model"))) model.value = query.get("model");
  linkedSource = query.get("source") || ""; // what can be looked through is known with the first answer
}
send();
