// -- the histogram of best matches, with the threshold to drag --------------------------------------------------------

const WIDTH = 1000;
const HEIGHT = 150;
const LOW = Math.min(head.threshold, 0.99);
const BIN = [0.005, 0.01, 0.02, 0.025, 0.05].find((width) => (1 - LOW) / width <= 26) ?? 0.05;
const BINS = Math.max(1, Math.ceil((1 - LOW) / BIN - 1e-9));
const START = 1 - BINS * BIN;
const across = (score) => ((score - START) / (1 - START)) * WIDTH;

const SCORE_NAME = head.metric === "containment" ? "share of the smaller document" : "similarity";

function buildHistogram() {
  const section = $("distribution");
  const bars = svg("g", { class: "bars" });
  const cut = svg("line", { class: "cut-line", y1: 0, y2: HEIGHT });
  const line = svg("line", { class: "threshold-line", y1: -6, y2: HEIGHT });
  const chart = svg("svg", { class: "chart", viewBox: `0 -6 ${WIDTH} ${HEIGHT + 8}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    bars, cut, svg("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT }), line);
  const handle = h("div", {
    class: "handle", role: "slider", tabindex: "0", "aria-label": `Threshold: least ${SCORE_NAME} of a pair`,
    "aria-valuemin": Math.round(LOW * 100), "aria-valuemax": 100, "aria-orientation": "horizontal",
  }, h("span", { class: "handle-text" }));
  const plot = h("div", { class: "plot" }, chart, handle);
  const said = h("p", { class: "distribution-said" });
  const table = h("tbody");
  const suggestion = head.suggested === null ? null : h("button", {
    type: "button", class: "quiet", id: "use-cut", onclick: () => setThreshold(head.suggested),
  }, `Use the suggested cut, ${percent(head.suggested, 0)}`);

  fill(section,
    h("div", { class: "card-head" },
      h("h2", { id: "distribution-title" }, "How alike is each document to its best match?"),
      h("div", { class: "card-tools" }, suggestion)),
    h("p", { class: "explain" }, `Each document is counted once, at the ${SCORE_NAME} to the document that it is most like. `,
      "Drag the line, or use the arrow keys, to choose which pairs are listed. ",
      head.suggested === null ? null : "The dashed line is the suggested cut. A suggestion from the shape of the distribution; look at the pairs just below it before you trust it."),
    plot, scale(), said,
    h("details", { class: "as-table" }, h("summary", null, "The same as a table"),
      h("table", { class: "plain" }, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Best match"), h("th", { scope: "col", class: "number" }, "Documents"))), table)));

  if (head.suggested !== null) {
    for (const end of ["x1", "x2"]) cut.setAttribute(end, String(across(head.suggested)));
  }
  dragging(plot, handle);
  onChange(() => drawHistogram({ bars, line, handle, said, table }));
}

/** Draws what depends on the filters. */
function drawHistogram({ bars, line, handle, said, table }) {
  const counts = binned();
  drawBars(bars, counts);
  fill(table, counts.map((number, i) => h("tr", null,
    h("th", { scope: "row" }, `${edge(i)} to ${edge(i + 1)}`), h("td", { class: "number" }, whole(number)))));
  const x = across(state.threshold);
  for (const end of ["x1", "x2"]) line.setAttribute(end, String(x));
  handle.style.setProperty("--at", String(x / WIDTH));
  handle.classList.toggle("handle-right", x > WIDTH * 0.9);
  handle.classList.toggle("handle-left", x < WIDTH * 0.1);
  handle.firstChild.textContent = percent(state.threshold, 0);
  handle.setAttribute("aria-valuenow", String(Math.round(state.threshold * 100)));
  handle.setAttribute("aria-valuetext", `${percent(state.threshold, 0)}, ${count(shown.pairs.length, "pair")}`);
  fill(said, saidOf(counts));
}

const edge = (i) => percent(Math.max(0, START + i * BIN), BIN < 0.01 || BIN === 0.025 ? 1 : 0);

function binned() {
  const counts = new Array(BINS).fill(0);
  for (const pair of bestMatches(shown.anyScore).values()) {
    counts[Math.min(BINS - 1, Math.max(0, Math.floor((pair.score - START) / BIN + 1e-9)))] += 1;
  }
  return counts;
}

function drawBars(group, counts) {
  const most = Math.max(1, ...counts);
  const width = WIDTH / BINS;
  group.replaceChildren(...counts.map((number, i) => {
    const height = number ? Math.max(3, (number / most) * (HEIGHT - 8)) : 0;
    const below = START + (i + 1) * BIN <= state.threshold + 1e-9;
    return svg("rect", { x: i * width + 1, y: HEIGHT - height, width: Math.max(1, width - 2), height, class: below ? "bar-below" : "bar-above" });
  }));
}

function saidOf(counts) {
  const matched = counts.reduce((sum, number) => sum + number, 0);
  const above = bestMatches(shown.pairs).size;
  const rest = DOCUMENTS - matched;
  return [
    h("strong", null, count(above, "document")), ` ${above === 1 ? "has" : "have"} a match of ${percent(state.threshold, 0)} or more. `,
    rest > 0 ? `${count(rest, "document")} of ${whole(DOCUMENTS)} ${rest === 1 ? "has" : "have"} none of ${percent(LOW, 0)} or more; lower was not searched.` : null,
  ];
}

/** Round marks under the axis. */
function scale() {
  const steps = [0.01, 0.02, 0.05, 0.1, 0.2].find((step) => (1 - START) / step <= 8) ?? 0.2;
  const marks = [];
  for (let at = Math.ceil(START / steps - 1e-9) * steps; at <= 1 + 1e-9; at += steps) marks.push(at);
  return h("div", { class: "scale", "aria-hidden": "true" }, marks.map((at) => {
    const place = across(at) / WIDTH;
    const mark = h("span", { class: place < 0.03 ? "at-start" : place > 0.97 ? "at-end" : null }, percent(Math.round(at * 1000) / 1000, 0));
    mark.style.setProperty("--at", String(place));
    return mark;
  }));
}

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
