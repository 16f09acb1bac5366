// An answer in which the folds that a person opened stay open when it is drawn again.
// Gradio runs this as a function body with `element` and `watch`.

const unfold = elmo.remembered(element);
watch("value", () => requestAnimationFrame(unfold));
