// The answer of the Try tab; word_tips.js stands before it.
// Gradio runs this as a function body with `element` and `watch`.

const { when, button, hand, remembered } = elmo;

watch("value", remembered(element));

// Texts that a person puts right, by kind of task, until they train on them: kept in the page only.
const kept = { classification: new Map(), tagging: new Map() };
const bases = {}; // what the head was trained on, if more can be added to it
function showKept() {
  for (const place of element.querySelectorAll(".examples-kept")) {
    const { kind } = place.dataset;
    const examples = [...kept[kind].values()];
    const train = button("Train with them", () => hand("Train", ".train-editor", "examples", { kind, examples, base: bases[kind] }));
    place.replaceChildren(...(examples.length ? [`${examples.length} example${examples.length > 1 ? "s" : ""} kept. `, train] : []));
  }
}
when(element, "click", ".correct button", (pressed) => {
  const row = pressed.closest(".correct");
  const { kind, text, base } = row.dataset;
  kept[kind].set(text, { text: row.querySelector("textarea")?.value ?? text, label: row.querySelector("select")?.value });
  bases[kind] = base;
  showKept();
});
watch("value", () => requestAnimationFrame(showKept));
