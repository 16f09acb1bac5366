// A run that was seen running stays above the data until the form is changed.

const column = element.closest(".train-column");
const watchRun = () => { if (element.querySelector("[data-live]")) column?.classList.add("watched"); };
column?.closest("[role=tabpanel]")?.querySelector(".compare-form")?.addEventListener("input", () => column.classList.remove("watched"));
watch("value", () => requestAnimationFrame(watchRun));
watchRun();
