// What the tabs share: elements, messages at fields, and the protocol of a request. Runs once, in the head. Gradio runs the scripts
// of a part as the body of one function, with `element` and `watch`, and in a form with `props` and `trigger`, too.

window.elmo = (() => {
  const PATIENCE = 60_000; // milliseconds after which a request counts as lost, for example with the connection
  const LOST = "No answer has come for a minute. Is the connection lost? Ask again.";
  const FAILED = "The program failed on this, not you: whoever runs it finds the reason in its log.";
  const MAX_BYTES = 2_000_000; // of a file with text

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
  // Lines on a map from a mark or a pin to the marks nearest to it; of all marks, some are lit.
  function tie(map, from, near, lit) {
    const at = (node, n) => ({ [`x${n}`]: node.getAttribute("x"), [`y${n}`]: node.getAttribute("y") });
    map.querySelector(".ties").replaceChildren(...near.map((to) => draw("line", { ...at(from, 1), ...at(to, 2) })));
    for (const mark of map.querySelectorAll(".mark")) mark.classList.toggle("lit", lit.includes(mark));
  }
  // What happens at parts of a page that match, also at those that are drawn later.
  function when(root, type, selector, act, options) {
    root.addEventListener(type, (event) => {
      const found = event.target.closest?.(selector);
      if (found) act(found, event);
    }, options);
  }
  const button = (title, onclick, attributes = {}) => make("button", { type: "button", class: "plain", onclick, ...attributes }, title);

  // A message at a field. Its choices are ready answers; `use` puts one in.
  function showError(box, where, { text, kind = "error", choices = [] }, use) {
    where.className = `note ${kind}`;
    where.setAttribute("role", kind === "error" ? "alert" : "status");
    where.replaceChildren(make("p", {}, text),
      ...choices.map((choice) => button(choice.label, () => use(choice.text), { class: "chip" })));
    where.hidden = false;
    if (kind === "error") box?.setAttribute("aria-invalid", "true");
    return box;
  }
  function clearErrors(element) {
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
  const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  const bring = (node, block = "start") => node?.scrollIntoView({ block, behavior: isCalm() ? "auto" : "smooth" });
  // Mark an answer as old while the form differs from the request that it answers.
  function markOld(selector, title) {
    const answer = document.querySelector(selector);
    if (!answer || answer.matches(".old") || answer.querySelector(".waiting")) return;
    const again = () => answer.closest("[role=tabpanel]").querySelector(".compare-form .primary").click();
    answer.classList.add("old");
    answer.prepend(make("p", { class: "old-sign", role: "status" }, "The form has changed since this answer. ", button(title, again)));
  }
  // What the fields of gradio's own forms hold; an edit that was taken back leaves no answer behind.
  const asked = new WeakMap(); // of each panel, when its answer came
  const fieldsOf = (panel) => JSON.stringify([...panel.querySelectorAll(".compare-form :is(input, textarea)")].map((box) => (box.type === "checkbox" || box.type === "radio" ? box.checked : box.value)));
  function markEdited(panel, selector, title) {
    if (asked.get(panel) === fieldsOf(panel)) markNew(selector);
    else markOld(selector, title);
  }
  // Gradio itself sends no event for a text that is pasted or deleted.
  document.addEventListener("input", ({ target }) => {
    const panel = target.matches('[data-testid="textbox"]') && target.closest("[role=tabpanel]");
    if (panel && panel.querySelector(".map-answer")) edited(".map-answer", "Draw it again");
    if (panel && panel.querySelector(".near-answer")) edited(".near-answer", "Find them again");
  });
  function markNew(selector) {
    const answer = document.querySelector(selector);
    answer?.classList.remove("old");
    answer?.querySelector(".old-sign")?.remove();
  }
  function settled(selector) {
    const panel = document.querySelector(selector)?.closest("[role=tabpanel]");
    if (!panel) return;
    asked.set(panel, fieldsOf(panel));
    // What is wrong is put right in the form.
    if (panel.querySelector(`${selector} > .quiet:not(.waiting)`)) panel.querySelector(".compare-form").classList.add("unfolded");
  }
  function edited(selector, title) {
    const panel = document.querySelector(selector)?.closest("[role=tabpanel]");
    if (panel) markEdited(panel, selector, title);
  }
  function bringAnswer(selector) {
    markNew(selector);
    settled(selector);
    if (narrow()) bring(document.querySelector(selector));
  }
  // A text file of the person's own, read by the browser. Gives the text, the name of the file, and a message.
  function openText(...before) {
    const refused = (name, why) => [...before.slice(0, 2), `<p class="note error" role="alert">${name}: ${why}</p>`];
    return new Promise((resolve) => {
      const box = make("input", { type: "file", class: "text-file", hidden: true, accept: ".txt,.csv,.tsv,.json,.jsonl,text/plain,text/csv",
        onchange: async () => resolve(await read(box.files[0])), oncancel: () => resolve(before) });
      document.querySelector(".text-file")?.remove();
      document.body.append(box);
      box.click();
    });
    async function read(file) {
      const name = make("p", {}, file.name).innerHTML;
      if (file.size > MAX_BYTES) return refused(name, `${(file.size / 1e6).toFixed(1)} MB; the most is 2 MB. Choose a part of it.`);
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (bytes.includes(0)) return refused(name, "not a text file. Save it as plain text (.txt) first.");
      const text = new TextDecoder().decode(bytes);
      // Older programs save in the Windows code page.
      return [text.includes("\ufffd") ? new TextDecoder("windows-1252").decode(bytes) : text, file.name, `<p class="hint" role="status">${name}</p>`];
    }
  }

  // Requests to the server, one at a time, so that no answer overtakes a newer one. `page` is what gradio gives a script;
  // `busy(is)` is called when a request starts or ends; `answer(value, request, more)` when its answer comes; `lost(text)` when
  // none will come. A request made meanwhile waits: the last request, or with `all` every one. A function is called for its
  // request when its turn comes. `first` is the number of the answer that comes without a request.
  function requests({ props, trigger, watch }, { answer = () => {}, lost, busy: wait = () => {}, all = false, first = 0, hint = "" }) {
    const line = [];
    let sent = null;
    let number = first;
    let timer = 0;

    function ask(request) {
      if (sent) {
        if (!all) line.length = 0;
        line.push(request);
        return;
      }
      sent = typeof request === "function" ? request() : request;
      timer = setTimeout(giveUp, PATIENCE, LOST);
      wait(true);
      trigger("submit", { form: { ...sent, revision: ++number } });
    }
    function end() {
      const request = sent;
      clearTimeout(timer);
      sent = null;
      wait(false);
      return request;
    }
    function giveUp(text) {
      line.length = 0;
      lost(text, end());
    }
    watch("value", () => {
      if (props.value.revision !== number) return; // of an older request
      answer(props.value, end(), line.length > 0); // also after it was given up: better late than never
      if (line.length && !sent) ask(line.shift());
    });
    window.addEventListener("failed", ({ detail }) => { if (detail === props.part) giveUp(`${FAILED} ${hint}`.trim()); });
    return { ask, waits: () => Boolean(sent) };
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
  // Keep open and closed folds as they are when `part` is rendered again: call the returned function then. Folds of one title are numbered.
  function remembered(root) {
    const unfolded = new Map();
    const titleOf = (fold) => fold.querySelector("summary").textContent;
    const folds = () => Object.entries(Object.groupBy(root.querySelectorAll("details"), titleOf))
      .flatMap(([title, same]) => same.map((fold, at) => [`${title} ${at}`, fold]));
    when(root, "click", "summary", ({ parentElement }) => {
      const [name] = folds().find(([, fold]) => fold === parentElement);
      unfolded.set(name, !parentElement.open);
    });
    return () => { for (const [name, fold] of folds()) fold.open = unfolded.get(name) ?? fold.open; };
  }
  // A link to a tab opens it as soon as it is there; Compare is not shown meanwhile.
  const wanted = new URLSearchParams(location.search).get("tab");
  const linked = window.elmoTabs?.find((name) => name === wanted);
  if (linked) {
    const page = document.documentElement;
    const open = () => {
      const tab = document.getElementById(`tab-${linked}-button`);
      if (!tab) return;
      waits.disconnect();
      tab.click();
      requestAnimationFrame(() => delete page.dataset.opening);
    };
    const waits = new MutationObserver(open);
    page.dataset.opening = linked;
    waits.observe(page, { childList: true, subtree: true });
    setTimeout(() => { waits.disconnect(); delete page.dataset.opening; }, 20_000);
  }
  // An answer that can be had again, more completely.
  when(document, "click", "[data-again-in]", (button) => button.closest("[role=tabpanel]").querySelector(".compare-form .primary").click());
  // Gradio's folds say to a screen reader whether they are open.
  const state = (fold) => fold.setAttribute("aria-expanded", String(fold.matches(".open")));
  new MutationObserver((changes) => {
    for (const { target } of changes) if (target.matches?.(".label-wrap")) state(target);
    for (const fold of document.querySelectorAll(".label-wrap:not([aria-expanded])")) state(fold);
  }).observe(document, { childList: true, subtree: true, attributeFilter: ["class"] });
  // On a narrow page the form is folded until somebody wants to type.
  when(document, "click", "[data-unfold]", (button) => {
    const form = button.closest(".compare-form");
    form.classList.add("unfolded");
    form.querySelector("textarea, input").focus();
  });
  // Buttons that open a tab.
  when(document, "click", "[data-tab]", ({ dataset }) => [...document.querySelectorAll("[role=tab]")].find((tab) => tab.textContent.trim() === dataset.tab)?.click());
  return {
    make, draw, tie, when, button, showError, clearErrors, busy, narrow, bring, isCalm, markOld, markNew, bringAnswer, settled, edited,
    openText, requests, save, linkOf, remembered,
  };
})();
