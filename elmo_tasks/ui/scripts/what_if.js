// The what-ifs: sliders for the layers, whose mix is computed here from the inner products of the uses; and another spelling.
// Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`. Text nodes only: nothing is read as HTML.

const { make, button, hint, wordBox, chips: chipsOf, number, percent, questions, complain, settle, csvCell } = elmo;
const badge = (at, text, title) => make("span", { class: `badge g${at % 6}`, role: "img", "aria-label": title }, make("span", {}, text));

let shown = null; // the query string of the comparison that is asked about or shown
let data = null;
let sliders = [];

const eyebrow = make("p", { class: "eyebrow" });
const headline = make("h2", {});
const reading = make("p", { class: "reasons" });
const said = make("div", { role: "status" }, headline, reading);
const mixBox = make("div", { class: "mix-sliders" });
const presets = make("div", { class: "chips", role: "group", "aria-label": "Ready-made mixes" });
const map = make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Cosine of every two uses, with this mix" });
const save = make("a", { class: "plain", download: "mix.csv" }, "Download CSV");
const kept = make("span", { class: "said", role: "status" });
const link = button("Copy link", null, { "data-link": "" });
const mixer = make("section", { class: "card verdict mixer", "aria-label": "Mix the layers yourself" }, eyebrow, said,
  make("div", { class: "mixer-parts" }, make("div", { class: "mix-side" }, mixBox, presets), map),
  hint("Colour: from 0.00 (light) to 1.00 (identical). What two random words score with a mix of your own was not measured, so compare the pairs with each other."),
  make("div", { class: "actions" }, link, button("Download PNG", null, { "data-png": "mix" }), save, kept));

const spelling = wordBox("what-if-spelling", { maxlength: "50", "aria-describedby": "what-if-hint" });
const swaps = make("div", { class: "chips", role: "group", "aria-label": "Ready-made spellings" });
const spell = make("section", { class: "card verdict speller", "aria-label": "Swap or misspell the word" },
  make("p", { class: "eyebrow" }, "Swap or misspell"),
  make("form", { onsubmit: (event) => { event.preventDefault(); ask("respell"); } },
    make("label", { for: "what-if-spelling" }), make("div", { class: "one-line" }, spelling, make("button", { type: "submit", class: "primary" }, "Show what it does")),
    hint("The model reads words letter by letter, so it has a vector for every spelling, also for ones it never saw. One word, up to 50 letters.", "what-if-hint"), swaps));
element.append(mixer, spell);

const answers = questions({ props, trigger, watch }, { answer: onAnswer, all: true, lost: (text, asked) => {
  if (asked?.action === "products") {
    shown = null; // so that it is asked again
    headline.textContent = "No answer yet.";
  }
  complain(asked?.action === "respell" ? spell : mixer, text, () => ask(asked?.action || "products"));
} });

