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
