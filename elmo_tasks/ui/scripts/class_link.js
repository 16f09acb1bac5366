// The link by which a class sends sentences to the map: its address as text and as a QR code, drawn here.

const { make, button, requests } = elmo;
const EVERY = 3000; // milliseconds between two looks for new sentences
const panel = element.closest("[role=tabpanel]") || document.body;
let code = "";
let wordOfLink = "";
let taken = 0;
let timer = 0;

const box = make("section", { class: "card class-link" });
element.append(box);
const answers = requests({ props, trigger, watch }, { answer: onAnswer, lost: () => {} });

function word() {
  const request = panel.querySelector("form.landing")?.dataset.request;
  return request ? JSON.parse(request).word : "";
}
function closed() {
  clearInterval(timer);
  box.replaceChildren(make("p", { class: "hint" }, "A class can send sentences with the word of the map from their phones: they land here. Nothing is kept."),
    button("Open a class link", () => answers.ask({ ask: "open", word: word() })));
}
function drawn(address) {
  const qr = qrcode(0, "M");
  qr.addData(address);
  qr.make();
  const picture = make("div", { class: "qr", role: "img", "aria-label": `QR code of ${address}` });
  picture.innerHTML = qr.createSvgTag({ cellSize: 5, margin: 8, scalable: true });
  return picture;
}
function onAnswer(value, request) {
  if (request?.ask === "close") {
    closed();
    if (word() !== wordOfLink) box.append(make("p", { class: "hint", role: "status" }, `The link for “${wordOfLink}” was closed: the map has another word.`));
    return;
  }
  if (request?.ask === "open") {
    if (!value.code) {
      closed();
      return box.append(make("p", { class: "hint", role: "alert" }, "Another page of this program has a class link open. Close it there, or wait a minute after that page was closed."));
    }
    code = value.code;
    wordOfLink = request.word;
    taken = 0;
    const host = value.host && /^(127\.|localhost|0\.0\.0\.0|\[::1\])/.test(location.hostname) ? `${value.host}:${location.port}` : location.host;
    const address = `${location.protocol}//${host}/class/${code}`;
    box.replaceChildren(drawn(address), make("div", {}, make("p", { class: "address" }, address),
      make("p", { class: "hint" }, props.local ? "It opens on this computer only: start the program with --host 0.0.0.0 for a class." : `For “${wordOfLink}”, at most ${props.most} sentences.`),
      make("p", { class: "count", role: "status" }, "No sentence yet."), button("Close the link", () => answers.ask({ ask: "close", code }))));
    timer = setInterval(look, EVERY);
    return;
  }
  for (const sentence of value.sentences) land(sentence);
  taken += value.sentences.length;
  const count = box.querySelector(".count");
  if (count && taken) count.textContent = taken === 1 ? "1 sentence came." : `${taken} sentences came.`;
}
// A map of another word ends the link, whose students would send sentences with the old one.
function look() {
  if (box.checkVisibility() && !answers.waits()) answers.ask(word() === wordOfLink ? { ask: "read", code, n: taken } : { ask: "close", code });
}
// The form of the map lets it land, as it does with a ready sentence.
function land(sentence) {
  const form = panel.querySelector("form.landing");
  if (!form) return;
  const chip = make("button", { type: "button", hidden: true, "data-sentence": sentence });
  form.append(chip);
  chip.click();
  chip.remove();
}
closed();
