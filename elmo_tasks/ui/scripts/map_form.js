// The form of the Sense map tab. Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`.

const { make, button, hint, options, field, wordBox, examples, place, say, hush, narrow, bring, outdated, patience, questions, linkOf } = elmo;
const MOST_BYTES = 2_000_000;

const word = wordBox("map-word", { list: "map-words" });
const wordNote = place("map-word-note");
const offered = make("datalist", { id: "map-words" }, ...props.words.map((w) => make("option", { value: w })));
const view = make("select", { id: "map-view", onchange: () => { chosenView = true; send(); } }, ...options(props.views));
const model = make("select", { id: "map-model", onchange: () => { offerShared(); send(); } }, ...options(props.models));
const text = make("textarea", { id: "map-text", rows: "4", spellcheck: "false", dir: "auto", placeholder: "Paste sentences, a chapter, messages…", "aria-describedby": "map-text-hint map-text-note", oninput: () => { name = ""; said.textContent = ""; if (!hadText && text.value.trim()) counted.checked = false; refresh(); } });
const textB = make("textarea", { id: "map-text-b", rows: "3", spellcheck: "false", dir: "auto", placeholder: "A second text, to compare the first with…", oninput: refresh });
const textNote = place("map-text-note");
const file = make("input", { id: "map-file", type: "file", "aria-label": "A text file of your own", accept: ".txt,.csv,.tsv,.json,.jsonl,text/plain,text/csv", class: "visually-hidden", tabindex: "-1", onchange: () => take(file.files[0]) });
const said = make("span", { class: "said", role: "status" });
const counted = make("input", { type: "checkbox", id: "map-examples-count", checked: true });
const index = make("input", { type: "checkbox", id: "map-index", checked: Boolean(props.index), onchange: () => send() });
const clear = button("Clear", () => { text.value = textB.value = ""; name = ""; said.textContent = ""; counted.checked = true; refresh(); old.check(); text.focus(); });
const submit = make("button", { type: "submit", class: "primary" }, "Draw the map");
const own = make("details", { class: "own-text" }, make("summary", {}, "Your own text"),
  field("map-text", "Text with the word in it", text, textNote,
    hint("Also a .txt, .csv, .tsv or .jsonl file, up to 2 MB. Up to 300 uses are drawn. Nothing is kept.", "map-text-hint"),
    make("div", { class: "tools" }, button("Open a file", () => file.click()), file, clear, said),
    field("map-text-b", "Text B, if you want to compare two", textB),
    make("label", { class: "check" }, counted, make("span", {}, "Draw the examples of the dictionary, too"))));

let name = ""; // of the file the text came from
let chosenView = false;
let linkedView = ""; // of a model whose views are known with the first answer
let hadText = false; // with the first of it, the text alone counts: examples of ours beside it are for who asks for them
let scroll = false;

element.append(make("form", { class: "editor map-editor card", novalidate: true, "aria-label": "Map the uses of a word", oninput: () => old.check(), onsubmit: (event) => { event.preventDefault(); scroll = narrow(); send(); } },
  field("map-word", "Word", word, offered, wordNote, hint(`The dictionary has ${props.words.length.toLocaleString("en")} words with several meanings. For any other word, paste your own text.`)),
  make("label", { class: "check", hidden: !props.index }, index, make("span", {}, `Draw its uses in my index “${props.index}”, too`)),
  own, submit,
  examples("map-examples", "Words to start with", props.first.map((w) => [w, () => { word.value = w; counted.checked = true; send(); }])),
  field("map-view", "Compare the uses by", view),
  make("div", { class: "field", hidden: props.models.length < 2 }, make("label", { for: "map-model" }, "Model"), model)));

const answer = () => document.querySelector(".map-answer");
const answers = questions({ props, trigger, watch }, { answer: onAnswer, hint: "Try another word.",
  ...patience(submit, () => "Drawing…", answer, (text) => show("word", text)) });

const typed = ({ word, text, text_b, examples, index }) => ({ word, text, text_b, examples, index });
const state = () => typed({ word: word.value, text: text.value, text_b: textB.value, examples: counted.checked, index: index.checked });
const old = outdated(answer, "Draw it again", () => send(), state);

// Until the answer of another model says what its layers are: what all of them have.
function offerShared() {
  chosenView = false;
  view.replaceChildren(...options(props.views.filter((v) => v.name === "meanings" || v.name === "words")));
}
function refresh() {
  hadText = Boolean(text.value.trim());
  clear.hidden = !text.value && !textB.value;
}
async function take(chosen) {
  if (!chosen) return;
  file.value = "";
  if (chosen.size > MOST_BYTES) return show("text", `${chosen.name} has ${(chosen.size / 1e6).toFixed(1)} MB; the most is 2 MB. Choose a part of it.`);
  const buffer = await chosen.arrayBuffer();
  let content;
  try {
    content = new TextDecoder("utf-8", { fatal: true }).decode(buffer);
  } catch {
    // Older programs save in the Windows code page; what has zero bytes is no text at all.
    if (new Uint8Array(buffer).includes(0)) return show("text", `${chosen.name} is not a text file. Save it as plain text (.txt) first.`);
    content = new TextDecoder("windows-1252").decode(buffer);
  }
  hush(element);
  text.value = content;
  name = chosen.name;
  said.textContent = chosen.name;
  counted.checked = false;
  refresh();
  old.check();
}
function show(at, message) {
  const [box, where] = at === "text" ? [text, textNote] : [word, wordNote];
  return say(box, where, { text: message });
}
function send() {
  hush(element);
  answers.ask({ ...state(), name, view: linkedView || (chosenView ? view.value : ""), model: model.value });
}
function onAnswer(value, asked, more) {
  hush(element);
  chosenView ||= Boolean(linkedView) && !value.note;
  linkedView = "";
  if (value.view && (!asked || asked.model === model.value)) { // else the model was changed meanwhile
    view.replaceChildren(...options(value.views));
    view.value = value.view;
  }
  if (!value.note && asked) {
    const form = element.firstElementChild;
    form.drawn = { ...asked, view: value.view, revision: value.revision };
    form.dispatchEvent(new CustomEvent("drawn", { bubbles: true })); // for landing.js
  }
  if (value.note) {
    const box = show(value.note.field, value.note.text);
    if (document.activeElement === submit) box.focus();
  }
  old.answered(value.note ? null : asked ? typed(asked) : state());
  if (more) return;
  if (scroll && !value.note) requestAnimationFrame(() => bring(answer()));
  scroll = false;
}
const query = linkOf("map");
word.value = query.get("word") || props.first[0] || "";
if (props.models.some((m) => m.name === query.get("model"))) model.value = query.get("model");
if (model.selectedIndex > 0) {
  offerShared();
  linkedView = query.get("view") || "";
} else if (props.views.some((v) => v.name === query.get("view"))) { view.value = query.get("view"); chosenView = true; }
text.value = query.get("t") || "";
textB.value = query.get("u") || "";
own.open = Boolean(text.value || textB.value);
if (query.has("word")) index.checked = Boolean(props.index) && query.get("index") === "yes";
counted.checked = query.get("examples") !== "no" || !(text.value || textB.value || index.checked);
refresh();
send();
