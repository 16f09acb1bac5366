// The form of the Nearest uses tab. Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`.

const { make, hint, options, field, wordBox, examples, segments, picked, pick, models, place, say, hush, narrow, bring, onEnter, outdated, patience, questions, linkOf } = elmo;

const word = wordBox("near-word");
const wordNote = place("near-word-note");
const sentence = make("textarea", { id: "near-sentence", rows: "3", spellcheck: "false", dir: "auto", enterkeyhint: "go", "aria-describedby": "near-sentence-hint near-sentence-note", onkeydown: onEnter(go) });
const sentenceNote = place("near-sentence-note");
const only = segments("near-only", "Show uses of", [["all", "All"], ["same", "Same word"], ["other", "Other words"]], () => send());
const layer = make("select", { id: "near-layer", onchange: () => { chosenLayer = true; send(); } }, ...options(props.layers));
const source = make("select", { id: "near-source", onchange: () => { chosenSource = true; send(); } });
const sourceField = field("near-source", "Look through", source);
sourceField.hidden = true;
const layerField = field("near-layer", "Compare the uses by", layer);
const model = models("near-model", props.models, props.most_models, null, () => { chosenLayer = false; send(); });
const submit = make("button", { type: "submit", class: "primary" }, "Find the nearest uses");

let chosenLayer = false;
let chosenSource = false;
let linkedSource = "";
let scroll = false;

element.append(make("form", { class: "editor near-editor card", novalidate: true, "aria-label": "Find the nearest uses", oninput: () => old.check(), onsubmit: (event) => { event.preventDefault(); go(); } },
  field("near-word", "Word", word, wordNote),
  field("near-sentence", "A sentence with it", sentence, sentenceNote, hint(`At most ${props.most_words} words.`, "near-sentence-hint")),
  only, submit,
  examples("near-examples", "Or try an example", props.examples.map((example) => [example.title, () => { word.value = example.word; sentence.value = example.sentence; go(); }])),
  layerField, sourceField, model.node));

const answer = () => document.querySelector(".near-answer");
const answers = questions({ props, trigger, watch }, { answer: onAnswer, hint: "Try another sentence.",
  ...patience(submit, () => "Searching…", answer, (text) => show({ field: "sentence", text })) });

const state = (held = { word: word.value, sentence: sentence.value }) => ({ word: held.word, sentence: held.sentence });
const old = outdated(answer, "Find them again", send, state);

function go() {
  scroll = narrow();
  send();
}
function show(note) {
  const [box, where] = note.field === "word" ? [word, wordNote] : [sentence, sentenceNote];
  return say(box, where, note, (text) => { sentence.value = text; send(); });
}
function send() {
  hush(element);
  layerField.hidden = model.chosen().length > 1; // each model has layers of its own
  answers.ask(() => ({
    word: word.value, sentence: sentence.value, only: picked(only), layer: chosenLayer ? layer.value : "",
    source: linkedSource || (chosenSource ? source.value : ""), models: model.chosen(),
  }));
}
function onAnswer(value, asked, more) {
  hush(element);
  if (linkedSource) chosenSource = !value.note;
  linkedSource = "";
  if (value.layers) layer.replaceChildren(...options(value.layers));
  if (value.layer) layer.value = value.layer;
  if (value.sources) {
    if (value.sources.length !== source.options.length) source.replaceChildren(...options(value.sources));
    source.value = value.source;
    sourceField.hidden = value.sources.length < 2;
  } else if (!value.note) sourceField.hidden = true;
  if (value.note) {
    const box = show(value.note);
    if (document.activeElement === submit) box.focus();
  }
  old.answered(value.note ? null : state(asked || undefined));
  if (more) return;
  if (scroll && !value.note) requestAnimationFrame(() => bring(answer()));
  scroll = false;
}

const query = linkOf("nearest");
word.value = query.get("word") || props.examples[0].word;
sentence.value = query.get("s") || props.examples[0].sentence;
pick(only, query.get("only"));
if (props.layers.some((l) => l.name === query.get("layer"))) { layer.value = query.get("layer"); chosenLayer = true; }
model.choose(query.getAll("model"));
linkedSource = query.get("source") || ""; // what can be looked through is known with the first answer
send();
