// The form of the Train tab. Gradio runs this as a function body with `element`, `trigger`, `props`, `upload` and `watch`.

const { make, hint, options, field, segments, picked, pick, place, say, hush, busy, bring, questions } = elmo;

let fileId = ""; // what the server calls the file that was sent
let starting = false;
let look = null; // what is in the data that is chosen
let wanted = null; // what typed examples are to be added to, once it is known

const kind = segments("train-kind", "What should it learn?",
  props.kinds.map((k) => [k.kind, k.choice]), () => { file.value = ""; reset(); askAnew(); });
const kindHint = hint("");
const source = segments("train-source", "From which examples?",
  [["sample", "Sample"], ["typed", "Type them"], ["upload", "My own file"], ["hub", "Public data"]], () => { showSource(); askAnew(); });
const typedFor = { classification: typedExamples(elmo, () => sendTyped()), tagging: typedSentences(elmo, () => sendTyped()) };
const typed = () => typedFor[picked(kind)];
const base = make("select", { id: "train-base", onchange: () => ask() });
const baseField = field("train-base", "Together with", base);
const typedNote = place("train-typed-note");
const file = make("input", { type: "file", id: "train-file", "aria-describedby": "train-file-hint train-file-note", onchange: sendFile });
const fileHint = hint("", "train-file-hint");
const fileNote = place("train-file-note");
const textColumn = make("select", { id: "train-text-column", onchange: () => ask() });
const labelColumn = make("select", { id: "train-label-column", onchange: () => ask() });
const header = make("input", { type: "checkbox", id: "train-header", onchange: () => { textColumn.replaceChildren(); labelColumn.replaceChildren(); ask(); } });
const headerField = make("label", { class: "check", for: "train-header" }, header, "The first line names the columns");
const columns = make("div", { class: "field columns", hidden: true },
  make("div", { class: "two" }, field("train-text-column", "Texts are in", textColumn), field("train-label-column", "Labels are in", labelColumn)), headerField);
const fileFields = field("train-file", "File", file, fileHint, fileNote, columns);
const hub = make("select", { id: "train-hub", onchange: () => ask() });
const hubFields = field("train-hub", "Data set", hub, hint("Downloaded from the Hugging Face hub when training begins: works with a network only."));
const name = make("input", { type: "text", id: "train-name", maxlength: "60", autocomplete: "off", placeholder: "made from the data’s name" });
const epochs = make("input", { type: "number", id: "train-epochs", min: "1", max: "200", step: "1", inputmode: "numeric", "aria-describedby": "train-epochs-hint", onchange: () => ask() });
const hidden = make("input", { type: "number", id: "train-hidden", min: "8", max: "512", step: "1", inputmode: "numeric" });
const rate = make("input", { type: "number", id: "train-rate", min: "0.00001", max: "0.1", step: "any", inputmode: "decimal" });
const layers = make("select", { id: "train-layers" }, ...options([{ name: "learned", title: "Learn how much of each" },
  { name: "0", title: "Layer 0 alone: no context" }, { name: "mean", title: "All alike, not learned" }]));
const balanced = make("input", { type: "checkbox", id: "train-balanced" });
const balancedField = make("label", { class: "check", for: "train-balanced" }, balanced, "Rare labels weigh as much as frequent ones");
const note = place("train-note");
const time = make("p", { class: "hint time", role: "status" });
const submit = make("button", { type: "submit", class: "primary" }, "Start training");

const form = make("form", { class: "editor train-editor card", novalidate: true, "aria-label": "Train a model", onsubmit: (event) => {
  event.preventDefault();
  if (starting) return;
  const missing = picked(source) === "typed" ? typed().missing() : "";
  if (missing) return say(typed().element.querySelector("input, textarea"), typedNote, { text: missing })?.focus();
  starting = true;
  busy(submit, "Starting…");
  ask("start");
} },
  make("div", { class: "field" }, kind, kindHint), source, ...Object.values(typedFor).map((t) => t.element), typedNote, fileFields, baseField, hubFields,
  field("train-name", "Name", name),
  field("train-epochs", "Rounds", epochs, hint("How often it goes through all examples.", "train-epochs-hint")),
  make("details", { class: "more" }, make("summary", {}, "More settings"), make("div", { class: "more-fields" },
    field("train-layers", "Layers of the language model", layers), balancedField,
    make("div", { class: "two" }, field("train-hidden", "Hidden size", hidden), field("train-rate", "Learning rate", rate)),
    hint("Hidden size: how large the part that learns is. Learning rate: how big its steps are; too big and it never settles."))),
  note, time, submit);
element.append(form);

const fields = { file: [file, fileNote], base: [base, note], balanced: [balanced, note], data: [file, fileNote], name: [name, note], epochs: [epochs, note], hidden: [hidden, note], learning_rate: [rate, note], layers: [layers, note] };

