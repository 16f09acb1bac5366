// The quiz of the Present tab: shows pairs, takes the room's answer, counts who was right.

const WAIT = "…"; // a second press, before the answer is there, does nothing
const panel = element.closest("[role=tabpanel]") || document.body;
let at = -1; // the pair in view
const right = { model: new Map(), room: new Map() };

// The stage is drawn by another part, perhaps later than this one.
const box = () => panel.querySelector(".quiz");
const place = (name) => box().querySelector(`[data-quiz="${name}"]`);
const answers = elmo.requests({ props, trigger, watch }, { answer: onAnswer, lost: onLost, all: true });

function complain(text) {
  const note = box().querySelector(".note");
  note.textContent = text;
  note.hidden = !text;
}
function onLost(text, request) {
  complain(text);
  offer(request?.ask === "reveal" ? "Reveal" : "Next pair");
}
function offer(title) {
  box().dataset.next = title; // what the bar's button does
  box().closest(".present").dispatchEvent(new Event("relabel"));
}
function ask(request) {
  offer(WAIT);
  answers.ask(request);
}
function onAnswer(value, request) {
  if (value.note) return onLost(value.note, request);
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
  // Both are counted on the same pairs: those that the room had an answer to.
  const pairs = right.room.size ? [...right.room.keys()] : [...right.model.keys()];
  const of = (who) => pairs.filter((pair) => right[who].get(pair)).length;
  const silent = pairs.filter((pair) => right.model.get(pair) === null).length;
  const unsaid = silent ? ` (to ${silent} it gave no answer)` : "";
  const room = right.room.size ? `the room is right in ${of("room")}, ` : "";
  return `Of ${pairs.length} ${pairs.length === 1 ? "pair" : "pairs"} so far ${room}the model ${room ? "" : "is right "}in ${of("model")}${unsaid}.`;
}
function start() {
  if (!box()) return void setTimeout(start, 50);
  box().addEventListener("next", () => {
    const guess = box().querySelector('.choice[aria-pressed="true"]')?.dataset.guess || "";
    if (box().dataset.next === "Reveal") ask({ ask: "reveal", at, guess });
    else if (box().dataset.next !== WAIT) ask({ ask: "pair", at: at + 1 });
  });
  ask({ ask: "pair", at: 0 });
}
start();
