// The runs of the Train tab: what a person opened stays open when the next news comes.
// Gradio runs this as a function body with `element` and `watch`.

const unfold = elmo.remembered(element);
watch("value", () => requestAnimationFrame(unfold));
