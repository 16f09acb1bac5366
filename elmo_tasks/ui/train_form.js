// The form of the Train tab. Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`.
// The page is built from elements and text nodes only, so nothing from a person or a file is ever read as HTML.

const option = (value, title) => make("option", { value }, title);
const field = (id, title, box, ...rest) => make("div", { class: "field" }, make("label", { for: id }, title), box, ...rest);
const segments = (name, legend, entries, onchange) => {
  const labels = entries.map(([value, title], at) => make("label", {},
    make("input", { type: "radio", name, value, checked: at === 0, onchange }), make("span", {}, title)));
  return make("fieldset", { class: "field" }, make("legend", {}, legend), make("div", { class: "segments" }, ...labels));
};
const picked = (set) => set.querySelector("input:checked").value;

let fileId = ""; // what the server calls the file that was sent
let revision = 0;
let lost = false; // the form says that no answer came
const answerDue = patience((message) => { giveUp(message); lost = true; });
let starting = false;
let look = null;

const kind = segments("train-kind", "What should it learn?",
  [["classification", "A label per text"], ["tagging", "Names in a text"]], () => { fileId = ""; file.value = ""; reset(); ask(); });
const kindHint = make("p", { class: "hint" });
const source = segments("train-source", "From which examples?",
  [["sample", "Sample"], ["upload", "My own file"], ["hub", "Public data"]], () => { showSource(); ask(); });
const file = make("input", { type: "file", id: "train-file", "aria-describedby": "train-file-hint train-file-note", onchange: sendFile });
const fileHint = make("p", { class: "hint", id: "train-file-hint" });
const fileNote = make("div", { class: "note error", id: "train-file-note", hidden: true });
const textColumn = make("select", { id: "train-text-column", onchange: () => ask() });
const labelColumn = make("select", { id: "train-label-column", onchange: () => ask() });
const header = make("input", { type: "checkbox", id: "train-header", onchange: () => { textColumn.replaceChildren(); labelColumn.replaceChildren(); ask(); } });
const headerField = make("label", { class: "check", for: "train-header" }, header, "The first line names the columns");
const columns = make("div", { class: "field columns", hidden: true },
  make("div", { class: "two" }, field("train-text-column", "Texts are in", textColumn), field("train-label-column", "Labels are in", labelColumn)), headerField);
const fileFields = make("div", { class: "field" }, make("label", { for: "train-file" }, "File"), file, fileHint, fileNote, columns);
const hub = make("select", { id: "train-hub", onchange: () => ask() });
const hubFields = field("train-hub", "Data set", hub, make("p", { class: "hint" }, "Downloaded from the Hugging Face hub when training begins: works with a network only."));
const name = make("input", { type: "text", id: "train-name", maxlength: "60", autocomplete: "off", placeholder: "made from the data’s name" });
const epochs = make("input", { type: "number", id: "train-epochs", min: "1", max: "200", step: "1", inputmode: "numeric", "aria-describedby": "train-epochs-hint", oninput: showTime });
const hidden = make("input", { type: "number", id: "train-hidden", min: "8", max: "512", step: "1", inputmode: "numeric" });
const rate = make("input", { type: "number", id: "train-rate", min: "0.00001", max: "0.1", step: "any", inputmode: "decimal" });
const layers = make("select", { id: "train-layers" },
  option("learned", "Learn how much of each"), option("0", "Layer 0 alone: no context"), option("mean", "All alike, not learned"));
const note = make("div", { class: "note error", id: "train-note", role: "alert", hidden: true });
const time = make("p", { class: "hint time", role: "status" });
const submit = make("button", { type: "submit", class: "primary" }, "Start training");

const form = make("form", { class: "editor train-editor card", novalidate: true, "aria-label": "Train a model", onsubmit: (event) => {
  event.preventDefault();
  if (starting) return;
  starting = true;
  busy();
  ask("start");
} },
  make("div", { class: "field" }, kind, kindHint), source, fileFields, hubFields,
  field("train-name", "Name", name),
  field("train-epochs", "Rounds", epochs, make("p", { class: "hint", id: "train-epochs-hint" }, "How often it goes through all examples.")),
  make("details", { class: "more" }, make("summary", {}, "More settings"), make("div", { class: "more-fields" },
    field("train-layers", "Layers of the language model", layers),
    make("div", { class: "two" }, field("train-hidden", "Hidden size", hidden), field("train-rate", "Learning rate", rate)),
    make("p", { class: "hint" }, "Hidden size: how large the part that learns is. Learning rate: how big its steps are; too big and it never settles."))),
  note, time, submit);
element.append(form);

const fields = { file: [file, fileNote], data: [file, fileNote], name: [name, note], epochs: [epochs, note], hidden: [hidden, note], learning_rate: [rate, note], layers: [layers, note] };

