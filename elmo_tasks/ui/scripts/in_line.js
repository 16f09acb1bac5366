// "You are number 3 in line": shown when more people ask than the server answers at once, and this page waits for its turn.
// Runs once, in the head. Gradio tells each page its place in the stream of answers (queue/data); this reads along.
// It offers no event for that, and would write its own words over every part of the page that waits: so this file alone replaces fetch.

(() => {
  const PATIENCE = 1_000; // milliseconds: what is answered sooner says nothing
  const places = new Map(); // of the questions of this page that nobody answers yet: how many are before them
  const bar = Object.assign(document.createElement("p"), { className: "in-line", hidden: true });
  bar.setAttribute("role", "status");
  let timer = 0;

  function show() {
    timer = 0;
    const place = 1 + Math.min(...places.values());
    const words = place === 1 ? "Others are being answered. You are next in line." : `Others are being answered. You are number ${place} in line.`;
    const box = document.querySelector(".gradio-container");
    if (!box) return;
    if (bar.parentElement !== box) box.append(bar);
    if (bar.textContent !== words) bar.textContent = words;
    bar.hidden = false;
  }
  function hide() {
    clearTimeout(timer);
    timer = 0;
    bar.hidden = true;
  }
  function hear({ msg, event_id: question, rank }) {
    if (msg === "estimation") places.set(question, rank);
    else if (msg === "close_stream") places.clear();
    else places.delete(question);
    if (!places.size) hide();
    else if (!bar.hidden) show();
    else timer ||= setTimeout(show, PATIENCE);
  }
  async function read(stream) {
    const lines = stream.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    try {
      for (let part = await lines.read(); !part.done; part = await lines.read()) {
        const whole = (rest + part.value).split("\n");
        rest = whole.pop();
        for (const line of whole) if (line.startsWith("data:")) hear(JSON.parse(line.slice(5)));
      }
    } catch {
      // The connection ended; the page itself says so.
    }
    places.clear();
    hide();
  }
  const fetchFirst = window.fetch;
  window.fetch = async (...request) => {
    const response = await fetchFirst(...request);
    const address = String(request[0]?.url || request[0]);
    if (response.ok && response.body && address.includes("/queue/data")) read(response.clone().body);
    return response;
  };
})();
