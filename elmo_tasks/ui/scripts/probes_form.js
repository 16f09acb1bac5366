// The tab What each layer knows: asks once, when it is first shown.
// Gradio runs this as a function body with `element`, `trigger`, `props` and `watch`.

const { questions, complain, settle } = elmo;
const answers = questions({ props, trigger, watch }, {
  answer: () => settle(element.firstElementChild),
  lost: (text) => complain(element.firstElementChild, text, () => answers.ask({})),
});
answers.ask({});
