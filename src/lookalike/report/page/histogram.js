// -- the histogram of best matches, with the threshold to drag --------------------------------------------------------

/** How far down the pairs are in this file; the threshold cannot go lower. */
const LOW = Math.min(head.low, 0.99);
const BIN = [0.005, 0.01, 0.02, 0.025, 0.05].find((width) => (1 - LOW) / width <= 26) ?? 0.05;
const BINS = Math.max(1, Math.ceil((1 - LOW) / BIN - 1e-9));
const START = 1 - BINS * BIN;

const SCORE_NAME = head.metric === "containment" ? "share of the smaller document" : "similarity";

function buildHistogram() {
  const section = $("distribution");
  const line = svg("line", { class: "threshold-line", y1: -6, y2: HEIGHT });
  const edges = Array.from({ length: BINS + 1 }, (_, i) => START + i * BIN);
  const bars = scoreChart(edges, ["Best match", "Documents"], line);
  const handle = h("div", {
    class: "handle", role: "slider", tabindex: "0", "aria-label": `Threshold: minimum ${SCORE_NAME} of a pair`,
    "aria-valuemin": Math.round(LOW * 100), "aria-valuemax": 100, "aria-orientation": "horizontal",
  }, h("span", { class: "handle-text" }));
  const plot = h("div", { class: "plot" }, bars.chart, handle);
  const said = h("p", { class: "distribution-said" });

  fill(section,
    h("div", { class: "card-head" },
      h("h2", { id: "distribution-title" }, "How similar is each document to its best match?")),
    h("p", { class: "explain" }, `Each document is counted once, at the ${SCORE_NAME} to the document that it is most similar to. `,
      "Drag the line, or use the arrow keys, to choose which pairs are listed. ",
      LOW < head.threshold ? `The threshold of the search was ${percent(head.threshold, 0)}; below it, pairs that share a passage are listed too.` : null),
    plot, bars.scale, said, bars.table);

  dragging(plot, handle);
  onChange(() => drawHistogram({ bars, line, handle, said }));
}

/** Draws what depends on the filters. */
function drawHistogram({ bars, line, handle, said }) {
  const counts = binned();
  bars.draw(counts, state.threshold);
  const x = bars.across(state.threshold);
  for (const end of ["x1", "x2"]) line.setAttribute(end, String(x));
  handle.style.setProperty("--at", String(x / WIDTH));
  handle.classList.toggle("handle-right", x > WIDTH * 0.9);
  handle.classList.toggle("handle-left", x < WIDTH * 0.1);
  handle.firstChild.textContent = percent(state.threshold, 0);
  handle.setAttribute("aria-valuenow", String(Math.round(state.threshold * 100)));
  handle.setAttribute("aria-valuetext", `${percent(state.threshold, 0)}, ${count(shown.pairs.length, "pair")}`);
  fill(said, saidOf(counts));
}

function binned() {
  const counts = new Array(BINS).fill(0);
  for (const pair of bestMatches(shown.anyScore).values()) {
    counts[Math.min(BINS - 1, Math.max(0, Math.floor((pair.score - START) / BIN + 1e-9)))] += 1;
  }
  return counts;
}

function saidOf(counts) {
  const matched = counts.reduce((sum, number) => sum + number, 0);
  const above = bestMatches(shown.pairs).size;
  const rest = DOCUMENTS - matched;
  return [
    h("strong", null, count(above, "document")), ` ${above === 1 ? "has" : "have"} a match of ${percent(state.threshold, 0)} or more. `,
    rest > 0 ? `${count(rest, "document")} of ${whole(DOCUMENTS)} ${rest === 1 ? "has" : "have"} none of ${percent(LOW, 0)} or more; ${lowerMissing()}.` : null,
  ];
}

/** Why there is nothing below `LOW`. */
const lowerMissing = () => (LOW > head.searched ? "less similar pairs are not in this file" : "less similar pairs were not searched for");

function setThreshold(value) {
  change({ threshold: Math.min(1, Math.max(LOW, Math.round(value * 100) / 100)) });
}

function dragging(plot, handle) {
  const at = (event) => {
    const box = plot.getBoundingClientRect();
    return START + ((event.clientX - box.left) / box.width) * (1 - START);
  };
  plot.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    plot.setPointerCapture(event.pointerId);
    plot.classList.add("dragged");
    handle.focus({ preventScroll: true });
    setThreshold(at(event));
  });
  plot.addEventListener("pointermove", (event) => {
    if (plot.classList.contains("dragged")) setThreshold(at(event));
  });
  for (const end of ["pointerup", "pointercancel"]) plot.addEventListener(end, () => plot.classList.remove("dragged"));
  const steps = { ArrowLeft: -0.01, ArrowDown: -0.01, ArrowRight: 0.01, ArrowUp: 0.01, PageDown: -0.05, PageUp: 0.05 };
  handle.addEventListener("keydown", (event) => {
    const to = event.key === "Home" ? LOW : event.key === "End" ? 1 : event.key in steps ? state.threshold + steps[event.key] : null;
    if (to === null) return;
    event.preventDefault();
    setThreshold(to);
  });
}
