// Boxes for examples that a person types: a label each, an example a line. They become a file of JSON lines.
// Stands before train_form.js, inside the same function body.

function typedExamples({ make, grow }, onchange) {
  const MOST = 8;
  const boxes = make("div", { class: "typed" });
  const more = make("button", { type: "button", class: "plain", onclick: () => { add(); boxes.lastElementChild.querySelector("input").focus(); } }, "Add a label");
  const counted = make("p", { class: "hint", role: "status" });

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
  const rows = () => [...boxes.children].flatMap((box) => {
    const label = box.querySelector("input").value.trim();
    const lines = box.querySelector("textarea").value.split("\n").map((line) => line.trim()).filter(Boolean);
    return lines.map((text) => ({ text, label }));
  });
  function count() {
    const found = rows();
    counted.textContent = found.length ? `${found.length} example${found.length > 1 ? "s" : ""} so far.` : "";
  }
  // What is missing, in words; empty if there is enough to send.
  function missing() {
    const found = rows();
    if (!found.length) return "Type some examples, one a line.";
    if (found.some((row) => !row.label)) return "Give each label a name.";
    return "";
  }
  const file = () => new File(rows().map((row) => `${JSON.stringify(row)}\n`), "my examples.jsonl", { type: "application/jsonl" });
  function put({ label, text }) {
    const same = [...boxes.children].find((box) => box.querySelector("input").value.trim() === label);
    const free = [...boxes.children].find((box) => !box.querySelector("input").value.trim() && !box.querySelector("textarea").value.trim());
    if (!same && !free) return add(label, [text]);
    const box = same || free;
    const lines = box.querySelector("textarea");
    box.querySelector("input").value = label;
    if (!lines.value.split("\n").includes(text)) lines.value = [lines.value.trimEnd(), text].filter(Boolean).join("\n");
    grow(lines);
    count();
  }
  add();
  add();
  const element = make("div", { class: "field" }, boxes, more,
    make("p", { class: "hint", id: "typed-hint" }, "Twenty or more in all, a few hundred for a useful result. They stay on the machine that runs this app."), counted);
  return { element, file, missing, put };
}
