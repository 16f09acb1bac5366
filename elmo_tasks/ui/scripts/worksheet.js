// "Print work sheet": the sentences of the answer with empty boxes, and nothing of what the model found. One listener for all
// [data-worksheet] buttons; runs once, in the head, and in a saved page.

elmo.when(document, "click", "[data-worksheet]", (button) => {
  const { make } = elmo;
  const answer = button.closest(".answer");
  // In their own order, not by meaning, which would give the answer away.
  const seen = [...answer.querySelectorAll(".meanings-card li")]
    .map((item) => [Number(item.querySelector(".badge").textContent), item.querySelector("p").cloneNode(true)])
    .sort(([a], [b]) => a - b);
  const box = () => make("i", { class: "tick" });
  const sheet = make("section", { class: "worksheet" },
    make("p", { class: "for-name" }, "Name: ______________________________   Date: ______________"),
    make("h1", {}, button.dataset.worksheet),
    make("p", {}, "In which sentences does the marked word mean the same? Give A to the first meaning, B to the next, and so on."),
    make("ol", {}, ...seen.map(([, text]) => make("li", {}, text, make("span", { class: "ticks" }, ..."ABCD".split("").map((letter) => make("span", {}, box(), letter)))))),
    ..."ABCD".split("").map((letter) => make("p", { class: "line-for" }, `Meaning ${letter}: `)),
    make("p", { class: "line-for" }, "The words that told me: "));
  document.querySelector(".worksheet")?.remove();
  document.body.append(sheet);
  document.body.classList.add("prints-worksheet");
  window.addEventListener("afterprint", () => { document.body.classList.remove("prints-worksheet"); sheet.remove(); }, { once: true });
  window.print();
});
