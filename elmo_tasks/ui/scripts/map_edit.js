// A person's own sorting of the map: uses are chosen, by a click or a line around them, moved to a group, groups are named; every step can
// be undone, and the link keeps all. The model's answer above stays what it is.
// Runs behind map_answer.js, in the same function.

const MOST_IN_LINK = 1_500; // characters
let steps = []; // {moves: [[use, group before, group now], ...]} or {group, name, before}
let chosen = new Set();
let drawing = null; // the corners of the line, while it is drawn
let linked = elmo.linkOf("map").get("sorted");

const tool = () => element.querySelector(".map-tool");
const plane = () => element.querySelector(".plane");
const shapes = () => JSON.parse(element.querySelector(".sense-map").dataset.shapes);
const LETTERS = "ABCDEFGHIJKL";
const groupOf = (mark) => (mark.dataset.group === "" ? null : Number(mark.dataset.group));
const elsewhere = () => marks().filter((mark) => mark.dataset.group !== mark.dataset.first);
const count = (n) => `${n} ${n === 1 ? "use" : "uses"}`;
const names = new Map(); // of groups, as the person calls them
const titleOf = (group) => names.get(group) || `group ${LETTERS[group]}`;

function sign(svg, group) {
  const all = shapes();
  svg.classList.remove("gnone", "g0", "g1", "g2", "g3", "g4", "g5");
  svg.classList.add(group === null ? "gnone" : `g${group % 6}`);
  svg.querySelector(".shape").setAttribute("d", all[(group ?? 0) % all.length]);
  const letter = svg.querySelector("text");
  if (letter) letter.textContent = group === null ? "" : LETTERS[group];
}
function put(use, group) {
  const mark = markAt(use);
  mark.dataset.group = group ?? "";
  sign(mark, group);
  sign(row(use).querySelector(".sign"), group);
  row(use).dataset.group = mark.dataset.group;
  entitle(mark);
}
// What a screen reader says of a mark and of its sign in the list.
function entitle(mark) {
  const shown = row(mark.dataset.use);
  const group = groupOf(mark);
  shown.querySelector(".sign").setAttribute("aria-label", group === null ? "no group" : titleOf(group));
  const where = `${group === null ? "" : `, ${titleOf(group)}`}${shown.dataset.own ? ", from your text" : ""}`;
  mark.setAttribute("aria-label", `Use ${Number(mark.dataset.use) + 1}${where}: ${shown.children[1].textContent.trim()}`);
}
function act(step, forth = true) {
  if (step.moves) for (const [use, before, now] of step.moves) put(use, forth ? now : before);
  else {
    const name = forth ? step.name : step.before;
    if (name) names.set(step.group, name);
    else names.delete(step.group);
    for (const mark of marks()) if (groupOf(mark) === step.group) entitle(mark);
  }
  tellAgain();
}
function take(step) {
  act(step);
  steps.push(step);
  if (step.moves) return choose([]);
  // A name: nothing that a person may be about to press is drawn anew.
  for (const chip of tool().querySelectorAll("[data-to]")) chip.textContent = titleOf(Number(chip.dataset.to));
  account();
}
function undo() {
  act(steps.pop(), false);
  choose([]);
}
const used = () => [...new Set([...marks().map(groupOf), ...names.keys()])].filter((group) => group !== null).sort((a, b) => a - b);
function move(group) {
  if (tool().contains(document.activeElement)) document.activeElement.blur(); // a name that is being typed is taken first
  const moves = [...chosen].map((use) => [use, groupOf(markAt(use)), group]).filter(([, before]) => before !== group);
  if (moves.length) take({ moves });
}

// --- What is shown of it ---

function choose(uses) {
  chosen = new Set(uses.map(Number));
  for (const mark of marks()) mark.classList.toggle("chosen", chosen.has(Number(mark.dataset.use)));
  show();
}
function show() {
  if (!tool()) return;
  const groups = used();
  const free = [...LETTERS].findIndex((_, group) => !groups.includes(group));
  const to = tool().querySelector(".move-to");
  // A press does not end the naming of a group: the chips would get other widths, and lie elsewhere when it is let go.
  const chip = (title, group, known = {}) => elmo.button(title, () => move(group), { class: "chip", onmousedown: (event) => event.preventDefault(), ...known });
  to.hidden = chosen.size === 0;
  to.replaceChildren(make("span", {}, `${count(chosen.size)} to`), ...groups.map((group) => chip(titleOf(group), group, { "data-to": group })),
    ...(free < 0 ? [] : [chip("a new group", free)]), chip("none", null));
  legend(groups);
  account();
}
// How much is sorted, and what of it the link keeps.
function account() {
  const isKept = keep();
  tool().querySelector("[data-undo]").hidden = steps.length === 0;
  tool().querySelector("[data-own-groups]").hidden = steps.length === 0;
  const moved = elsewhere().length;
  tool().querySelector(".sorted-said").textContent = steps.length
    ? `Your own sorting: ${moved} of ${marks().length} uses ${moved === 1 ? "stands elsewhere than the model put it" : "stand elsewhere than the model put them"}${names.size ? `; ${names.size} named` : ""}.${isKept ? "" : " The link does not keep that; the file does."}` : "";
}
function legend(groups) {
  const list = tool().querySelector(".own-groups");
  list.replaceChildren(...groups.map((group) => {
    const mine = marks().filter((mark) => groupOf(mark) === group);
    const box = make("input", { type: "text", maxlength: "40", value: names.get(group) || "", placeholder: `name of group ${LETTERS[group]}`, "aria-label": `Name of group ${LETTERS[group]}`,
      onchange: () => take({ group, name: box.value.trim(), before: names.get(group) || "" }) });
    const drawn = mine.length ? row(mine[0].dataset.use).querySelector(".sign").cloneNode(true) : "";
    return make("li", {}, drawn, box, make("span", { class: "hint" }, count(mine.length)));
  }));
}
function filter(which) {
  for (const mark of marks()) {
    const own = row(mark.dataset.use).dataset.own === "yes";
    mark.classList.toggle("aside", which === "own" ? !own : which === "examples" ? own : false);
  }
}

