// The form of the Two texts tab. Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`.
// The page is built from elements and text nodes only, so nothing a person typed is ever read as HTML.

const { make, options, field, place, say, hush, busy, narrow, bring, outdated, questions } = elmo;
const panel = element.closest("[role=tabpanel]") || document.body;
const notes = Object.fromEntries(["word", "first", "second"].map((name) => [name, place(`texts-${name}-note`)]));
const area = (name) => make("textarea", { id: `texts-${name}`, rows: "6", spellcheck: "false", dir: "auto", placeholder: "Paste a text…", "aria-describedby": `texts-${name}-note` });
const title = (name, hint) => make("input", { id: `texts-${name}-name`, type: "text", autocomplete: "off", maxlength: "60", placeholder: hint, "aria-label": `What the ${name} text is called` });
const boxes = { first: area("first"), second: area("second"), word: make("input", { id: "texts-word", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": "texts-word-note" }) };
const names = { first: title("first", "Its author or its time"), second: title("second", "Its author or its time") };
const model = make("select", { id: "texts-model" }, ...options(props.models));
const submit = make("button", { type: "submit", class: "primary" }, "Compare the word");
let scroll = false;

element.append(make("form", { class: "editor texts-editor card", novalidate: true, "aria-label": "A word in two texts", oninput: () => old.check(), onsubmit: (event) => { event.preventDefault(); send(false); } },
  field("texts-word", "Word", boxes.word, notes.word),
  field("texts-first", "First text", names.first, boxes.first, notes.first),
  field("texts-second", "Second text", names.second, boxes.second, notes.second,
    make("p", { class: "hint" }, "At most 500,000 characters each. Nothing is kept.")),
  submit,
  make("div", { class: "tools" }, make("button", { type: "button", class: "plain", onclick: () => send(true) }, "Find the words that moved most"),
    make("button", { type: "button", class: "plain", onclick: example }, "Show an example")),
  make("div", { class: "field", hidden: props.models.length < 2 }, make("label", { for: "texts-model" }, "Model"), model)));

const answers = questions({ props, trigger, watch }, { answer: onAnswer, hint: "Try shorter texts.",
  busy: (text) => {
    busy(submit, text !== "…" ? text : "Reading…");
    panel.querySelector(".map-answer")?.classList.toggle("stale", Boolean(text));
  },
  lost: (text) => say(boxes.word, notes.word, { text }) });

const state = () => ({ first: boxes.first.value, second: boxes.second.value, first_name: names.first.value, second_name: names.second.value, word: boxes.word.value, model: model.value });
const old = outdated(() => panel.querySelector(".map-answer"), "Compare again", () => send(lastAll), state);
let lastAll = false;

function send(all) {
  hush(element);
  scroll = narrow();
  lastAll = all;
  answers.ask({ ...state(), all });
}
function example() {
  const { first, second, word } = props.example;
  Object.assign(boxes.first, { value: first });
  Object.assign(boxes.second, { value: second });
  [names.first.value, names.second.value] = props.example.names;
  boxes.word.value = word;
  send(false);
}
function onAnswer(value, asked) {
  hush(element);
  const { all, ...to } = asked || {};
  old.answered(value.note || !asked ? null : to);
  if (value.note) {
    const name = value.note.field in boxes ? value.note.field : "word";
    say(boxes[name], notes[name], { text: value.note.text }).focus();
  } else if (scroll) requestAnimationFrame(() => bring(panel.querySelector(".map-answer")));
}
panel.addEventListener("click", (event) => {
  const word = event.target.closest?.("[data-texts-word]");
  if (!word) return;
  boxes.word.value = word.dataset.textsWord;
  send(false);
});
