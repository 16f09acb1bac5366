// A word tells what happens without it when it is pointed at, tapped or reached by key.

function tell(word) {
  const line = word.closest(".occlusion")?.querySelector(".tip");
  if (line && line.textContent !== word.dataset.tip) line.textContent = word.dataset.tip;
}
elmo.when(element, "mouseover", "[data-tip]", tell);
elmo.when(element, "focusin", "[data-tip]", tell);
elmo.when(element, "click", "[data-tip]", (word) => word.focus());
elmo.when(element, "keydown", "[data-tip]", (word, event) => {
  const words = [...word.parentElement.querySelectorAll("[data-tip]")];
  const here = words.indexOf(word);
  const at = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: words.length - 1 }[event.key];
  if (at === undefined || !words[at]) return;
  event.preventDefault();
  word.tabIndex = -1;
  words[at].tabIndex = 0;
  words[at].focus();
});