function queryNow() {
  return document.querySelector(".answer[data-query]")?.dataset.query || location.search.slice(1);  // an answer to come, if a link was opened
}
function ask(action) {
  const query = queryNow();
  if (action === "products") {
    if (query === shown) return;
    shown = query;
  }
  answers.ask({ action, query, spelling: spelling.value });
}
function weights() {
  const raw = sliders.map((slider) => Number(slider.value));
  const sum = raw.reduce((a, b) => a + b, 0);
  return sum > 0 ? raw.map((value) => value / sum) : raw.map(() => 1 / raw.length);
}
function cosines() {
  const w = weights();
  const n = data.uses.length;
  const inner = (i, j) => {
    let sum = 0;
    for (let l = 0; l < w.length; l++) for (let m = 0; m < w.length; m++) sum += w[l] * w[m] * data.products[l][m][i][j];
    return sum;
  };
  const norms = Array.from({ length: n }, (_, i) => Math.sqrt(Math.max(inner(i, i), 1e-24)));
  return norms.map((a, i) => norms.map((b, j) => (i === j ? 1 : Math.max(-1, Math.min(1, inner(i, j) / (a * b))))));
}
function cell(value, same) {
  // The name self alone in quotes would be an event to gradio, put into the settings of the page, which it then cannot copy.
  if (same) return make("td", { class: "same self" }, number(value));
  return make("td", { class: "heat", style: props.colours[Math.round(100 * Math.max(0, value))] }, number(value));
}
function draw() {
  const table = cosines();
  const w = weights();
  sliders.forEach((slider, at) => {
    slider.setAttribute("aria-valuetext", percent(w[at]));
    slider.closest("li").querySelector(".value").textContent = percent(w[at]);
  });
  const pairs = [];
  table.forEach((row, i) => row.forEach((value, j) => { if (i < j) pairs.push([i, j, value]); }));
  pairs.sort((a, b) => b[2] - a[2]);
  const [best, worst] = [pairs[0], pairs.at(-1)];
  const apart = best[2] - worst[2];
  eyebrow.textContent = `What if the layers were mixed otherwise? “${data.word}” in ${data.uses.length} sentences`;
  if (pairs.length === 1) headline.textContent = `With this mix the two uses have a cosine of ${number(best[2])}.`;
  else if (apart < 0.005) headline.textContent = `With this mix all pairs score ${number(best[2])}: it cannot tell the uses apart.`;
  else headline.textContent = `With this mix uses ${best[0] + 1} and ${best[1] + 1} are the closest (${number(best[2])}), ${worst[0] + 1} and ${worst[1] + 1} the furthest apart (${number(worst[2])}).`;
  reading.textContent = pairs.length === 1 || apart < 0.005 ? "" : `All pairs lie within ${number(apart)} of each other. More of layer 0, which sees letters only, makes uses of one spelling more alike.`;
  const head = make("tr", {}, make("td"), ...data.uses.map((_, at) => make("th", { scope: "col" }, badge(0, String(at + 1), `use ${at + 1}`))));
  const rows = table.map((row, i) => make("tr", {}, make("th", { scope: "row" }, make("span", { class: "rowhead" }, badge(0, String(i + 1), `use ${i + 1}`),
    make("span", { class: "snippet" }, data.uses[i].snippet[0], make("b", {}, data.uses[i].snippet[1]), data.uses[i].snippet[2]))),
  ...row.map((value, j) => cell(value, i === j))));
  map.dataset.picture = `Cosine of every two uses, mixed from ${data.layers.map((name, at) => `layer ${name}: ${percent(w[at])}`).join(", ")}`;
  link.dataset.link = `${shown}${shown ? "&" : ""}tab=weights&mix=${w.map((share) => Math.round(100 * share)).join(",")}`;
  kept.textContent = "";
  map.replaceChildren(make("table", { class: "map" }, make("caption", {}, "Cosine of every two uses, with this mix"), make("thead", {}, head), make("tbody", {}, ...rows)));
  save.href = `data:text/csv;charset=utf-8,${encodeURIComponent(`\ufeff${csv(table, w)}`)}`;
}
function csv(table, w) {
  const header = ["use", "sentence", ...data.uses.map((_, at) => `cosine with ${at + 1}`), ...data.layers.map((name) => `weight of layer ${name}`)];
  const rows = table.map((row, i) => [String(i + 1), csvCell(data.uses[i].sentence), ...row.map((v) => v.toFixed(6)), ...w.map((v) => v.toFixed(6))]);
  return [header.map(csvCell), ...rows].map((row) => row.join(",")).join("\r\n");
}
function put(shares) {
  sliders.forEach((slider, at) => { slider.value = String(Math.round(100 * shares[at])); });
  draw();
}
// The mix that a link holds, as whole percent: mix=20,30,50.
function linked(n) {
  const shares = (new URLSearchParams(location.search).get("mix") || "").split(",").map(Number);
  return shares.length === n && shares.every((share) => share >= 0 && share <= 100) ? shares.map((share) => share / 100) : null;
}
function fill() {
  const names = data.layers;
  // What a person set stays when they come back with other sentences.
  const before = sliders.length === names.length ? weights() : null;
  sliders = names.map((name, at) => make("input", { type: "range", min: "0", max: "100", step: "1", id: `mix-${at}`, oninput: draw }));
  mixBox.replaceChildren(make("ul", { role: "list" }, ...names.map((name, at) => make("li", { class: `g${at % 6}` },
    make("label", { for: `mix-${at}` }, badge(at, name, `layer ${name}`), at === 0 ? ` Layer ${name}: letters only` : ` Layer ${name}`), sliders[at], make("span", { class: "value" })))));
  const even = names.map(() => 1 / names.length);
  const alone = (layer) => names.map((_, at) => (at === layer ? 1 : 0));
  const chips = [["All alike", even], ...names.map((name, at) => [`Layer ${name} alone`, alone(at)]),
    ...data.heads.map((head) => [`As “${head.title}” learned it`, head.weights])];
  presets.replaceChildren(...chipsOf(chips.map(([title, shares]) => [title, () => put(shares)])).children);
  put(before || linked(names.length) || even);
  const w = data.word;
  spell.querySelector("label").textContent = `Put this in the place of “${w}”`;
  const doubled = w + w.slice(-1);
  const turned = w.length > 3 ? w.slice(0, 1) + w[2] + w[1] + w.slice(3) : w;
  const ready = [...new Set([doubled, turned, w.toUpperCase(), `${w}s`])].filter((s) => s !== w);
  swaps.replaceChildren(...chipsOf(ready.map((s) => [s, () => { spelling.value = s; ask("respell"); }])).children);
  if (!spelling.value) spelling.placeholder = doubled;
}
function onAnswer(value) {
  for (const card of [mixer, spell]) settle(card);
  if (value.products) {
    data = value;
    fill();
  } else if (value.note) {
    data = null;
    eyebrow.textContent = "What if the layers were mixed otherwise?";
    headline.textContent = value.note;
    reading.textContent = "Change it in the Compare tab, then come back.";
  }
  hideWithout();
}
function hideWithout() {
  for (const part of [...mixer.querySelectorAll(".mixer-parts, .hint, .actions"), spell]) part.hidden = !data;
}

hideWithout();
headline.textContent = "Reading the sentences…";
// The comparison may have changed while another tab was open.
new IntersectionObserver(([entry]) => { if (entry.isIntersecting) ask("products"); }).observe(element);
