// The answer of the Try tab: a word tells what happens without it when it is pointed at, tapped or reached by key.
// Gradio runs this as a function body with `element` and `watch`.

function tell(word) {
  const line = word.closest(".pushes")?.querySelector(".tip");
  if (line && line.textContent !== word.dataset.tip) line.textContent = word.dataset.tip;
}
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

const wordOf = (event) => event.target.closest?.("[data-tip]");
element.addEventListener("mouseover", (event) => { const word = wordOf(event); if (word) tell(word); });
element.addEventListener("click", (event) => { const word = wordOf(event); if (word) word.focus(); });
element.addEventListener("focusin", (event) => { const word = wordOf(event); if (word) tell(word); });
element.addEventListener("keydown", (event) => {
  const word = wordOf(event);
  if (!word) return;
  const words = [...word.parentElement.querySelectorAll("[data-tip]")];
  const forward = getComputedStyle(word.parentElement).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
  const back = forward === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
  const at = { [forward]: words.indexOf(word) + 1, [back]: words.indexOf(word) - 1, Home: 0, End: words.length - 1 }[event.key];
  if (at === undefined || !words[at]) return;
  event.preventDefault();
  word.tabIndex = -1;
  words[at].tabIndex = 0;
  words[at].focus();
});
