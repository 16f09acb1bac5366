// What the forms of all tabs share: elements, messages at fields, and the protocol of a question. Runs once, in the head.

window.elmo = (() => {
  const PATIENCE = 60_000; // milliseconds after which a question counts as lost, for example with the connection
  const LOST = "No answer has come for a minute. Is the connection lost? Ask again.";
  const FAILED = "The program failed on this, not you: whoever runs it finds the reason in its log.";

  // An element with attributes, events (`onclick`, …) and children. Strings become text nodes: nothing a person typed is read as HTML.
  const make = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);
  const draw = (tag, attributes = {}, ...children) => filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  function filled(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === false || value === null) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children);
    return node;
  }
  // What happens at parts of a page that match, also at those that are drawn later.
  function when(root, type, selector, act, options) {
    root.addEventListener(type, (event) => {
      const found = event.target.closest?.(selector);
      if (found) act(found, event);
    }, options);
  }
  const button = (title, onclick, attributes = {}) => make("button", { type: "button", class: "plain", onclick, ...attributes }, title);
  const hint = (text, id = null) => make("p", { class: "hint", id }, text);
  const options = (entries) => entries.map(({ name, title }) => make("option", { value: name }, title));
  const chips = (entries, attributes = {}) => make("div", { class: "chips", role: "group", ...attributes },
    ...entries.map(([title, onclick]) => button(title, onclick, { class: "chip" })));
  const field = (id, title, box, ...rest) => make("div", { class: "field" }, make("label", { for: id }, title), box, ...rest);
  // For one word: nothing is corrected or proposed.
  const wordBox = (id, attributes = {}) => make("input", { id, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    "aria-describedby": `${id}-note`, ...attributes });
  const examples = (id, title, entries) => make("div", { class: "field examples" },
    make("p", { class: "label", id }, title), chips(entries, { "aria-labelledby": id }));
  // One of a few choices; `picked` tells which.
  const segments = (name, legend, entries, onchange) => make("fieldset", { class: "field" }, make("legend", {}, legend),
    make("div", { class: "segments" }, ...entries.map(([value, title], at) => make("label", {},
      make("input", { type: "radio", name, value, checked: at === 0, onchange }), make("span", {}, title)))));
  const picked = (set) => set.querySelector("input:checked").value;
  function pick(set, value) {
    const radios = [...set.querySelectorAll("input")];
    (radios.find((radio) => radio.value === value) || radios[0]).checked = true;
  }
  // One model, and those to compare it with: each is chosen once. `chosen()` gives their names, the first one first.
  function models(id, entries, most, note, onchange = () => {}, title = "Model") {
    const first = make("select", { id, "aria-describedby": `${id}-note`, onchange: changed }, ...options(entries));
    const others = make("div", { class: "other-models" });
    const add = button("Add a model to compare with", () => { another().focus(); changed(); }, { class: "plain add-model" });
    const boxes = () => [first, ...others.querySelectorAll("select")];
    const chosen = () => boxes().map((box) => box.value);
    function changed() {
      number();
      onchange();
    }
    function another(name = entries.find((entry) => !chosen().includes(entry.name)).name) {
      const box = make("select", { onchange: changed }, ...options(entries));
      const row = make("div", {}, box, button("×", () => { row.remove(); add.focus(); changed(); }, { class: "remove" }));
      box.value = name;
      others.append(row);
      number();
      return box;
    }
    function number() {
      const all = boxes();
      all.forEach((box, at) => {
        if (at) box.setAttribute("aria-label", `Model ${at + 1}`);
        box.nextElementSibling?.matches(".remove") && box.nextElementSibling.setAttribute("aria-label", `Remove model ${at + 1}`);
        for (const option of box.options) option.disabled = all.some((other) => other !== box && other.value === option.value);
      });
      add.hidden = all.length >= Math.min(most, entries.length);
    }
    function choose(names) {
      const known = [...new Set(names)].filter((name) => entries.some((entry) => entry.name === name)).slice(0, most);
      others.replaceChildren();
      first.value = known[0] || entries[0]?.name || "";
      known.slice(1).forEach((name) => another(name));
      number();
    }
    number();
    // Others are on offer now; what is chosen stays so if it is still there.
    function offer(offered) {
      const before = chosen();
      entries = offered;
      first.replaceChildren(...options(entries));
      choose(before);
    }
    const node = make("div", { class: "field", hidden: entries.length < 2 }, make("label", { for: id }, title), first, others, note || "", add);
    return { node, first, chosen, choose, offer };
  }
  const place = (id) => make("div", { class: "note", id, hidden: true }); // where a message will stand

  // A message at a field. Its choices are ready answers; `use` puts one in.
  function say(box, where, { text, kind = "error", choices = [] }, use) {
    where.className = `note ${kind}`;
    where.setAttribute("role", kind === "error" ? "alert" : "status");
    where.replaceChildren(make("p", {}, text),
      ...choices.map((choice) => button(choice.label, () => use(choice.text), { class: "chip" })));
    where.hidden = false;
    if (kind === "error") box?.setAttribute("aria-invalid", "true");
    const fold = box?.closest("details");
    if (fold) fold.open = true;
    return box;
  }
  function hush(element) {
    for (const where of element.querySelectorAll(".note")) {
      where.hidden = true;
      where.replaceChildren();
    }
    for (const box of element.querySelectorAll("[aria-invalid]")) box.removeAttribute("aria-invalid");
  }
  function busy(button, text) {
    button.dataset.rest ||= button.textContent;
    button.textContent = text || button.dataset.rest;
    button.setAttribute("aria-busy", String(Boolean(text)));
  }
  const narrow = () => innerWidth < 960; // the answer stands below the form
  const away = (selector) => narrow() || document.querySelector(selector)?.getBoundingClientRect().top < 0;
  // Only as far as it takes to see it, on a stage of which the rest is to stay in view; the stage goes back before its next step.
  function glimpse(node) {
    bring(node, "nearest");
    node.dispatchEvent(new Event("glimpsed", { bubbles: true }));
  }
  const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  const bring = (node, block = "start") => node?.scrollIntoView({ block, behavior: isCalm() ? "auto" : "smooth" });
  // A sentence has no line break: the key asks.
  const onEnter = (ask) => (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    ask();
  };
  function grow(box) {
    if (CSS.supports("field-sizing", "content")) return;
    box.style.height = "auto";
    if (box.scrollHeight) box.style.height = `${box.scrollHeight}px`;
  }

  // Marks an answer as old while the form holds something else than what it answers; `state` gives what the form holds.
  function outdated(find, title, again, state) {
    const text = (held) => JSON.stringify(held);
    const sign = make("p", { class: "old-sign", role: "status" }, "The form has changed since this answer. ",
      button(title, again));
    let last = null; // what the answer is to
    function check() {
      const answer = find();
      const isOld = last !== null && answer !== null && text(state()) !== last;
      answer?.classList.toggle("old", isOld);
      if (!isOld) sign.remove();
      else if (sign.parentElement !== answer) answer.prepend(sign);
    }
    function answered(to) {
      last = to && text(to);
      requestAnimationFrame(check); // gradio draws the answer after the form hears of it
    }
    return { check, answered };
  }

  // What a form does while its answer is on its way, and when none comes. `find` gives the answer in view.
  const patience = (submit, doing, find, tell) => ({
    busy: (text, asked) => {
      busy(submit, text === "…" ? doing(asked) : text);
      find()?.classList.toggle("stale", Boolean(text));
    },
    lost: (text) => {
      find()?.querySelector(".waiting")?.replaceChildren(make("p", {}, "No answer yet."));
      tell(text);
    },
  });

  // As wording/text.py says them.
  const number = (value) => value.toFixed(2).replace(/^-0\.00$/, "0.00").replace("-", "−");

  // Questions to the server, one at a time, so that no answer overtakes a newer one. `page` is what gradio gives a script;
  // `busy(text)` hears that an answer is on its way ("" once it is not), `answer(value, question, more)` gets it, `lost(text)` hears
  // that none will come. What is asked meanwhile waits: the last question of all, or with `all` every one. A function is
  // called for its question when its turn comes. `first` is the number of the answer that comes without a question.
  function questions({ props, trigger, watch }, { answer, lost, busy: wait = () => {}, all = false, first = 0, hint = "" }) {
    const line = [];
    let asked = null;
    let number = first;
    let timer = 0;

    function ask(question) {
      if (asked) {
        if (!all) line.length = 0;
        line.push(question);
        return;
      }
      asked = typeof question === "function" ? question() : question;
      hold("…");
      trigger("submit", { question: { ...asked, revision: ++number } });
    }
    function hold(text) {
      clearTimeout(timer);
      timer = setTimeout(giveUp, PATIENCE, LOST);
      wait(text, asked);
    }
    function end() {
      const question = asked;
      clearTimeout(timer);
      asked = null;
      wait("", question);
      return question;
    }
    function giveUp(text) {
      line.length = 0;
      lost(text, end());
    }
    watch("value", () => {
      const { value } = props;
      if (value.revision !== number) return; // of an older question
      if (value.busy) {
        if (asked) hold(value.busy);
        return;
      }
      answer(value, end(), line.length > 0); // also after it was given up: better late than never
      if (line.length && !asked) ask(line.shift());
    });
    window.addEventListener("failed", ({ detail }) => { if (detail === props.part) giveUp(`${FAILED} ${hint}`.trim()); });
    return { ask, waits: () => Boolean(asked) };
  }
  // For a part without a form: a message above it, in its place while it shows nothing but that it waits, and a button that asks again.
  function complain(part, text, again) {
    settle(part);
    part.before(make("div", { class: "note error lost", role: "alert" }, make("p", {}, text),
      button("Ask again", () => { settle(part); again(); }, { class: "chip" })));
    part.hidden = part.querySelector(".waiting") !== null;
  }
  function settle(part) {
    if (part.previousElementSibling?.matches(".lost")) part.previousElementSibling.remove();
    part.hidden = false;
  }
  // A page as a file of the person's own.
  function save(name, content, type = "text/html;charset=utf-8") {
    const address = URL.createObjectURL(new Blob([content], { type }));
    make("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }
  // What the link that the page was opened with holds for a tab; nothing, if it leads to another one.
  function linkOf(tab) {
    const query = new URLSearchParams(location.search);
    return query.get("tab") === tab ? query : new URLSearchParams();
  }
  // What a person opened or closed stays so when `part` is drawn anew: call what this returns then. Folds of one title are numbered.
  function remembered(root, part = () => root) {
    const unfolded = new Map();
    function folds() {
      const seen = {};
      return [...part().querySelectorAll("details")].map((fold) => {
        const title = fold.querySelector("summary").textContent;
        seen[title] = (seen[title] || 0) + 1;
        return [`${title} ${seen[title]}`, fold];
      });
    }
    when(root, "click", "summary", ({ parentElement: fold }) => {
      for (const [name, other] of folds()) if (other === fold) unfolded.set(name, !fold.open);
    });
    return () => { for (const [name, fold] of folds()) if (unfolded.has(name)) fold.open = unfolded.get(name); };
  }
  // The tab that is chosen stands whole in the bar of a narrow page: when it is pressed, and for some seconds after a link has opened one.
  const whole = (tab) => tab?.scrollIntoView({ block: "nearest", inline: "center" });
  when(document, "click", "[role=tab]", whole);
  let shown = null;
  const follow = setInterval(() => {
    const tab = document.querySelector("[role=tab][aria-selected=true]");
    if (tab !== shown) whole(tab);
    shown = tab;
  }, 250);
  setTimeout(clearInterval, 8000, follow);
  return {
    make, draw, when, button, hint, options, field, wordBox, examples, segments, picked, pick, models, place, say, hush, busy, narrow, away, bring, glimpse,
    isCalm, grow, onEnter, outdated, patience, number, questions, complain, settle, save, linkOf, remembered,
  };
})();
