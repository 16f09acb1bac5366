// A fold below a comparison: it asks for its answer when it is opened, and again when another pair or layer is chosen.

const { make, button, when, requests } = elmo;
const card = () => element.querySelector("details.on-demand");
const body = () => card()?.querySelector(".on-demand-body");
let open = false;
let query = ""; // of the comparison above
let groups = []; // that of each of its uses
let chooser = ""; // which list was used last, to give it the focus back

const answers = requests({ props, trigger, watch }, { lost, busy: (is) => body()?.setAttribute("aria-busy", String(is)) });
function lost(text, request) {
  body()?.prepend(make("div", { class: "note error lost", role: "alert" }, make("p", {}, text),
    button("Ask again", () => ask(request), { class: "chip" })));
}
function ask(choice = {}) {
  element.querySelector(".lost")?.remove();
  answers.ask({ ...choice, query, groups });
}
function show() {
  const { state } = props.value;
  if (state === "closed") ({ query, groups } = props.value);
  const fold = card();
  if (!fold) return;
  if (fold.open !== open) fold.open = open;
  askIfNew();
  if (chooser) element.querySelector(`select[name="${chooser}"]`)?.focus();
  chooser = "";
}
// The answer may belong to an earlier comparison: another was requested before it arrived.
function askIfNew() {
  const old = props.value.state === "closed" || props.value.query !== query;
  if (open && old && !answers.waits()) ask();
}
when(element, "toggle", "details.on-demand", (fold, { target }) => {
  if (fold !== target) return; // another fold in it
  open = fold.open;
  askIfNew();
}, true);
when(element, "change", ".choosers", (_, { target }) => {
  chooser = target.name;
  const [pair, layer] = ["pair", "layer"].map((name) => element.querySelector(`select[name="${name}"]`).value);
  ask({ pair, layer });
});
watch("value", show);
show();
