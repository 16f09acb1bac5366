// The quiz of the Present tab: shows pairs, takes the room's answer, counts who was right; with phones it asks how the vote stands.
// Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`.

const { when, questions } = elmo;
const PAUSE = 1200; // milliseconds between two looks at a vote
const WAIT = "…"; // a second press, before the answer is there, does nothing
const panel = element.closest("[role=tabpanel]") || document.body;
const KEPT = "elmo-vote"; // the open vote, the place and the score, for this window alone: a page that is loaded again goes on with them
let at = -1; // the pair in view
let revealed = false;
let room = null; // the vote by phone, while one is open
let timer = 0;
const right = { model: new Map(), room: new Map() };

// The stage is drawn by another part, perhaps later than this one.
const box = () => panel.querySelector(".quiz");
const place = (name) => box().querySelector(`[data-quiz="${name}"]`);
const answers = questions({ props, trigger, watch }, { answer: onAnswer, lost: onLost, all: true });
const ask = (what, rest = {}) => answers.ask(() => ({ ask: what, at, room: room?.code || "", key: room?.key || "", ...rest }));

function complain(text) {
  const note = box()?.querySelector(".quiz-room .note");
  if (!note || note.textContent === text) return; // what is said already is not read aloud at every look
  note.textContent = text;
  note.hidden = !text;
}
function onLost(text, asked) {
  complain(text);
  settle();
  plan();
}
// What was asked and is not answered may be asked again.
function settle() {
  if (box()?.dataset.next === WAIT) offer(revealed || at < 0 ? "Next pair" : "Reveal");
}
function offer(title) {
  box().dataset.next = title; // what the bar's button does
  box().closest(".present").dispatchEvent(new Event("relabel"));
}
function open(number) {
  offer(WAIT);
  ask("pair", { at: number });
}
function reveal() {
  offer(WAIT);
  ask("reveal", { guess: guess() });
}
const guess = () => box().querySelector('.choice[aria-pressed="true"]')?.dataset.guess || "";
// The first pair, or with a vote that goes on its own; one that was revealed comes revealed, so that no phone can vote on it again.
function begin() {
  const before = kept();
  if (!before?.revealed) return open(before?.at ?? 0);
  offer(WAIT);
  ask("reveal", { at: before.at, guess: before.guess, again: true });
}
function onAnswer(value, asked, more) {
  if (value.note && asked?.room) end();
  if (value.pair) {
    at = value.pair.at;
    revealed = false;
    place("pair").innerHTML = value.pair.markup;
    place("result").replaceChildren();
    for (const choice of box().querySelectorAll(".choice")) {
      choice.setAttribute("aria-pressed", String(Boolean(asked?.again) && choice.dataset.guess === asked.guess));
      choice.classList.remove("right");
    }
    offer("Reveal");
  }
  if (value.result) {
    revealed = true;
    place("result").innerHTML = value.result.markup;
    right.model.set(value.result.at, value.result.model); // null: it cannot tell
    if (value.result.room !== null) right.room.set(value.result.at, value.result.room);
    if (value.result.voted) for (const choice of box().querySelectorAll(".choice")) choice.setAttribute("aria-pressed", "false");
    place("result").querySelector(".score").textContent = score();
    offer(at + 1 < props.n ? "Next pair" : "");
  }
  if (value.room) enter(value.room);
  if (value.votes && room) count(value.votes);
  if (asked?.ask === "close") end();
  complain(value.note || room?.hint || ""); // why no phone can come stays, as long as the vote is open
  keep();
  if (!more) settle();
  plan();
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

// --- Phones ---

function keep() {
  if (!room || at < 0) return;
  const scores = { model: [...right.model], room: [...right.room] };
  sessionStorage.setItem(KEPT, JSON.stringify({ room, at, revealed, guess: guess(), scores }));
}
function kept() {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEPT));
    return found?.room && found.scores ? found : null;
  } catch {
    return null;
  }
}
function enter(found) {
  room = found;
  box().dataset.room = found.code;
  place("room").hidden = false;
  box().querySelector('[data-phones="open"]').hidden = true;
  place("room").querySelector(".qr").innerHTML = found.qr; // drawn by the server
  place("room").querySelector(".address").textContent = found.address;
  complain(found.hint);
}
function end() {
  room = null;
  sessionStorage.removeItem(KEPT);
  clearTimeout(timer);
  place("room").hidden = true;
  box().querySelector('[data-phones="open"]').hidden = false;
  for (const votes of box().querySelectorAll(".votes")) votes.textContent = "";
}
function count({ people, of }) {
  place("room").querySelector(".people").textContent = room.hint && !people ? "" : `${people} ${people === 1 ? "person has" : "people have"} voted, ${of.same + of.different} on this pair.`;
  // How the vote stands would lead those who have not voted yet.
  for (const choice of box().querySelectorAll(".choice")) choice.querySelector(".votes").textContent = revealed ? `${of[choice.dataset.guess]}` : "";
}
function plan() {
  clearTimeout(timer);
  if (room) timer = setTimeout(() => { if (!answers.waits()) ask("look"); else plan(); }, PAUSE);
}

when(panel, "click", '.quiz [data-phones="open"]', () => ask("open", { page: location.origin + location.pathname, revealed }));
when(panel, "click", '.quiz [data-phones="close"]', () => ask("close"));
function start() {
  if (!box()) return void setTimeout(start, 50);
  box().addEventListener("next", () => {
    if (box().dataset.next === "Reveal") reveal();
    else if (box().dataset.next !== WAIT) at < 0 ? begin() : open(at + 1);
  });
  const before = kept();
  if (before) {
    enter(before.room);
    for (const who of ["model", "room"]) for (const [pair, is] of before.scores[who]) right[who].set(pair, is);
  }
  begin();
}
start();
