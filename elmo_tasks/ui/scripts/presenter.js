// A second window for the one who presents: notes, what comes next, and a clock, in step with the first. present.js uses it.

function presenter(now, move) {
  let other = null;
  let began = 0;
  let timer = 0;
  const STYLE = "body{margin:0;padding:1.4rem 1.8rem;background:#12171c;color:#ece8df;font:20px/1.5 system-ui,sans-serif;display:grid;gap:1rem;align-content:start}"
    + "h1{font:700 1.6rem/1.2 Georgia,serif;margin:0}p{margin:0}.notes{font-size:1.25rem}.next,.clock{color:#a9b2bb}.clock{font-variant-numeric:tabular-nums}"
    + "button{font:700 1rem/1.2 system-ui,sans-serif;padding:.6rem 1.2rem;border-radius:8px;border:1px solid #74d0c9;background:none;color:#74d0c9;cursor:pointer;margin-right:.6rem}";
  const two = (value) => String(value).padStart(2, "0");

  function open() {
    if (other && !other.closed) return other.focus();
    other = window.open("", "elmo-presenter", "popup,width=760,height=620");
    if (!other) return false;
    began = Date.now();
    build();
    clearInterval(timer);
    timer = setInterval(tick, 1000);
    show();
    return true;
  }
  function build() {
    const page = other.document;
    page.title = "Presenter";
    page.head.replaceChildren(elmo.make("style", {}, STYLE));
    page.body.replaceChildren(elmo.make("h1", { role: "status" }), elmo.make("p", { class: "notes" }), elmo.make("p", { class: "next" }),
      elmo.make("div", {}, elmo.make("button", { type: "button", onclick: () => move(-1) }, "← Back"),
        elmo.make("button", { type: "button", onclick: () => move(1) })), elmo.make("p", { class: "clock" }),
      elmo.make("div", {}, elmo.make("button", { type: "button", onclick: () => { began = Date.now(); tick(); } }, "Clock to 0:00")));
    other.addEventListener("keydown", (event) => {
      const way = { PageDown: 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1 }[event.key];
      if (way) { event.preventDefault(); move(way); }
    });
  }
  // The window is the person's: one that was loaded again is built again, one that shows another site is let go.
  function its() {
    try {
      if (!other || other.closed) return null;
      if (!other.document.querySelector(".clock")) build();
      return other.document;
    } catch {
      other = null;
      return null;
    }
  }
  function show() {
    const page = its();
    if (!page) return;
    const { title, notes, next, button } = now();
    page.querySelector("h1").textContent = title;
    page.querySelector(".notes").textContent = notes;
    page.querySelector(".next").textContent = next ? `Then: ${next}` : "This is the last step.";
    page.querySelectorAll("button")[1].textContent = button;
    tick();
  }
  function tick() {
    if (!other || other.closed) return clearInterval(timer);
    if (!its()?.querySelector("h1").textContent) return show();
    const seconds = Math.floor((Date.now() - began) / 1000);
    const time = new Date();
    its().querySelector(".clock").textContent = `${two(time.getHours())}:${two(time.getMinutes())} · ${Math.floor(seconds / 60)}:${two(seconds % 60)} gone`;
  }
  window.addEventListener("pagehide", () => other?.close());
  return { open, show };
}