function number(box) {
  const value = Number(box.value);
  return box.value.trim() === "" || Number.isNaN(value) ? box.value : value;
}
function state() {
  const from = picked(source);
  const own = from === "upload";
  return {
    kind: picked(kind), source: from, data: own ? fileId : from === "hub" ? hub.value : "", name: name.value,
    text_column: own ? textColumn.value : "", label_column: own ? labelColumn.value : "",
    header: own && !headerField.hidden && !columns.hidden ? header.checked : null,
    epochs: number(epochs), hidden: number(hidden), learning_rate: number(rate), layers: layers.value,
  };
}
function ask(action = "look", extra = {}) {
  clear();
  form.setAttribute("aria-busy", "true");
  answerDue.start();
  trigger("submit", { ...state(), ...extra, action, revision: ++revision });
}
function sendFile() {
  fileId = "";
  columns.hidden = true;
  textColumn.replaceChildren();
  labelColumn.replaceChildren();
  const chosen = file.files[0];
  if (!chosen) { ask(); return; }
  if (chosen.size > props.most) {
    clear();
    say("file", `“${chosen.name}” has ${(chosen.size / 1e6).toFixed(1)} MB; the most is ${props.most / 1e6} MB.`);
    return;
  }
  const reader = new FileReader();
  reader.onload = () => ask("look", { file: { name: chosen.name, content: String(reader.result).split(",")[1] || "" } });
  reader.onerror = () => say("file", "The file cannot be read. Choose it again.");
  reader.readAsDataURL(chosen);
}
function reset() {
  const chosen = picked(kind);
  const { epochs: e, hidden: h, learning_rate: r } = props.defaults[chosen];
  epochs.value = e;
  hidden.value = h;
  rate.value = r;
  const texts = chosen === "classification";
  kindHint.textContent = texts ? "Positive or negative, a topic, a language: one label for each text." : "People, places, products: which words of a sentence are a name of what.";
  file.accept = texts ? ".csv,.tsv,.jsonl,.json" : ".conll,.txt,.tsv,.iob,.bio,.conllu,.jsonl,.json";
  fileHint.textContent = texts
    ? "A table (CSV or TSV) with a text and its label in each row, or JSON lines. A few hundred rows are a good start; 50,000 at most."
    : "CoNLL: a word and its tag (B-PER, I-PER, O) on each line, an empty line after each sentence; or JSON lines with tokens and tags.";
  hub.replaceChildren(...props.hub.filter((h) => h.kind === chosen).map((h) => option(h.name, h.title)));
  columns.hidden = true;
  textColumn.replaceChildren();
  labelColumn.replaceChildren();
  look = null;
  showSource();
}
function showSource() {
  fileFields.hidden = picked(source) !== "upload";
  hubFields.hidden = picked(source) !== "hub";
}
function words(seconds) {
  if (seconds < 90) return `about ${Math.max(10, Math.round(seconds / 10) * 10)} seconds`;
  return seconds < 5400 ? `about ${Math.round(seconds / 60)} minutes` : `about ${Math.round(seconds / 1800) / 2} hours`;
}
function showTime() {
  const rounds = Number(epochs.value);
  const known = look && rounds >= 1 && rounds <= 200;
  time.textContent = known ? `Takes ${words(look.seconds + rounds * look.seconds_per_epoch)} on a machine like this; the page says more once it runs.` : "";
}
function showColumns() {
  const names = look?.columns || [];
  columns.hidden = picked(source) !== "upload" || names.length < 2;
  if (columns.hidden) return;
  for (const [select, chosen] of [[textColumn, look.text_column], [labelColumn, look.label_column]]) {
    const all = names.includes(chosen) ? names : [chosen, ...names];
    select.replaceChildren(...all.map((n) => option(n, n)));
    select.value = chosen;
  }
  headerField.hidden = look.header === null;
  header.checked = Boolean(look.header);
}
function busy() {
  submit.textContent = starting ? "Starting…" : "Start training";
  submit.setAttribute("aria-busy", String(starting));
}
function say(where, message) {
  const [box, place] = fields[where] || [null, note];
  const visible = box && !box.closest("[hidden]") ? place : note;
  visible.replaceChildren(make("p", {}, message));
  visible.hidden = false;
  box?.setAttribute("aria-invalid", "true");
  const fold = box?.closest("details");
  if (fold) fold.open = true;
  return box;
}
function clear() {
  for (const place of [note, fileNote]) { place.hidden = true; place.replaceChildren(); }
  for (const box of element.querySelectorAll("[aria-invalid]")) box.removeAttribute("aria-invalid");
}
function onAnswer() {
  const value = props.value;
  if (value.revision !== revision) return; // an older question
  answerDue.stop();
  if (lost) clear();
  lost = false;
  form.removeAttribute("aria-busy");
  const began = starting;
  starting = false;
  busy();
  if (value.data) fileId = value.data;
  if ("look" in value) look = value.look;
  if (look) showColumns();
  showTime();
  if (value.note) {
    // What is wrong with a file is told in full beside the form.
    const box = say(value.field, value.field === "file" ? value.note.split("\n")[0] : value.note);
    if (began) (box || submit).focus();
  } else if (value.started) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    document.querySelector(".train-runs")?.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" });
  }
}
function giveUp(message) {
  starting = false;
  answerDue.stop();
  form.removeAttribute("aria-busy");
  busy();
  say("", message);
}

element.addEventListener("failed", () => giveUp("The program failed on this; its log says why."));
watch("value", onAnswer);
reset();
ask();
