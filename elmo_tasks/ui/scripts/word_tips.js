// A word tells what happens without it when it is pointed at, tapped or reached by key.
// Gradio runs this as the beginning of a function body with `element`; the script of the part follows it.

function tell(word) {
  const line = word.closest(".occlusion")?.querySelector(".tip");
  if (line && line.textContent !== word.dataset.tip) line.textContent = word.dataset.tip;
}
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
