// An element with attributes, events (`onclick`, …) and children. Strings become text nodes: nothing is read as HTML.
const make = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
};
// A question that nobody answers for a minute, for example because the connection is lost: `onLost` gets the words for it.
const patience = (onLost) => {
  let timer = 0;
  const stop = () => clearTimeout(timer);
  const start = () => {
    stop();
    timer = setTimeout(() => onLost("No answer has come for a minute. Is the connection lost? Ask again."), 60_000);
  };
  return { start, stop };
};
