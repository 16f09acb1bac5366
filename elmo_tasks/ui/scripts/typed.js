// What a person types to train on, in boxes that become a file. Stands before train_form.js, inside the same function body.

const STAY = "They stay on the machine that runs this app.";
const linesOf = (box) => box.value.split("\n").map((line) => line.trim()).filter(Boolean);
function addLine(box, text) {
  if (!linesOf(box).includes(text.trim())) box.value = [box.value.trimEnd(), text].filter(Boolean).join("\n");
  elmo.grow(box);
}
const counted = (n, what) => (n ? `${n} ${what}${n > 1 ? "s" : ""} so far.` : "");

// A label each, an example a line: a file of JSON lines.
function typedExamples({ make, button, hint, grow }, onchange) {
  const MOST = 8;
  const boxes = make("div", { class: "typed" });
  const more = button("Add a label", () => { add(); boxes.lastElementChild.querySelector("input").focus(); });
  const said = make("p", { class: "hint", role: "status" });
  const labelOf = (box) => box.querySelector("input").value.trim();

  function add(label = "", lines = []) {
    const at = boxes.children.length + 1;
    const name = make("input", { type: "text", id: `typed-label-${at}`, maxlength: "40", autocomplete: "off", value: label, placeholder: at === 1 ? "such as complaint" : at === 2 ? "such as praise" : "", onchange });
    const text = make("textarea", { id: `typed-lines-${at}`, rows: "3", "aria-describedby": "typed-hint", oninput: () => { grow(text); count(); }, onchange });
    text.value = lines.join("\n");
    boxes.append(make("div", { class: "typed-box" }, make("label", { for: name.id }, `Label ${at}`), name,
      make("label", { for: text.id }, "Its examples, one a line"), text));
    more.hidden = at >= MOST;
    count();
  }
  const rows = () => [...boxes.children].flatMap((box) => linesOf(box.querySelector("textarea")).map((text) => ({ text, label: labelOf(box) })));
  const count = () => { said.textContent = counted(rows().length, "example"); };
  // What is missing, in words; empty if there is enough to send.
  function missing() {
    if (!rows().length) return "Type some examples, one a line.";
    return rows().some((row) => !row.label) ? "Give each label a name." : "";
  }
  const file = () => new File(rows().map((row) => `${JSON.stringify(row)}\n`), "my examples.jsonl", { type: "application/jsonl" });
  function put({ label, text }) {
    const all = [...boxes.children];
    const box = all.find((one) => labelOf(one) === label) || all.find((one) => !labelOf(one) && !one.querySelector("textarea").value.trim());
    if (!box) return add(label, [text]);
    box.querySelector("input").value = label;
    addLine(box.querySelector("textarea"), text);
    count();
  }
  add();
  add();
  const element = make("div", { class: "field" }, boxes, more,
    hint(`Twenty or more in all, a few hundred for a useful result. ${STAY}`, "typed-hint"), said);
  return { element, file, missing, put };
}

// Sentences with names marked in them, one a line, typed or put right in Try: a .marked file.
function typedSentences({ make, hint, grow }, onchange) {
  const said = make("p", { class: "hint", role: "status" });
  const box = make("textarea", { id: "typed-sentences", rows: "5", dir: "auto", spellcheck: "false", placeholder: "[Mara Lind](PER) moved to [Lisbon](LOC).",
    "aria-describedby": "typed-sentences-hint", oninput: () => { grow(box); count(); }, onchange });
  const count = () => { said.textContent = counted(linesOf(box).length, "sentence"); };
  function put({ text }) {
    addLine(box, text);
    count();
  }
  const element = make("div", { class: "field typed" }, make("label", { for: box.id }, "Your sentences, one a line"), box,
    hint(`Square brackets around a name, what it is behind them: [Mara Lind](PER). Twenty sentences or more in all, a few hundred for a useful result. ${STAY}`, "typed-sentences-hint"), said);
  const missing = () => (linesOf(box).length ? "" : "Type some sentences, one a line.");
  const file = () => new File([linesOf(box).join("\n")], "my sentences.marked", { type: "text/plain" });
  return { element, file, missing, put };
}
