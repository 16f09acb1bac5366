// "Copy link" and "Download PNG" of every tab: one listener for all [data-link] and [data-png] buttons of the page.
// Runs once, in the head. A view marks what belongs in its picture with [data-picture], whose value is a line above it.

(() => {
  const SCALE = 2;
  const PADDING = 24;
  const MIN_WIDTH = 480; // so that the title of a narrow picture stays readable
  const MAX_PIXELS = 16_000; // of a side: browsers refuse larger canvases
  const FOR_HANDS = ".tip, details:not([open]), [hidden]"; // hints and closed folds

  elmo.when(document, "click", "[data-link]", copy);
  elmo.when(document, "click", "[data-png]", save);

  const statusOf = (button) => button.parentElement.querySelector(".said");

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
    const status = statusOf(button);
    status.textContent = "Drawing the picture…";
    try {
      elmo.save(`${button.dataset.png}.png`, await draw(button), "image/png");
      status.textContent = "Picture saved";
    } catch (error) {
      console.warn(error);
      status.textContent = "This browser cannot draw the picture: take a screenshot instead";
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
  // A copy in copies of what it stands in, so that the page's styles find it; these have no boxes of their own.
  function copyOf(picture) {
    let copy = picture.cloneNode(true);
    for (const part of copy.querySelectorAll(FOR_HANDS)) part.remove();
    if (!(picture instanceof SVGElement)) { // what can be scrolled is shown whole
      const width = `${Math.max(picture.clientWidth, picture.scrollWidth)}px`;
      Object.assign(copy.style, { margin: "0", overflow: "visible", maxHeight: "none", width, boxSizing: "border-box" });
    }
    for (let at = picture.parentElement; at && at !== document.documentElement; at = at.parentElement) {
      const shell = at.cloneNode(false);
      shell.setAttribute("style", `${at.style.cssText}; display: contents`);
      shell.append(copy);
      copy = shell;
    }
    return copy;
  }
  function draw(button) {
    const [scope, pictures] = around(button);
    const page = getComputedStyle(document.querySelector(".gradio-container"));
    const line = (text, font, colour, below = "10px") => elmo.make("div",
      { style: `font: ${font}; color: ${page.getPropertyValue(colour)}; margin: 0 0 ${below}; overflow-wrap: anywhere;` }, text);
    const serif = page.getPropertyValue("--serif");
    const sans = page.fontFamily;
    const width = 2 * PADDING + Math.max(MIN_WIDTH, ...pictures.map((picture) => Math.ceil(Math.max(picture.getBoundingClientRect().width, picture.scrollWidth))));
    const sheet = elmo.make("div", { style: `color-scheme: ${page.colorScheme}; box-sizing: border-box; width: ${width}px; padding: ${PADDING}px; background: ${page.getPropertyValue("--card")};` },
      line(nearby(scope, "h2, h3"), `700 22px/1.3 ${serif}`, "--ink"));
    for (const picture of pictures) {
      if (picture.dataset.picture) sheet.append(line(picture.dataset.picture, `400 15px/1.4 ${sans}`, "--soft"));
      sheet.append(elmo.make("div", { style: "margin: 0 0 14px;" }, copyOf(picture)));
    }
    const source = ["ELMo in context", nearby(scope, ".meta"), new Date().toISOString().slice(0, 10)].filter(Boolean).join(" · ");
    sheet.append(line(source, `400 13px/1.4 ${sans}`, "--soft", "0"));
    return render(sheet, width);
  }

  // --- From markup to pixels ---

  // The page's styles; those of another host cannot be read, and are not ours.
  const styles = () => [...document.styleSheets].flatMap((sheet) => (sheet.href && new URL(sheet.href).origin !== location.origin ? [] : [...sheet.cssRules]))
    .map((rule) => rule.cssText).join("\n");
  async function render(sheet, width) {
    // Measured in the page, out of sight.
    const host = elmo.make("div", { style: "position: absolute; left: -99999px; top: 0;" }, sheet);
    document.body.append(host);
    const height = Math.ceil(sheet.scrollHeight);
    host.remove();
    // As wide as the window, so that the styles for narrow pages hold where they do on the page.
    const space = { width: Math.max(width, innerWidth), height: Math.max(height, innerHeight) };
    const style = document.createElement("style");
    style.textContent = styles();
    const root = elmo.make("div", { xmlns: "http://www.w3.org/1999/xhtml" }, style, sheet);
    // XML takes no control characters and no halves of a character, whatever a person typed.
    const markup = new XMLSerializer().serializeToString(root).replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, "");
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${space.width}" height="${space.height}"><foreignObject width="100%" height="100%">${markup}</foreignObject></svg>`;
    const image = new Image();
    // A data: address, because a canvas that has drawn a blob: one with a foreignObject may not be read again.
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const scale = Math.min(SCALE, MAX_PIXELS / Math.max(width, height));
    const canvas = Object.assign(document.createElement("canvas"), { width: Math.round(width * scale), height: Math.round(height * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, space.width * scale, space.height * scale);
    return new Promise((resolve, reject) => { canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture came out"))), "image/png"); });
  }
})();
