// The Layer weights tab: all heads are in the page, the list shows one of them.
// Gradio runs this as a function body with `element`, `trigger` and `watch`.

let chosen = "0";

function show() {
  const select = element.querySelector("#weights-head");
  if (!select) return;
  if ([...select.options].some((option) => option.value === chosen)) select.value = chosen;
  for (const panel of element.querySelectorAll("[data-head]")) panel.hidden = panel.dataset.head !== select.value;
}
element.addEventListener("change", (event) => {
  if (event.target.id !== "weights-head") return;
  chosen = event.target.value;
  show();
});
watch("value", show);
trigger("submit");
