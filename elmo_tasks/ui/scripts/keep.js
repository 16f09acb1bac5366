// "Copy link" and "Download PNG" of every tab: one listener for all [data-link] and [data-png] buttons of the page.
// Runs once, in the head. A view marks what belongs in its picture with [data-picture], whose value is a line above it.

(() => {
  const SCALE = 2;
  const PADDING = 24;
  const LEAST_WIDTH = 480; // so that the title of a narrow picture stays readable
  const MOST_PIXELS = 16_000; // of a side: browsers refuse larger canvases
  const SKIPPED = /^(transition|animation|cursor|outline|scroll|pointer-events|user-select|-webkit-locale)/;
  const FOR_HANDS = ".tip, details:not([open])"; // hints and closed folds
  const XHTML = "http://www.w3.org/1999/xhtml";

  elmo.when(document, "click", "[data-link]", copy);
  elmo.when(document, "click", "[data-png]", save);

  const saidBy = (button) => button.parentElement.querySelector(".said");

  function reach() {
    const host = location.hostname;
    if (/^(127\.|0\.0\.0\.0$|\[::1\]$|(.+\.)?localhost$)/.test(host)) return ". It opens on this computer only; for others in the room, start the program with --host 0.0.0.0.";
    if (/^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)|\.local$/.test(host) || !host.includes(".")) return ". It opens in this network, while the program runs.";
    return "";
  }
  async function copy(button) {
    const link = `${location.origin}${location.pathname}?${button.dataset.link}`;
    const said = saidBy(button);
    const short = button.dataset.short || ""; // what the link leaves out
    try {
      await navigator.clipboard.writeText(link);
      said.textContent = `Link copied${short}${reach()}`;
    } catch {
      // Pages served without https have no clipboard: show the link, ready to copy.
      const box = elmo.make("input", { value: link, readonly: true, "aria-label": "Link to this view" });
      said.replaceChildren(box, `${short}${reach()}`);
      box.select();
    }
  }

  async function save(button) {
    const said = saidBy(button);
    said.textContent = "Drawing the picture…";
    try {
      elmo.save(`${button.dataset.png}.png`, await draw(button), "image/png");
      said.textContent = "Picture saved";
    } catch (error) {
      console.warn(error);
      said.textContent = "This browser cannot draw the picture: take a screenshot instead";
    }
  }

  // --- What is in the picture ---

  const isSeen = (node) => node.getClientRects().length > 0;
  // The pictures nearest to the button: those of its card, else those of its view.
  function around(button) {
    for (let scope = button.parentElement; scope; scope = scope.parentElement) {
      const pictures = [...scope.querySelectorAll("[data-picture]")].filter(isSeen);
      if (pictures.length) return [scope, pictures];
    }
    throw new Error("no picture beside this button");
  }
  function nearby(scope, selector) {
    for (let at = scope; at && !at.matches("[role=tabpanel]"); at = at.parentElement) {
      const found = [...at.querySelectorAll(selector)].find((node) => isSeen(node) && !node.closest("[data-picture]") && node.textContent.trim());
      if (found) return found.textContent.trim();
    }
    return "";
  }
  async function draw(button) {
    const [scope, pictures] = around(button);
    learnPlain(pictures);
    const page = getComputedStyle(document.querySelector(".gradio-container"));
    const line = (text, font, colour, below = "10px") => elmo.make("div",
      { style: `font: ${font}; color: ${page.getPropertyValue(colour)}; margin: 0 0 ${below}; overflow-wrap: anywhere;` }, text);
    const serif = page.getPropertyValue("--serif");
    const sans = page.fontFamily;
    const widest = Math.max(LEAST_WIDTH, ...pictures.map((picture) => Math.ceil(Math.max(picture.getBoundingClientRect().width, picture.scrollWidth))));
    const sheet = elmo.make("div", { style: `box-sizing: border-box; width: ${widest + 2 * PADDING}px; padding: ${PADDING}px; background: ${page.getPropertyValue("--card")};` },
      line(nearby(scope, "h2, h3"), `700 22px/1.3 ${serif}`, "--ink"));
    for (const picture of pictures) {
      if (picture.dataset.picture) sheet.append(line(picture.dataset.picture, `400 15px/1.4 ${sans}`, "--soft"));
      const shown = copyOf(picture);
      if (!(picture instanceof SVGElement)) {
        // What can be scrolled is shown whole.
        Object.assign(shown.style, { margin: "0", overflow: "visible", maxHeight: "none", width: `${Math.max(picture.clientWidth, picture.scrollWidth)}px`, boxSizing: "border-box" });
        if (picture.scrollHeight > picture.clientHeight) shown.style.height = `${picture.scrollHeight}px`;
      }
      sheet.append(elmo.make("div", { style: "margin: 0 0 14px;" }, shown));
    }
    const source = ["ELMo in context", nearby(scope, ".meta"), new Date().toISOString().slice(0, 10)].filter(Boolean).join(" · ");
    sheet.append(line(source, `400 13px/1.4 ${sans}`, "--soft", "0"));
    return render(sheet);
  }

  // --- A copy that looks the same without the page's styles ---

  const plain = new Map(); // what a browser gives an element of a name that nobody styled
  const kindOf = (node) => `${node.namespaceURI} ${node.localName}`;
  // All at once: whenever the page changes, it computes its styles anew, which takes long.
  function learnPlain(pictures) {
    const nodes = [document.createElement("span"), ...pictures.flatMap((picture) => [picture, ...picture.querySelectorAll("*")])];
    const [host, root] = apart();
    const bare = new Map();
    for (const node of nodes) {
      if (plain.has(kindOf(node)) || bare.has(kindOf(node))) continue;
      const inside = node instanceof SVGElement && node.localName !== "svg";
      const parent = inside ? root.appendChild(document.createElementNS(node.namespaceURI, "svg")) : root;
      bare.set(kindOf(node), parent.appendChild(document.createElementNS(node.namespaceURI, node.localName)));
    }
    for (const [kind, node] of bare) plain.set(kind, valuesOf(getComputedStyle(node)));
    host.remove();
  }
  function apart() {
    const host = elmo.make("div", { style: "all: initial; position: absolute; left: -99999px; top: 0;" });
    document.body.append(host);
    return [host, host.attachShadow({ mode: "open" })];
  }
  let keys = null; // of what a style holds; its variables (--name) have done their work, and are twice as many
  function valuesOf(style) {
    keys ||= [...style].filter((key) => !key.startsWith("--"));
    return Object.fromEntries(keys.map((key) => [key, style.getPropertyValue(key)]));
  }
  // What differs from a plain element, and from the parent, since some of it is inherited.
  function written(values, above, node) {
    const usual = plain.get(kindOf(node));
    let text = "";
    for (const [key, value] of Object.entries(values)) {
      const same = value === usual[key] && (!above || value === above[key]);
      // A border has no width until it has a style, so its width always looks plain.
      if ((!same || /^border.*width$/.test(key)) && !SKIPPED.test(key)) text += `${key}:${value};`;
    }
    return text;
  }
  function copyOf(node, above = null) {
    if (node.nodeType === Node.TEXT_NODE) return node.cloneNode();
    if (node.nodeType !== Node.ELEMENT_NODE) return "";
    if (node.matches(FOR_HANDS)) return "";
    const values = valuesOf(getComputedStyle(node));
    if (values.display === "none") return "";
    // What is as large as its content stays so: in a size of its own, a line may break by a fraction of a pixel.
    const sizes = node instanceof HTMLElement && node.computedStyleMap?.();
    for (const [side, other] of sizes ? [["width", "inline-size"], ["height", "block-size"]] : []) {
      if (String(sizes.get(side)) === "auto") values[side] = values[other] = "auto";
    }
    if (sizes && String(sizes.get("grid-template-rows")) === "none") values["grid-template-rows"] = "none";
    const made = node.cloneNode(false);
    made.removeAttribute("class");
    made.removeAttribute("id");
    made.setAttribute("style", written(values, above, node));
    const ghost = (kind) => {
      const style = getComputedStyle(node, kind);
      const { content } = style;
      if (!content || content === "none" || content === "normal" || node instanceof SVGElement) return "";
      const span = elmo.make("span", {}, /^"((?:[^"\\]|\\.)*)"/.exec(content)?.[1] ?? ""); // what follows a slash is for screen readers
      span.setAttribute("style", written({ ...valuesOf(style), content: "normal" }, values, span));
      return span;
    };
    made.append(ghost("::before"), ...[...node.childNodes].map((child) => copyOf(child, values)), ghost("::after"));
    return made;
  }

  // --- From markup to pixels ---

  async function render(sheet) {
    const [host, root] = apart();
    root.append(sheet);
    const width = Math.ceil(Math.max(sheet.offsetWidth, sheet.scrollWidth));
    const height = Math.ceil(sheet.scrollHeight);
    sheet.style.height = `${height}px`;
    sheet.setAttribute("xmlns", XHTML);
    // XML takes no control characters and no halves of a character, whatever a person typed.
    const markup = new XMLSerializer().serializeToString(sheet).replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, "");
    host.remove();
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><foreignObject width="100%" height="100%">${markup}</foreignObject></svg>`;
    const image = new Image();
    // A data: address, because a canvas that has drawn a blob: one with a foreignObject may not be read again.
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const scale = Math.min(SCALE, MOST_PIXELS / Math.max(width, height));
    const canvas = Object.assign(document.createElement("canvas"), { width: Math.round(width * scale), height: Math.round(height * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve, reject) => { canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture came out"))), "image/png"); });
  }
})();
