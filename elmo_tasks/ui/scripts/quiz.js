// The quiz of the Present tab: shows pairs, takes the room's answer, counts who was right.
// Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`.

const { questions } = elmo;
const WAIT = "…"; // a second press, before the answer is there, does nothing
const panel = element.closest("[role=tabpanel]") || document.body;
let at = -1; // the pair in view
const right = { model: new Map(), room: new Map() };

// The stage is drawn by another part, perhaps later than this one.
const box = () => panel.querySelector(".quiz");
const place = (name) => box().querySelector(`[data-quiz="${name}"]`);
const answers = questions({ props, trigger, watch }, { answer: onAnswer, lost: onLost, all: true });

function complain(text) {
  const note = box().querySelector(".note");
  note.textContent = text;
  note.hidden = !text;
}
function onLost(text, asked) {
  complain(text);
  offer(asked?.ask === "reveal" ? "Reveal" : "Next pair");
}
function offer(title) {
  box().dataset.next = title; // what the bar's button does
  box().closest(".present").dispatchEvent(new Event("relabel"));
}
function open(number) {
  offer(WAIT);
  answers.ask({ ask: "pair", at: number });
}
function reveal() {
  offer(WAIT);
  answers.ask({ ask: "reveal", at, guess: box().querySelector('.choice[aria-pressed="true"]')?.dataset.guess || "" });
}
function onAnswer(value, asked) {
  if (value.note) return onLost(value.note, asked);
  complain("");
  if (value.pair) {
    at = value.pair.at;
    place("pair").innerHTML = value.pair.markup;
    place("result").replaceChildren();
    for (const choice of box().querySelectorAll(".choice")) choice.setAttribute("aria-pressed", "false");
    offer("Reveal");
  }
  if (value.result) {
    place("result").innerHTML = value.result.markup;
    right.model.set(value.result.at, value.result.model); // null: it cannot tell
    if (value.result.room !== null) right.room.set(value.result.at, value.result.room);
    place("result").querySelector(".score").textContent = score();
    offer(at + 1 < props.n ? "Next pair" : "");
  }
}
function score() {
  // Who answers is counted on the same pairs: those that the room had an answer to.
  const asked = right.room.size ? [...right.room.keys()] : [...right.model.keys()];
  const of = (who) => asked.filter((pair) => right[who].get(pair)).length;
  const silent = asked.filter((pair) => right.model.get(pair) === null).length;
  const unsaid = silent ? ` (to ${silent} it gave no answer)` : "";
  const room = right.room.size ? `the room is right in ${of("room")}, ` : "";
  return `Of ${asked.length} ${asked.length === 1 ? "pair" : "pairs"} so far ${room}the model ${room ? "" : "is right "}in ${of("model")}${unsaid}.`;
}
function start() {
  if (!box()) return void setTimeout(start, 50);
  box().addEventListener("next", () => {
    if (box().dataset.next === "Reveal") reveal();
    else if (box().dataset.next !== WAIT) open(at + 1);
  });
  open(0);
}
start();
