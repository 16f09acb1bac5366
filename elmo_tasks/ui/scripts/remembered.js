// An answer in which the folds that a person opened stay open when it is drawn again.

const unfold = elmo.remembered(element);
watch("value", () => requestAnimationFrame(unfold));
