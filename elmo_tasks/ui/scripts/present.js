// The Present tab: its page comes escaped from the server; one step of it is shown.

const { make, when, button, requests, clearErrors, showError, bring, linkOf } = elmo;

element.innerHTML = props.markup;
const root = element.querySelector(".present");
const stage = root.querySelector(".stage");
const sections = [...root.querySelectorAll("[data-step]")];
const select = root.querySelector(".which select");
const back = root.querySelector('[data-go="back"]');
const next = root.querySelector('[data-go="next"]');
const full = root.querySelector("[data-full]");
const comeBack = root.querySelector("[data-return]");
const status = root.querySelector('.unseen[role="status"]');
const headlineNote = root.querySelector(".notes .headline");
const note = root.querySelector("#present-own-note");
const ownWord = root.querySelector("#present-own-word");
const ownSentences = root.querySelector("#present-own-sentences");
const WAIT = "…"; // a second press, before the answer is there, does nothing
const right = { model: new Map(), room: new Map() }; // by pair of the quiz; null: it cannot tell
const OWN = sections.findIndex((section) => section.querySelector(".own")) + 1;
let step = 1;
let from = 0; // the step to return to from the presenter's own word
let playing = 0;
let pair = 0; // of the quiz
let quizNext = WAIT; // what the bar's button does in the quiz

// --- Steps ---

const hiddenOn = (at) => [...sections[at - 1].querySelectorAll("[data-reveal][hidden]")];
const seen = () => root.offsetParent !== null || document.fullscreenElement === stage;

