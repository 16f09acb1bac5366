// The form of the Two texts tab. Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`.

const { make, when, button, hint, options, field, wordBox, place, say, hush, narrow, bring, outdated, patience, questions } = elmo;
const panel = element.closest("[role=tabpanel]") || document.body;
const notes = Object.fromEntries(["word", "first", "second"].map((name) => [name, place(`texts-${name}-note`)]));
const area = (name) => make("textarea", { id: `texts-${name}`, rows: "6", spellcheck: "false", dir: "auto", placeholder: "Paste a text…", "aria-describedby": `texts-${name}-note` });
const title = (name, hint) => make("input", { id: `texts-${name}-name`, type: "text", autocomplete: "off", maxlength: "60", placeholder: hint, "aria-label": `What the ${name} text is called` });
const boxes = { first: area("first"), second: area("second"), word: wordBox("texts-word") };
const names = { first: title("first", "Its author or its time"), second: title("second", "Its author or its time") };
const model = make("select", { id: "texts-model" }, ...options(props.models));
const submit = make("button", { type: "submit", class: "primary" }, "Compare the word");
let scroll = false;

element.append(make("form", { class: "editor texts-editor card", novalidate: true, "aria-label": "A word in two texts", oninput: () => old.check(), onsubmit: (event) => { event.preventDefault(); send(false); } },
  field("texts-word", "Word", boxes.word, notes.word),
  field("texts-first", "First text", names.first, boxes.first, notes.first),
  field("texts-second", "Second text", names.second, boxes.second, notes.second, hint("At most 500,000 characters each. Nothing is kept.")),
  submit,
  make("div", { class: "tools" }, button("Find the words that moved most", () => send(true)), button("Show an example", example)),
  make("div", { class: "field", hidden: props.models.length < 2 }, make("label", { for: "texts-model" }, "Model"), model)));

const answer = () => panel.querySelector(".map-answer");
const answers = questions({ props, trigger, watch }, { answer: onAnswer, hint: "Try shorter texts.",
  ...patience(submit, () => "Reading…", answer, (text) => say(boxes.word, notes.word, { text })) });

const state = () => ({ first: boxes.first.value, second: boxes.second.value, first_name: names.first.value, second_name: names.second.value, word: boxes.word.value, model: model.value });
const old = outdated(answer, "Compare again", () => send(lastAll), state);
let lastAll = false;

function send(all) {
  hush(element);
  scroll = narrow();
  lastAll = all;
  answers.ask({ ...state(), all });
}
function example() {
  const { first, second, word } = props.example;
  [boxes.first.value, boxes.second.value, boxes.word.value] = [first, second, word];
  [names.first.value, names.second.value] = props.example.names;
  send(false);
}
function onAnswer(value, asked) {
  hush(element);
  const { all, ...to } = asked || {};
  old.answered(value.note || !asked ? null : to);
  if (value.note) {
    const name = value.note.field in boxes ? value.note.field : "word";
    say(boxes[name], notes[name], { text: value.note.text }).focus();
  } else if (scroll) requestAnimationFrame(() => bring(answer()));
}
when(panel, "click", "[data-texts-word]", (word) => {
  boxes.word.value = word.dataset.textsWord;
  send(false);
});