// --- The link, and a file ---

function keep() {
  const link = element.querySelector(".actions [data-link]");
  if (!link) return false;
  const landed = link.dataset.base ? link.dataset.link.slice(link.dataset.base.length) : "";
  link.dataset.plain ??= link.dataset.base ?? link.dataset.link;
  const moved = elsewhere().map((mark) => [Number(mark.dataset.use), groupOf(mark)]);
  const more = steps.length ? `&sorted=${encodeURIComponent(JSON.stringify([moved, [...names], marks().length]))}` : "";
  const fits = more.length <= MOST_IN_LINK && !link.dataset.short; // without its text the link leads to another map
  link.dataset.base = link.dataset.plain + (fits ? more : "");
  link.dataset.link = link.dataset.base + landed;
  return fits;
}
function restore() {
  let found;
  try {
    found = JSON.parse(linked);
  } catch {
    found = null;
  }
  linked = null;
  const fits = (group) => group === null || (Number.isInteger(group) && group >= 0 && group < LETTERS.length);
  const isOfThis = Array.isArray(found) && found[2] === marks().length; // else it was made on another map
  const [moved, named] = isOfThis && found.slice(0, 2).every(Array.isArray) ? found : [[], []];
  const moves = moved.filter((step) => Array.isArray(step) && markAt(Number(step[0])) && fits(step[1])).map(([use, group]) => [Number(use), groupOf(markAt(Number(use))), group]);
  if (moves.length) take({ moves });
  for (const [group, name] of named.filter(Array.isArray)) if (fits(group) && group !== null) take({ group, name: String(name).slice(0, 40), before: "" });
}
function table() {
  const lines = marks().map((mark) => {
    const group = groupOf(mark);
    const first = mark.dataset.first === "" ? "" : LETTERS[Number(mark.dataset.first)];
    return [group === null ? "" : names.get(group) || LETTERS[group], first, row(mark.dataset.use).children[1].textContent.trim()].map(elmo.csvCell).join(",");
  });
  return `\uFEFF${["your group,the model's group,sentence", ...lines].join("\r\n")}\r\n`;
}

// --- A line around uses ---

const lasso = () => tool()?.querySelector("[data-lasso]").getAttribute("aria-pressed") === "true";
function inside([x, y], corners) {
  let is = false;
  corners.forEach(([ax, ay], k) => {
    const [bx, by] = corners.at(k - 1);
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) is = !is;
  });
  return is;
}
function drawLine() {
  const line = plane().querySelector(".lasso") ?? plane().querySelector("svg").appendChild(draw("polygon", { class: "lasso" }));
  const { left, top } = plane().querySelector("svg").getBoundingClientRect();
  line.setAttribute("points", drawing.map(([x, y]) => `${x - left},${y - top}`).join(" "));
}
when(element, "pointerdown", ".plane", (_, event) => {
  if (!lasso()) return;
  event.preventDefault();
  drawing = [[event.clientX, event.clientY]];
  plane().setPointerCapture(event.pointerId);
});
element.addEventListener("pointermove", (event) => {
  if (!drawing) return;
  drawing.push([event.clientX, event.clientY]);
  drawLine();
});
element.addEventListener("pointerup", () => {
  if (!drawing) return;
  const corners = drawing;
  drawing = null;
  plane().querySelector(".lasso")?.remove();
  if (corners.length > 2) choose(marks().filter((mark) => inside(middleOf(mark), corners)).map((mark) => mark.dataset.use));
});

when(element, "click", ".mark", (mark) => {
  if (!tool()?.open || lasso()) return;
  const use = Number(mark.dataset.use);
  choose(chosen.has(use) ? [...chosen].filter((other) => other !== use) : [...chosen, use]);
});
when(element, "click", ".map-tool [data-undo]", undo);
when(element, "click", ".map-tool [data-own-groups]", () => elmo.save("my-groups.csv", table(), "text/csv;charset=utf-8"));
when(element, "click", ".map-tool [data-lasso]", (pressed) => {
  pressed.setAttribute("aria-pressed", String(!lasso()));
  plane().classList.toggle("drawing", lasso());
});
when(element, "change", ".map-tool [data-filter]", (select) => filter(select.value));
element.addEventListener("toggle", (event) => { if (event.target.matches(".map-tool") && !event.target.open) choose([]); }, true);

function startTool() {
  steps = [];
  chosen = new Set();
  names.clear();
  if (!tool()) {
    if (!element.querySelector(".waiting")) linked = null; // there is no such map
    return;
  }
  for (const mark of marks()) {
    mark.dataset.group = row(mark.dataset.use).dataset.group;
    mark.dataset.first = mark.dataset.group;
  }
  if (linked) restore();
  tool().open ||= steps.length > 0;
  show();
}
startTool();
watch("value", startTool);
