// A fold below a comparison: it asks for its answer when it is opened, and again when another pair or layer is chosen.
// Gradio runs this, behind word_tips.js, as a function body with `element`, `trigger` and `watch`.

let query = ""; // of the comparison that the page shows
let open = false;
let chooser = ""; // which list was used last, to give it the focus back

const card = () => element.querySelector("details.asked");

function ask(choice = {}) {
  card().querySelector(".asked-body").setAttribute("aria-busy", "true");
  card().dataset.state = "busy";
  trigger("submit", { query, ...choice });
}
function show() {
  const fold = card();
  if (!fold) return;
  const { state } = fold.dataset;
  if (state === "closed") query = fold.dataset.query;
  if (fold.open !== open) fold.open = open;
  // Another comparison came while this answer was on its way.
  const stale = state === "done" && fold.dataset.query !== query;
  if (open && (state === "closed" || stale)) ask();
  if (chooser) element.querySelector(`select[name="${chooser}"]`)?.focus();
  chooser = "";
}
element.addEventListener("toggle", (event) => {
  if (event.target !== card()) return;
  open = event.target.open;
  if (open && event.target.dataset.state === "closed") ask();
}, true);
element.addEventListener("change", (event) => {
  if (!event.target.closest(".choosers")) return;
  chooser = event.target.name;
  const [pair, layer] = ["pair", "layer"].map((name) => element.querySelector(`select[name="${name}"]`).value);
  ask({ pair, layer });
});
watch("value", show);
show();