function number(box) {
  const value = Number(box.value);
  return box.value.trim() === "" || Number.isNaN(value) ? box.value : value;
}
function state() {
  const from = picked(source);
  const own = from === "upload" || from === "typed";
  return {
    kind: picked(kind), source: own ? "upload" : from, data: own ? fileId : from === "hub" ? hub.value : "", name: name.value,
    text_column: from === "upload" ? textColumn.value : "", label_column: from === "upload" ? labelColumn.value : "",
    base: own ? base.value : "", balanced: !balancedField.hidden && balanced.checked,
    header: from === "upload" && !headerField.hidden && !columns.hidden ? header.checked : null,
    epochs: number(epochs), hidden: number(hidden), learning_rate: number(rate), layers: layers.value,
  };
}
// Every question is answered in its turn: a start must not get lost behind a look at other data.
const answers = questions({ props, trigger, watch }, { answer: onAnswer, all: true, lost: (text) => { starting = false; busy(submit, ""); tell("", text); },
  busy: (text) => {
    form.ariaBusy = text ? "true" : null;
    if (!starting) busy(submit, "");
  } });

function ask(action = "look", extra = {}) {
  hush(element);
  answers.ask(() => ({ ...state(), ...extra, action }));
}
function askAnew() {
  fileId = "";
  if (picked(source) === "typed") sendTyped();
  else ask();
}
async function sendFile() {
  fileId = "";
  clearColumns();
  const [chosen] = file.files;
  if (!chosen) return ask();
  hush(element);
  if (chosen.size > props.most) return tell("file", `“${chosen.name}” has ${(chosen.size / 1e6).toFixed(1)} MB; the most is ${props.most / 1e6} MB.`);
  await send(chosen, () => chosen === file.files[0]);
}
async function send(chosen, isWanted) {
  try {
    const { path } = await upload(chosen);
    if (isWanted()) ask("look", { file: { name: chosen.name, path } });
  } catch {
    tell("file", "The examples did not arrive whole. Choose them again.");
  }
}
let sent = 0; // of what is typed, only the newest counts
async function sendTyped() {
  const number = ++sent;
  fileId = "";
  hush(element);
  const missing = typed().missing();
  if (missing) ask();
  else await send(typed().file(), () => number === sent && picked(source) === "typed");
}
function clearColumns() {
  columns.hidden = true;
  textColumn.replaceChildren();
  labelColumn.replaceChildren();
}
function reset() {
  const chosen = picked(kind);
  const { epochs: e, hidden: h, learning_rate: r, about, files, endings } = props.kinds.find((k) => k.kind === chosen);
  epochs.value = e;
  hidden.value = h;
  rate.value = r;
  kindHint.textContent = about;
  file.accept = endings.join(",");
  fileHint.textContent = files;
  hub.replaceChildren(...options(props.hub.filter((h) => h.kind === chosen)));
  clearColumns();
  look = null;
  showSource();
}
function showSource() {
  const texts = picked(kind) === "classification";
  const from = picked(source);
  fileFields.hidden = from !== "upload";
  for (const [name, { element: box }] of Object.entries(typedFor)) box.hidden = from !== "typed" || name !== picked(kind);
  baseField.hidden = from !== "upload" && from !== "typed";
  hubFields.hidden = from !== "hub";
  balancedField.hidden = !texts;
  columns.hidden = true;
}
function showBases(bases) {
  const chosen = base.value;
  base.replaceChildren(...options([{ name: "", title: "nothing else" }, ...bases]));
  base.value = bases.some(({ name }) => name === chosen) ? chosen : "";
}
// Examples that were put right in Try, and what they are added to.
element.addEventListener("examples", ({ detail }) => {
  pick(kind, detail.kind);
  reset();
  pick(source, "typed");
  showSource();
  for (const example of detail.examples) typed().put(example);
  wanted = detail.base;
  sendTyped();
  bring(form);
});
function showColumns() {
  const names = look?.columns || [];
  columns.hidden = picked(source) !== "upload" || names.length < 2;
  if (columns.hidden) return;
  for (const [select, chosen] of [[textColumn, look.text_column], [labelColumn, look.label_column]]) {
    const all = names.includes(chosen) ? names : [chosen, ...names];
    select.replaceChildren(...options(all.map((n) => ({ name: n, title: n }))));
    select.value = chosen;
  }
  headerField.hidden = look.header === null;
  header.checked = Boolean(look.header);
}
function tell(at, text) {
  const [box, where] = fields[at] || [null, note];
  return say(box, box && !box.closest("[hidden]") ? where : note, { text });
}
function onAnswer(value, asked, more) {
  if (value.data) fileId = value.data;
  if (value.bases) showBases(value.bases);
  if (wanted !== null && value.bases) {
    if (value.bases.some(({ name }) => name === wanted)) base.value = wanted;
    wanted = null;
    if (fileId) return ask();
  }
  if ("look" in value) look = value.look;
  if (asked?.action === "start") starting = false;
  busy(submit, starting ? "Starting…" : "");
  if (more) return;
  hush(element);
  if (look) showColumns();
  time.textContent = look?.takes ? `Takes ${look.takes} on a machine like this; the page says more once it runs.` : "";
  if (value.note) {
    // What is wrong with a file is told in full beside the form.
    const box = tell(value.field, value.field === "file" ? value.note.split("\n")[0] : value.note);
    if (asked?.action === "start") (box || submit).focus();
  } else if (value.started) {
    window.dispatchEvent(new Event("runstarted"));
    bring(document.querySelector(".train-runs"));
  }
}

reset();
ask();
