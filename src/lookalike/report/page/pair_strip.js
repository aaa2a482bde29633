// -- the overview strip: both documents as bars, and which passage lies where -----------------------------------------

const STRIP_WIDTH = 1000;
const BAR = 20;
const BETWEEN = 44;

/** @param {Reading} reading */
function overviewStrip({ texts, spans, blocks }, onSelect) {
  const lengths = texts.map((text) => Math.max(1, text.length));
  const drawing = svg("svg", {
    class: "strip", viewBox: `0 0 ${STRIP_WIDTH} ${2 * BAR + BETWEEN}`, preserveAspectRatio: "none", role: "img",
    "aria-label": `Places of ${count(blocks.length, "shared passage")}: above in A, below in B`,
  });
  const tops = [0, BAR + BETWEEN];
  for (const top of tops) drawing.append(svg("rect", { class: "strip-ground", x: 0, y: top, width: STRIP_WIDTH, height: BAR, rx: 2 }));
  spans.forEach((list, side) => {
    for (const [start, end] of list) drawing.append(bar(start, end, lengths[side], tops[side], "strip-left"));
  });
  blocks.forEach((block, number) => {
    const [a, b] = [0, 1].map((side) => placed(block, number, side));
    const x = ({ start, end }, side) => [(STRIP_WIDTH * start) / lengths[side], Math.max((STRIP_WIDTH * end) / lengths[side], (STRIP_WIDTH * start) / lengths[side] + 3)];
    const [[a1, a2], [b1, b2]] = [x(a, 0), x(b, 1)];
    const [top, bottom] = [BAR, BAR + BETWEEN];
    const middle = (top + bottom) / 2;
    const group = svg("g", { class: `strip-passage ${lookOf(number)}`, "data-number": number },
      svg("path", { class: "strip-link", d: `M${a1},${top}C${a1},${middle} ${b1},${middle} ${b1},${bottom}L${b2},${bottom}C${b2},${middle} ${a2},${middle} ${a2},${top}Z` }),
      bar(a.start, a.end, lengths[0], tops[0], "strip-shared"), bar(b.start, b.end, lengths[1], tops[1], "strip-shared"));
    group.addEventListener("click", () => onSelect(number));
    drawing.append(group);
  });
  return h("div", { class: "strip-box" },
    h("div", { class: "strip-letters", "aria-hidden": "true" }, h("span", null, "A"), h("span", null, "B")), drawing);
}

function bar(start, end, length, top, name) {
  const x = (STRIP_WIDTH * start) / length;
  return svg("rect", { class: name, x, y: top, width: Math.max(3, (STRIP_WIDTH * (end - start)) / length), height: BAR });
}
