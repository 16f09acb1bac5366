// A sentence flies to its place on the map above its form; nothing else there moves.

const { make, draw, when, busy, showError, clearErrors, isCalm, bring, requests, linkOf } = elmo;
const FLIGHT = 1400; // milliseconds
const MAX_IN_LINK = 2_000; // characters
const panel = element.closest("[role=tabpanel]") || document.body;
let landed = linkOf("map").getAll("land"); // sentences, in the order they came
let word = null; // of the map they lie on; none yet
let drawn = null; // the request of that map: gradio draws the next one into the same elements

const form = () => panel.querySelector("form.landing");
const map = () => panel.querySelector(".sense-map");
const pinOf = (number) => map().querySelector(`.pin[data-pin="${number}"]`);
const answers = requests({ props, trigger, watch }, { answer: onAnswer, all: true, hint: "Try another sentence.",
  busy: (text) => form() && busy(form().querySelector(".primary"), text && "Reading…"), lost: note });

function note(text) {
  if (!form()) return;
  showError(null, form().querySelector(".note"), { text });
  for (const fold of panel.querySelectorAll(".landed details")) fold.open = false; // it is not about this sentence
}
function ask(sentence, fly) {
  if (form()) clearErrors(form());
  answers.ask(() => ({ sentence, fly, map: JSON.parse(form().dataset.request) }));
}
function onAnswer(value, question) {
  if (!form() || question?.map.drawn !== JSON.parse(form().dataset.request).drawn) return; // another map has come meanwhile
  if (value.note) {
    landed = landed.filter((sentence) => sentence !== question.sentence);
    return note(value.note);
  }
  if (!landed.includes(question.sentence)) landed.push(question.sentence);
  show(value.landed, landed.indexOf(question.sentence) + 1, question.fly);
  relink();
}
function relink() {
  const link = form().closest(".map-answer")?.querySelector("[data-link]");
  const more = landed.map((sentence) => `&land=${encodeURIComponent(sentence)}`).join("");
  if (link) link.dataset.link = link.dataset.link.split("&land=")[0] + (more.length <= MAX_IN_LINK ? more : "");
}

// --- On the map ---

function pinned({ x, y }, number) {
  const within = (at) => `${Math.min(97, Math.max(3, at)).toFixed(2)}%`; // what lies farther out stands at the edge
  const { across, up } = map().dataset;
  return draw("svg", { x: within(50 + x * across), y: within(50 - y * up), class: "pin", "data-pin": number },
    draw("g", {}, draw("circle", { r: 15 }), draw("text", { y: 5.2 }, String(number))));
}
function tie(number, near) {
  const pin = pinOf(number);
  if (!pin) return; // the map was drawn again meanwhile; its sentences are placed on the new one
  const marks = near.map((use) => map().querySelector(`.mark[data-use="${use}"]`)).filter(Boolean);
  elmo.tie(map(), pin, marks, marks);
}
function show(found, number, fly) {
  pinOf(number)?.remove();
  const pin = pinned(found, number);
  map().append(pin);
  const list = panel.querySelector(".landed");
  list.querySelector(`[data-pin="${number}"]`)?.remove();
  const body = make("div");
  body.innerHTML = found.markup; // escaped on the server
  const fold = make("details", { open: true, ontoggle: () => { if (fold.open) chosen(); } },
    make("summary", {}, make("b", { class: "pin-sign" }, String(number)), " ", landed[number - 1]), body);
  const item = make("li", { "data-pin": number }, fold);
  list.prepend(item);
  function chosen() {
    for (const other of list.querySelectorAll("details[open]")) if (other !== fold) other.open = false;
    tie(number, found.near);
    // On a wide stage the map stays in view beside the result, which may otherwise be below the window.
    if (number === landed.length && item.closest(".landing-stage") && matchMedia("(min-width: 901px)").matches) bring(item, "nearest");
  }
  form().querySelector("[data-again]").hidden = false;
  if (!fly || isCalm()) return chosen();
  map().scrollIntoView({ block: "nearest", behavior: "smooth" });
  const plane = map().closest(".plane");
  const from = form().querySelector("input").getBoundingClientRect();
  const to = pin.firstElementChild.getBoundingClientRect();
  const [dx, dy] = [from.x + 30 - to.x, from.y - to.y];
  plane.classList.add("flying");
  pin.firstElementChild.animate([
    { transform: `translate(${dx}px, ${dy}px) scale(.6)` },
    { transform: `translate(${dx / 3}px, ${dy / 2 - 60}px) scale(1.9)`, offset: 0.55 },
    { transform: "none" },
  ], { duration: FLIGHT, easing: "cubic-bezier(.3, .1, .2, 1)" }).finished.then(chosen, chosen).finally(() => plane.classList.remove("flying"));
}

when(panel, "submit", "form.landing", (asking, event) => {
  event.preventDefault();
  event.stopPropagation(); // the stage of Present has forms of its own
  const box = asking.querySelector("input");
  ask(box.value.trim(), true);
  // On a stage the arrow keys and a remote continue the talk; elsewhere the next sentence can be typed at once.
  if (asking.closest(".stage")) box.blur();
  else box.select();
}, true);
when(panel, "click", ".pin", (pin) => { panel.querySelector(`.landed [data-pin="${pin.dataset.pin}"] details`).open = true; });
when(panel, "click", "form.landing [data-sentence]", (ready) => ask(ready.dataset.sentence, true));
when(panel, "click", "form.landing [data-again]", (again) => {
  landed = [];
  for (const old of map().querySelectorAll(".pin")) old.remove();
  elmo.tie(map(), null, [], []);
  panel.querySelector(".landed").replaceChildren();
  again.hidden = true;
  relink();
});
// Another map has come: on one of the same word, all land again.
function start() {
  if (!form() || drawn === form().dataset.request) return;
  drawn = form().dataset.request;
  const next = JSON.parse(drawn).word;
  if (word !== null && word !== next) {
    landed = [];
    form().querySelector("input").value = "";
  }
  word = next;
  for (const sentence of landed) ask(sentence, false);
}
panel.addEventListener("drawn", start);
start();
