// -- a histogram of scores: bars, round marks under the axis, and the same as a table ----------------------------------

const WIDTH = 1000;
const HEIGHT = 150;

/**
 * A histogram whose bars lie between `edges`. `across` says where a score is, from 0 to `WIDTH`; `lines` stand on the
 * chart, above the bars.
 * @param {number[]} edges
 * @param {[string, string]} headings of the table
 * @param {...Element} lines
 */
function scoreChart(edges, headings, ...lines) {
  const [start, end] = [edges[0], edges[edges.length - 1]];
  const across = (score) => ((score - start) / (end - start)) * WIDTH;
  const bars = svg("g", { class: "bars" });
  const rows = h("tbody");
  return {
    across,
    chart: svg("svg", { class: "chart", viewBox: `0 -6 ${WIDTH} ${HEIGHT + 8}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      bars, svg("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT }), lines),
    scale: scaleOf(start, end, across),
    table: h("details", { class: "as-table" }, h("summary", null, "The same as a table"),
      h("table", { class: "plain" }, h("thead", null, h("tr", null, h("th", { scope: "col" }, headings[0]), h("th", { scope: "col", class: "number" }, headings[1]))), rows)),
    draw(counts, threshold) {
      drawBars(bars, counts, edges, across, threshold);
      fill(rows, counts.map((number, i) => h("tr", null,
        h("th", { scope: "row" }, `${edgeText(edges, i)} to ${edgeText(edges, i + 1)}`), h("td", { class: "number" }, whole(number)))));
    },
  };
}

function drawBars(group, counts, edges, across, threshold) {
  const most = Math.max(1, ...counts);
  group.replaceChildren(...counts.map((number, i) => {
    const height = number ? Math.max(3, (number / most) * (HEIGHT - 8)) : 0;
    const [left, right] = [across(edges[i]), across(edges[i + 1])];
    return svg("rect", {
      x: left + 1, y: HEIGHT - height, width: Math.max(1, right - left - 2), height,
      class: edges[i + 1] <= threshold + 1e-9 ? "bar-below" : "bar-above",
    });
  }));
}

/** An edge in per cent, with a digit behind the point only if some edge needs it. */
function edgeText(edges, i) {
  const fine = edges.some((edge) => Math.abs(edge * 100 - Math.round(edge * 100)) > 1e-6);
  return percent(Math.max(0, edges[i]), fine ? 1 : 0);
}

/** Round marks under the axis. */
function scaleOf(start, end, across) {
  const steps = [0.01, 0.02, 0.05, 0.1, 0.2].find((step) => (end - start) / step <= 8) ?? 0.2;
  const marks = [];
  for (let at = Math.ceil(start / steps - 1e-9) * steps; at <= end + 1e-9; at += steps) marks.push(at);
  return h("div", { class: "scale", "aria-hidden": "true" }, marks.map((at) => {
    const place = across(at) / WIDTH;
    const mark = h("span", { class: place < 0.03 ? "at-start" : place > 0.97 ? "at-end" : null }, percent(Math.round(at * 1000) / 1000, 0));
    mark.style.setProperty("--at", String(place));
    return mark;
  }));
}
