// A word of explanation at a term of the field: pointed at, tapped or reached by key. Escape, a tap elsewhere or leaving it closes
// it. Runs once, in the head: one listener for all [data-explains] buttons of the page.

(() => {
  const GAP = 6;
  // A popover lies above everything, the full screen included.
  const bubble = elmo.make("div", { id: "term-tip", class: "term-tip", popover: "manual", role: "tooltip" });
  let shown = null;

  const termOf = (event) => event.target.closest?.("[data-explains]") ?? null;
  function show(term) {
    if (shown === term) return;
    hide();
    shown = term;
    (document.fullscreenElement ?? document.querySelector(".gradio-container")).append(bubble);
    bubble.textContent = term.dataset.explains;
    term.setAttribute("aria-describedby", bubble.id);
    bubble.showPopover();
    const at = term.getBoundingClientRect();
    const { width, height } = bubble.getBoundingClientRect();
    const below = at.bottom + GAP + height < innerHeight || at.top < height + GAP;
    bubble.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - width - GAP))}px`;
    bubble.style.top = `${below ? at.bottom + GAP : at.top - GAP - height}px`;
  }
  function hide() {
    if (!shown) return;
    shown.removeAttribute("aria-describedby");
    shown = null;
    if (bubble.matches(":popover-open")) bubble.hidePopover();
  }

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    const term = termOf(event);
    if (term) show(term);
    else if (shown !== document.activeElement && !bubble.contains(event.target)) hide(); // what is pointed at may be read
  });
  for (const type of ["focusin", "click"]) document.addEventListener(type, (event) => (termOf(event) ? show(termOf(event)) : hide()));
  elmo.when(document, "focusout", "[data-explains]", hide);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !shown) return;
    hide();
    event.stopPropagation(); // and not the full screen, too
  }, true);
  document.addEventListener("scroll", hide, true);
})();
