// Saves the report that the server wrote as a file. Gradio runs this as a function body with `props` and `watch`.

watch("value", () => {
  const { name, text } = props.value;
  const said = document.querySelector(".answer .said");
  if (!text) {
    said.textContent = "The report could not be made";
    return;
  }
  const address = URL.createObjectURL(new Blob([text], { type: "text/html;charset=utf-8" }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  said.textContent = "Report saved";
});
