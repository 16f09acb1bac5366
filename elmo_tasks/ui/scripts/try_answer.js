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

// Texts that a person puts right, until they train on them: kept in the page only.
const kept = new Map();
let base = ""; // what the head was trained on, if more can be added to it
function showKept() {
  const place = element.querySelector(".examples-kept");
  if (!place) return;
  place.replaceChildren(...(kept.size ? [`${kept.size} example${kept.size > 1 ? "s" : ""} kept. `,
    elmo.make("button", { type: "button", class: "plain", onclick: trainOn }, "Train with them")] : []));
}
function trainOn() {
  [...document.querySelectorAll("[role=tab]")].find((tab) => tab.textContent.trim() === "Train")?.click();
  let tries = 0;
  const examples = [...kept].map(([text, label]) => ({ text, label }));
  const hand = () => { // the other tab is drawn when it is first opened
    const form = document.querySelector(".train-editor");
    if (form) form.dispatchEvent(new CustomEvent("examples", { bubbles: true, detail: { examples, base } }));
    else if (++tries < 100) setTimeout(hand, 50);
  };
  hand();
}
element.addEventListener("click", (event) => {
  const row = event.target.closest?.("button")?.closest(".correct");
  if (!row) return;
  kept.set(row.dataset.text, row.querySelector("select").value);
  ({ base } = row.dataset);
  showKept();
});
watch("value", () => requestAnimationFrame(showKept));
