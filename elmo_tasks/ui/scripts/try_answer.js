// The answer of the Try tab; word_tips.js stands before it.
// Gradio runs this as a function body with `element` and `watch`.

// What a person opened or closed stays so when the next answer comes while they type.
const unfolded = new Map();
function* folds() {
  const seen = {};
  for (const fold of element.querySelectorAll("details")) {
    const title = fold.querySelector("summary").textContent;
    seen[title] = (seen[title] || 0) + 1;
    yield [`${title} ${seen[title]}`, fold];
  }
}
element.addEventListener("click", (event) => {
  const fold = event.target.closest?.("summary")?.parentElement;
  for (const [name, other] of folds()) if (other === fold) unfolded.set(name, !fold.open);
});
watch("value", () => {
  for (const [name, fold] of folds()) if (unfolded.has(name)) fold.open = unfolded.get(name);
});

// Texts that a person puts right, by kind of task, until they train on them: kept in the page only.
const kept = { classification: new Map(), tagging: new Map() };
const bases = {}; // what the head was trained on, if more can be added to it
function showKept() {
  for (const place of element.querySelectorAll(".examples-kept")) {
    const { kind } = place.dataset;
    const { size } = kept[kind];
    place.replaceChildren(...(size ? [`${size} example${size > 1 ? "s" : ""} kept. `,
      elmo.make("button", { type: "button", class: "plain", onclick: () => trainOn(kind) }, "Train with them")] : []));
  }
}
function trainOn(kind) {
  [...document.querySelectorAll("[role=tab]")].find((tab) => tab.textContent.trim() === "Train")?.click();
  let tries = 0;
  const examples = [...kept[kind].values()];
  const hand = () => { // the other tab is drawn when it is first opened
    const form = document.querySelector(".train-editor");
    if (form) form.dispatchEvent(new CustomEvent("examples", { bubbles: true, detail: { kind, examples, base: bases[kind] } }));
    else if (++tries < 100) setTimeout(hand, 50);
  };
  hand();
}
element.addEventListener("click", (event) => {
  const row = event.target.closest?.("button")?.closest(".correct");
  if (!row) return;
  const { kind, text, base } = row.dataset;
  kept[kind].set(text, { text: row.querySelector("textarea")?.value ?? text, label: row.querySelector("select")?.value });
  bases[kind] = base;
  showKept();
});
watch("value", () => requestAnimationFrame(showKept));
