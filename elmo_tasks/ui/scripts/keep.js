// "Copy link" and "Download PNG" of every tab: one listener for all [data-link] and [data-png] buttons of the page.
// Runs once, in the head. A view marks what belongs in its picture with [data-picture], whose value is a line above it.
// The drawing itself is modern-screenshot's (vendor/, MIT licence): it copies the marked parts with their styles, and nothing around them.

(() => {
  const SCALE = 2;
  const PADDING = 24;
  const MIN_WIDTH = 480; // so that the title of a narrow picture stays readable
  const MAX_PIXELS = 16_000; // of a side: browsers refuse larger canvases
  const FOR_HANDS = ".tip, .for-hands, details:not([open]), [hidden]"; // hints, buttons and closed folds

  elmo.when(document, "click", "[data-link]", copy);
  elmo.when(document, "click", "[data-png]", save);

  const statusOf = (button) => button.parentElement.querySelector(".status-line");

  function reach() {
    const host = location.hostname;
    if (/^(127\.|0\.0\.0\.0$|\[::1\]$|(.+\.)?localhost$)/.test(host)) return ". It opens on this computer only; for others in the room, start the program with --host 0.0.0.0.";
    if (/^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)|\.local$/.test(host) || !host.includes(".")) return ". It opens in this network, while the program runs.";
    return "";
  }
  async function copy(button) {
    const link = `${location.origin}${location.pathname}?${button.dataset.link}`;
    const status = statusOf(button);
    const short = button.dataset.short || ""; // what the link leaves out
    try {
      await navigator.clipboard.writeText(link);
      status.textContent = `Link copied${short}${reach()}`;
    } catch {
      // Pages served without https have no clipboard: show the link, ready to copy.
      const box = elmo.make("input", { value: link, readonly: true, "aria-label": "Link to this view" });
      status.replaceChildren(box, `${short}${reach()}`);
      box.select();
    }
  }

  async function save(button) {
    if (button.getAttribute("aria-busy") === "true") return; // pressed again meanwhile
    const status = statusOf(button);
    status.textContent = "Drawing the picture…";
    button.setAttribute("aria-busy", "true");
    try {
      elmo.save(`${button.dataset.png}.png`, await draw(button), "image/png");
      status.textContent = "Picture saved";
    } catch (error) {
      console.warn(error);
      status.textContent = "This browser cannot draw the picture: take a screenshot instead";
    } finally {
      button.removeAttribute("aria-busy");
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
    const page = getComputedStyle(document.querySelector(".gradio-container"));
    const colour = (name) => resolved(page.getPropertyValue(name), page.colorScheme);
    const text = (words, font, name) => ({ words, font, colour: colour(name) });
    const serif = page.getPropertyValue("--serif");
    const sans = page.fontFamily;
    const parts = [];
    const titled = pictures.some((picture) => picture.querySelector("h2"));
    if (!titled) parts.push(text(nearby(scope, "h2, h3"), `700 22px ${serif}`, "--ink"));
    for (const picture of pictures) {
      if (picture.dataset.picture) parts.push(text(picture.dataset.picture, `400 15px ${sans}`, "--soft"));
      parts.push(await drawn(picture));
    }
    const source = ["ELMo in context", nearby(scope, ".meta"), new Date().toISOString().slice(0, 10)].filter(Boolean).join(" · ");
    return sheetOf([...parts, text(source, `400 13px ${sans}`, "--soft")], colour("--card"));
  }
  // A colour of the theme, which the page may write as light-dark(…), as a canvas takes it.
  function resolved(value, scheme) {
    const probe = elmo.make("i", { style: `color-scheme: ${scheme}; color: ${value}`, hidden: true });
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }

  // --- From markup to pixels ---

  // One part of the page as a canvas; what can be scrolled is shown whole.
  async function drawn(picture) {
    const width = Math.max(Math.ceil(picture.getBoundingClientRect().width), picture.scrollWidth);
    const height = Math.max(Math.ceil(picture.getBoundingClientRect().height), picture.scrollHeight);
    const canvas = await modernScreenshot.domToCanvas(picture, {
      width, height, scale: Math.min(SCALE, MAX_PIXELS / Math.max(width, height)), font: false,
      style: { margin: "0", overflow: "visible", maxHeight: "none" },
      filter: (node) => !(node instanceof Element && node.matches(FOR_HANDS)),
    });
    return { canvas, width, height };
  }
  // Lines of text and pictures, one below the other.
  function sheetOf(parts, ground) {
    const pen = document.createElement("canvas").getContext("2d");
    const inner = Math.max(MIN_WIDTH, ...parts.map((part) => part.width || 0));
    const laid = [];
    let y = PADDING;
    for (const part of parts) {
      if (part.canvas) {
        laid.push({ ...part, y });
        y += part.height + 14;
        continue;
      }
      pen.font = part.font;
      const step = 1.35 * parseInt(part.font.split(" ")[1], 10);
      for (const line of wrapped(pen, part.words, inner)) {
        laid.push({ ...part, line, y: y + 0.8 * step });
        y += step;
      }
      y += 10;
    }
    const [width, height] = [inner + 2 * PADDING, y - 10 + PADDING];
    const scale = Math.min(SCALE, MAX_PIXELS / Math.max(width, height));
    const canvas = Object.assign(document.createElement("canvas"), { width: Math.round(width * scale), height: Math.round(height * scale) });
    const brush = canvas.getContext("2d");
    brush.scale(scale, scale);
    brush.fillStyle = ground;
    brush.fillRect(0, 0, width, height);
    for (const part of laid) {
      if (part.canvas) brush.drawImage(part.canvas, PADDING, part.y, part.width, part.height);
      else Object.assign(brush, { font: part.font, fillStyle: part.colour }).fillText(part.line, PADDING, part.y);
    }
    return new Promise((resolve, reject) => { canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture came out"))), "image/png"); });
  }
  function wrapped(pen, words, width) {
    const lines = [""];
    for (const word of words.split(/\s+/)) {
      const longer = `${lines.at(-1)} ${word}`.trim();
      if (pen.measureText(longer).width <= width || !lines.at(-1)) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  }
})();