function show(wanted, focus = false) {
  stop();
  step = Math.min(Math.max(Math.trunc(wanted) || 1, 1), sections.length);
  sections.forEach((section, at) => { section.hidden = at + 1 !== step; });
  for (const notes of root.querySelectorAll("[data-notes]")) notes.hidden = notes.dataset.notes !== String(step);
  select.value = String(step);
  back.disabled = step === 1;
  comeBack.hidden = step !== OWN || !from;
  comeBack.textContent = `Back to step ${from}`;
  const title = sections[step - 1].querySelector("h2").textContent;
  status.textContent = `Step ${step} of ${sections.length}: ${title}`;
  root.querySelector(".shown").scrollTop = 0;
  if (seen() && root.getBoundingClientRect().top < 0) root.scrollIntoView();
  label();
  if (seen()) remember(true);
  if (focus) (step === OWN ? ownWord : select).focus({ preventScroll: true });
}
// What is left to show on this step before the next one: the title of the button, and what shows it.
function left() {
  const section = sections[step - 1];
  if (section.querySelector(".quiz") && quizNext) return [quizNext, askQuiz];
  const words = section.querySelector(".forming");
  if (words && !words.dataset.done) return playing ? ["To the end", () => read(Infinity)] : ["Play", play];
  const layer = section.querySelector("#present-layer");
  if (layer && layer.value !== layer.max) return ["Layer up", () => { layer.value = String(Number(layer.value) + 1); showLayer(layer); }];
  return hiddenOn(step).length ? ["Reveal", reveal] : null;
}
function reveal() {
  const more = hiddenOn(step);
  for (const part of more) part.hidden = false;
  for (const part of sections[step - 1].querySelectorAll("[data-before]")) part.hidden = true;
  agree();
  label();
  more.at(-1)?.scrollIntoView({ block: "nearest" });
  status.textContent = "Revealed";
}
function forward() {
  const more = left();
  if (more) more[1]();
  else show(step + 1);
}
function label() {
  next.textContent = left()?.[0] ?? "Next →";
  next.disabled = !left() && step === sections.length;
  const headline = sections[step - 1].querySelector("[data-headline]")?.textContent ?? "";
  headlineNote.textContent = headline && `On the screen: ${headline}`;
  headlineNote.hidden = !headline;
}
// The address names the step while the tab is open, so that a reload comes back to it.
function remember(isOpen) {
  const query = new URLSearchParams(location.search);
  if (!isOpen && query.get("tab") !== "present") return;
  for (const key of [...query.keys()]) if (!key.startsWith("__")) query.delete(key);
  if (isOpen) for (const [key, value] of [["tab", "present"], ["step", step]]) query.set(key, value);
  history.replaceState(history.state, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
}

// --- What an audience does ---

function agree() {
  const box = sections[step - 1].querySelector(".guess");
  if (!box) return;
  const rows = [...box.querySelectorAll(".uses[data-before] > li")];
  const picks = rows.map((row) => row.querySelector('[aria-pressed="true"]')?.dataset.pick);
  const groups = JSON.parse(box.dataset.groups);
  const agreement = box.querySelector(".agree");
  if (groups.length !== 2 || picks.some((pick) => !pick)) return;
  const same = picks.filter((pick, at) => pick === (groups[0].includes(at) ? "A" : "B")).length;
  const most = Math.max(same, rows.length - same); // which group is called A does not matter
  agreement.textContent = most === rows.length ? "You sort them exactly as the model does." : `You and the model agree on ${most} of ${rows.length} sentences.`;
  agreement.hidden = false;
}
function press(pressed) {
  const was = pressed.getAttribute("aria-pressed") === "true";
  for (const other of pressed.parentElement.children) other.setAttribute("aria-pressed", "false");
  pressed.setAttribute("aria-pressed", String(!was || "ask" in pressed.dataset));
}

// --- A meaning that forms ---

const forming = () => root.querySelector(".forming");
function read(at) {
  const box = forming();
  if (!box) return;
  const steps = JSON.parse(box.dataset.steps);
  const last = at >= steps.length - 1;
  const now = steps[last ? steps.length - 1 : at];
  const range = box.querySelector("input");
  if (last) {
    stop();
    box.dataset.done = "yes";
    box.querySelector("[data-end]").hidden = false;
  }
  range.value = String(steps.indexOf(now));
  range.setAttribute("aria-valuetext", `${now.read} words read: ${now.findings.map((finding, track) => `sentence ${track + 1} ${finding}`).join(", ")}`);
  box.querySelector("output").textContent = String(now.read);
  for (const word of box.querySelectorAll("[data-word]")) word.classList.toggle("ahead", Number(word.dataset.word) >= now.words);
  box.querySelectorAll(".mover").forEach((mover, track) => { mover.style.left = `${now.at[track]}%`; });
  box.querySelectorAll("[data-finding]").forEach((leaning, track) => { leaning.textContent = now.findings[track]; });
  label();
}
function play() {
  const box = forming();
  const last = Number(box.querySelector("input").max);
  if (playing) return stop();
  let at = Number(box.querySelector("input").value);
  if (at >= last) at = -1;
  box.querySelector("[data-play]").textContent = "Pause";
  playing = setInterval(() => read(++at), 900);
  read(++at);
}
function stop() {
  clearInterval(playing);
  playing = 0;
  const player = root.querySelector("[data-play]");
  if (player) player.textContent = "Play";
  label();
}
function showLayer(range) {
  const box = range.closest(".slide-layers");
  const title = JSON.parse(box.dataset.titles)[Number(range.value)];
  box.querySelector("output").textContent = title;
  range.setAttribute("aria-valuetext", title);
  for (const panel of box.querySelectorAll("[data-layer]")) panel.hidden = panel.dataset.layer !== range.value;
  label();
}

// --- The quiz ---

function askQuiz() {
  if (quizNext === WAIT) return;
  clearErrors(root);
  const guess = root.querySelector('.choice[aria-pressed="true"]')?.dataset.guess || "";
  if (quizNext === "Final score") {
    part("result").replaceChildren(make("p", { class: "answer-line final" }, finalScore()));
    quizNext = "";
    status.textContent = finalScore();
    return label();
  }
  if (quizNext === "Reveal") part("result").replaceChildren(make("p", { class: "soft", "aria-busy": "true" }, "Asking the model…"));
  answers.ask(quizNext === "Reveal" ? { ask: "reveal", choice: pair, guess } : { ask: "pair", choice: pair + 1 });
  quizNext = WAIT;
  label();
}
function onQuiz({ at, model, room }) {
  if (at !== undefined) {
    pair = at;
    for (const choice of root.querySelectorAll(".choice")) choice.setAttribute("aria-pressed", "false");
    quizNext = "Reveal";
  }
  if (model === undefined) return;
  right.model.set(pair, model);
  if (room !== null) right.room.set(pair, room);
  part("result").querySelector(".score").textContent = score();
  quizNext = pair + 1 < props.pairs ? "Next pair" : "Final score";
}
function finalScore() {
  const voted = [...right.room.keys()];
  const of = (who, pairs) => pairs.filter((at) => right[who].get(at)).length;
  const all = [...right.model.keys()];
  const model = `The model was right in ${of("model", all)} of ${all.length} pairs.`;
  if (!voted.length) return model;
  const same = voted.length === all.length ? "" : ` (the model in ${of("model", voted)} of these)`;
  return `The room was right in ${of("room", voted)} of the ${voted.length} pairs that it voted on${same}. ${model}`;
}
// Votes by key, for a room that calls out: S for the same, D for different.
function vote(guess) {
  const choice = root.querySelector(`.choice[data-guess="${guess}"]`);
  if (choice?.checkVisibility() && quizNext === "Reveal") press(choice);
}
function score() {
  // Both are counted on the same pairs: those that the room had an answer to.
  const pairs = [...(right.room.size ? right.room : right.model).keys()];
  const of = (who) => pairs.filter((at) => right[who].get(at)).length;
  const silent = pairs.filter((at) => right.model.get(at) === null).length;
  const unsaid = silent ? ` (to ${silent} it gave no answer)` : "";
  const room = right.room.size ? `the room is right in ${of("room")}, ` : "";
  return `Of ${pairs.length} ${pairs.length === 1 ? "pair" : "pairs"} so far ${room}the model ${room ? "" : "is right "}in ${of("model")}${unsaid}.`;
}

// --- Requests ---

const answers = requests({ props, trigger, watch }, { answer: onAnswer, lost: onLost, all: true });

function onAnswer(value, request) {
  for (const [name, html] of Object.entries(value.parts)) {
    const place = part(name);
    if (name === "forming") stop();
    place.innerHTML = html;
    place.classList.remove("asking");
  }
  if (value.parts.forming) read(0);
  onQuiz(value);
  if (request?.ask === "own") {
    ownWord.value = value.word || ownWord.value;
    if (value.sentences) ownSentences.value = value.sentences;
    if (value.note) complain(value.note);
    if (!value.note && step === OWN && seen()) bring(part("own"), "nearest");
    if (value.note && step === OWN) (ownSentences.value ? ownWord : ownSentences).focus();
  }
  label();
}
function part(name) {
  return root.querySelector(`[data-part="${name}"]`);
}
function complain(text) {
  showError(ownWord, note, { text });
  ownSentences.setAttribute("aria-invalid", "true");
}
function onLost(text, request) {
  for (const place of root.querySelectorAll("[data-part]")) {
    place.classList.remove("asking");
    const busy = place.querySelector("[aria-busy]");
    if (!busy) continue;
    const again = button("Ask again", () => answers.ask(request?.ask === "own" ? request : { ask: "all" }), { class: "chip" });
    busy.replaceWith(make("p", { class: "problem" }, text, " ", again));
  }
  if (request?.ask === "own") complain(text);
  if (!["pair", "reveal"].includes(request?.ask)) return;
  quizNext = request.ask === "reveal" ? "Reveal" : "Next pair";
  showError(null, root.querySelector(".quiz .note"), { text });
  label();
}
function take(word) {
  ownWord.value = word;
  ownSentences.value = "";
  askOwn(word, "");
}
function askOwn(word, sentences) {
  clearErrors(root);
  part("own").replaceChildren(make("p", { class: "soft", "aria-busy": "true" }, "Reading the sentences…"));
  answers.ask({ ask: "own", word, sentences });
}

// --- Events ---

const onPress = (selector, act) => when(root, "click", `button${selector}`, act);
onPress('[data-go="next"]', forward);
onPress('[data-go="back"]', () => show(step - 1));
onPress(":is([data-guess], [data-pick])", press);
onPress("[data-own]", ({ dataset: { own } }) => take(own));
onPress("[data-ask]", (pressed) => {
  const { ask, choice } = pressed.dataset;
  press(pressed);
  part(ask).classList.add("asking");
  answers.ask({ ask, choice: Number(choice) });
});
onPress("[data-play]", play);
onPress("[data-return]", () => show(from, true));
onPress("[data-full]", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else stage.requestFullscreen?.();
});
when(root, "input", "#present-words", (range) => { stop(); read(Number(range.value)); });
when(root, "input", "#present-layer", showLayer);
// The focus leaves the list, in which an arrow would choose another step.
select.addEventListener("change", () => { show(Number(select.value)); next.focus({ preventScroll: true }); });
root.addEventListener("submit", (event) => {
  event.preventDefault();
  if (event.target.matches(".ask")) {
    const word = event.target.querySelector("input").value.trim();
    if (step !== OWN) from = step;
    show(OWN, true);
    if (!word) return;
    event.target.reset();
    take(word);
  } else askOwn(ownWord.value, ownSentences.value);
});
function onKey(event) {
  if (!seen() || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const at = event.target instanceof Element ? event.target : document.body;
  // A presenter's remote sends the page keys: they change the step wherever the focus is.
  // A field that is not empty keeps the arrow keys. A tab does not: Gradio's tabs do not use them, and a click on "Present" leaves the focus there.
  const field = at.closest("input, textarea, select, .scroll");
  const isEmpty = field?.matches("input[type=text], textarea") && !field.value;
  const move = { PageDown: forward, PageUp: () => show(step - 1) }[event.key]
    || ((!field || isEmpty) && { ArrowRight: forward, ArrowLeft: () => show(step - 1), Home: () => show(1), End: () => show(sections.length) }[event.key]);
  const guess = !field && sections[step - 1].querySelector(".quiz") && { s: "same", d: "different" }[event.key.toLowerCase()];
  if (guess) return vote(guess);
  if (!move) return;
  event.preventDefault();
  move();
}
document.addEventListener("keydown", onKey);
document.addEventListener("fullscreenchange", () => {
  full.textContent = document.fullscreenElement ? "Leave full screen" : "Full screen";
});
// The tab was opened or left.
new IntersectionObserver((entries) => {
  if (entries.at(-1).isIntersecting) remember(true);
  else if (!seen()) { stop(); remember(false); }
}).observe(root);

// The bar may have two lines: what is brought into view ends above it.
const bar = stage.querySelector(".bar");
new ResizeObserver(() => stage.style.setProperty("--bar", `${bar.offsetHeight}px`)).observe(bar);
if (!document.fullscreenEnabled) full.hidden = true;
show(Number(linkOf("present").get("step")));
answers.ask({ ask: "all" });
