// A box for sentences with names marked in them, one a line, typed or put right in Try. They become a .marked file.
// Stands before train_form.js, inside the same function body.

function typedSentences({ make, grow }, onchange) {
  const counted = make("p", { class: "hint", role: "status" });
  const box = make("textarea", { id: "typed-sentences", rows: "5", dir: "auto", spellcheck: "false", placeholder: "[Mara Lind](PER) moved to [Lisbon](LOC).",
    "aria-describedby": "typed-sentences-hint", oninput: () => { grow(box); count(); }, onchange });
  const lines = () => box.value.split("\n").map((line) => line.trim()).filter(Boolean);
  function count() {
    const n = lines().length;
    counted.textContent = n ? `${n} sentence${n > 1 ? "s" : ""} so far.` : "";
  }
  function put({ text }) {
    if (!lines().includes(text)) box.value = [box.value.trimEnd(), text].filter(Boolean).join("\n");
    grow(box);
    count();
  }
  const element = make("div", { class: "field typed" }, make("label", { for: box.id }, "Your sentences, one a line"), box,
    make("p", { class: "hint", id: "typed-sentences-hint" }, "Square brackets around a name, what it is behind them: [Mara Lind](PER). Twenty sentences or more in all, a few hundred for a useful result. They stay on the machine that runs this app."), counted);
  return {
    element, put,
    missing: () => (lines().length ? "" : "Type some sentences, one a line."),
    file: () => new File([lines().join("\n")], "my sentences.marked", { type: "text/plain" }),
  };
}
