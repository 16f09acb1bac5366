// The answer of the Try tab: what a person opened stays open; word_tips.js stands before it.
// Gradio runs this as a function body with `element` and `watch`.

watch("value", elmo.remembered(element));
