// The steps of a walk, computed as lookalike's reference computes them (walk.py, walk_page.py): the tests compare both.

const DATA = JSON.parse($("data").textContent);
const state = { k: DATA.k, h: DATA.h, b: DATA.b, r: DATA.r };
let step = null; // the row of the matrix that the signature is shown after; null: the last one

const range = (count) => Array.from({ length: count }, (_, n) => n);
const rounded = (value) => value.toFixed(3);
const labelOf = (document) => `S${document + 1}`;
const slotOf = (value) => (value === null ? "∞" : String(value));

// -- the method -------------------------------------------------------------------------------------------------------

function windowsOf(units, k) {
  const joiner = DATA.unit === "word" ? " " : "";
  if (units.length < k) return [units.join(joiner)];
  return range(units.length - k + 1).map((start) => units.slice(start, start + k).join(joiner));
}

/** Orders texts by code points, as Python does; JavaScript compares halves of them. */
function byCodePoints(a, b) {
  const [left, right] = [[...a], [...b]];
  for (let n = 0; n < Math.min(left.length, right.length); n += 1) {
    const difference = left[n].codePointAt(0) - right[n].codePointAt(0);
    if (difference) return difference;
  }
  return left.length - right.length;
}

function leastPrime(from) {
  const isPrime = (n) => {
    for (let divisor = 2; divisor * divisor <= n; divisor += 1) if (n % divisor === 0) return false;
    return n > 1;
  };
  let n = from;
  while (!isPrime(n)) n += 1;
  return n;
}

/** Exact: a is below 2³¹, and a walk has a few thousand rows. */
const modular = (x, [a, b], p) => (a * x + b) % p;

/** The given functions, then drawn ones; none is drawn twice as long as there are others. */
function functionsFor(p) {
  const made = [...DATA.given];
  const taken = new Set(made.map(String));
  for (const [u, v] of DATA.draws.slice(made.length)) {
    let [a, b] = [1 + (u % (p - 1)), v % p];
    while (taken.has(`${a},${b}`) && taken.size < p * (p - 1)) {
      b = (b + 1) % p;
      if (!b) a = 1 + (a % (p - 1));
    }
    made.push([a, b]);
    taken.add(`${a},${b}`);
  }
  return made;
}

function computed({ k, h, b, r }) {
  const shingles = DATA.units.map((units) => windowsOf(units, k));
  const sets = shingles.map((every) => new Set(every));
  const elements = [...new Set(shingles.flat())];
  if (DATA.sort) elements.sort(byCodePoints);
  const matrix = elements.map((element) => sets.map((one) => Number(one.has(element))));
  const prime = leastPrime(Math.max(elements.length, 2));
  const functions = functionsFor(prime).slice(0, h);
  const values = elements.map((_, x) => functions.map((one) => modular(x, one, prime)));
  const walk = { k, h, b, r, shingles, sets, elements, matrix, prime, functions, values };
  walk.steps = stepsOf(walk);
  walk.signature = stateAfter(walk, elements.length - 1);
  walk.threshold = (1 / b) ** (1 / r);
  walk.half = (-Math.expm1(-Math.LN2 / b)) ** (1 / r);
  walk.pairs = pairsOf(walk);
  return walk;
}

/** The changes that each row makes: document, hash function, before, after. */
function stepsOf({ matrix, values, h }) {
  const least = matrix[0].map(() => Array(h).fill(null));
  return matrix.map((cells, x) => cells.flatMap((cell, document) => {
    if (!cell) return [];
    return range(h).flatMap((n) => {
      const [before, after] = [least[document][n], values[x][n]];
      if (before !== null && before <= after) return [];
      least[document][n] = after;
      return [[document, n, before, after]];
    });
  }));
}

function stateAfter({ steps, sets, h }, row) {
  const signature = range(h).map(() => sets.map(() => null));
  for (const changes of steps.slice(0, row + 1)) for (const [document, n, , after] of changes) signature[n][document] = after;
  return signature;
}

function countsOf(shingles) {
  const counts = new Map();
  for (const one of shingles) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

function pairsOf(walk) {
  const { sets, signature, h, b, r } = walk;
  const counts = walk.shingles.map(countsOf);
  const squares = counts.map((one) => [...one.values()].reduce((sum, n) => sum + n * n, 0));
  return sets.flatMap((left, a) => sets.slice(a + 1).map((right, after) => {
    const c = a + 1 + after;
    const shared = [...left].filter((element) => right.has(element)).length;
    const union = left.size + right.size - shared;
    const jaccard = shared / union;
    const dot = [...counts[a]].reduce((sum, [element, n]) => sum + n * (counts[c].get(element) ?? 0), 0);
    const agree = range(h).filter((n) => signature[n][a] === signature[n][c]).length;
    const bands = range(b).filter((band) => range(r).every((n) => signature[band * r + n][a] === signature[band * r + n][c]));
    const alike = jaccard >= walk.threshold;
    return {
      a, b: c, shared, union, jaccard, bands,
      estimate: agree / h,
      cosine: Math.min(1, dot / Math.sqrt(squares[a] * squares[c])),
      euclidean: Math.sqrt(squares[a] + squares[c] - 2 * dot),
      chance: chanceOf(jaccard, b, r),
      finding: bands.length ? (alike ? "found" : "false positive") : alike ? "missed" : "–",
    };
  }));
}

const chanceOf = (similarity, b, r) => (similarity >= 1 ? 1 : -Math.expm1(b * Math.log1p(-(similarity ** r))));

// -- the tables, cell by cell as in walk_page.py ----------------------------------------------------------------------

const LABELS = DATA.units.map((_, document) => labelOf(document));

function signed(shingle) {
  if (!shingle) return "(empty)";
  return [...shingle].map((character) => (character === " " && DATA.unit === "word" ? " " : DATA.signs[character] ?? character)).join("");
}

function some(rows) {
  const most = DATA.limits.rows;
  return rows.length <= most ? rows : [...rows.slice(0, most), ["…", `${rows.length - most} more rows`]];
}

function tablesOf(walk) {
  const { k, h, b, r, elements, matrix, prime, functions } = walk;
  const pairName = (pair) => `${labelOf(pair.a)}, ${labelOf(pair.b)}`;
  return {
    settings: [["What", "Value"], [
      ["k, units in a shingle", `${k} ${DATA.unit === "word" ? "words" : "characters"}`],
      ["h, hash functions", h],
      ["b × r, bands of rows", `${b} × ${r} = ${b * r} of ${h}`],
      ["rows of the matrix", elements.length],
      ["p, modulus of the hash functions", prime],
      ["threshold (1/b)^(1/r)", rounded(walk.threshold)],
      ["P is one half at J =", rounded(walk.half)],
    ]],
    shingles: [["", "Document", "Shingles", "Different", "The set"], walk.shingles.map((every, document) => {
      const different = [...walk.sets[document]];
      const listed = different.slice(0, DATA.limits.set).map(signed);
      if (different.length > DATA.limits.set) listed.push(`… ${different.length - DATA.limits.set} more`);
      return [labelOf(document), DATA.documents[document], every.length, different.length, listed.join(" · ")];
    })],
    matrix: [
      ["x", "Shingle", ...LABELS, ...functions.map(([a, c], n) => `h${n + 1} = ${a === 1 ? "" : a}x + ${c} mod ${prime}`)],
      some(elements.map((element, x) => [x, signed(element), ...matrix[x], ...walk.values[x]])),
    ],
    steps: [["x", "Shingle", "Changes"], some(walk.steps.map((changes, x) => [x, signed(elements[x]), changesSaid(changes)]))],
    signature: [["", ...LABELS], walk.signature.map((slots, n) => [`h${n + 1}`, ...slots.map(slotOf)])],
    bands: [["Band", ...LABELS, "Same bucket"], range(b).map((band) => {
      const parts = LABELS.map((_, document) => range(r).map((n) => slotOf(walk.signature[band * r + n][document])).join(" "));
      const buckets = new Map();
      parts.forEach((part, document) => buckets.set(part, [...(buckets.get(part) ?? []), labelOf(document)]));
      const same = [...buckets.values()].filter((together) => together.length > 1).map((together) => together.join(" = "));
      return [band + 1, ...parts, same.join(", ") || "–"];
    })],
    candidates: [["Pair", "J", "P", "Same in bands", "Candidate"], walk.pairs.map((pair) => [
      pairName(pair), rounded(pair.jaccard), rounded(pair.chance), pair.bands.map((band) => band + 1).join(", ") || "–",
      pair.bands.length ? "yes" : "no",
    ])],
    scores: [["Pair", "Shared", "Union", "Jaccard", "Estimate", "Error", "Cosine", "Euclidean", "LSH"], walk.pairs.map((pair) => [
      pairName(pair), pair.shared, pair.union,
      ...[pair.jaccard, pair.estimate, Math.abs(pair.jaccard - pair.estimate), pair.cosine, pair.euclidean].map(rounded), pair.finding,
    ])],
    work: [["What", "Times"], workOf(walk)],
  };
}

function changesSaid(changes) {
  const documents = [...new Set(changes.map(([document]) => document))];
  const ofOne = (document) => changes.filter(([one]) => one === document).map(([, n, before, after]) => `h${n + 1} ${slotOf(before)} → ${after}`);
  return documents.map((document) => `${labelOf(document)}: ${ofOne(document).join(", ")}`).join("; ") || "none";
}

function workOf({ matrix, h, b, pairs }) {
  const ones = matrix.flat().reduce((sum, cell) => sum + cell, 0);
  return [
    ["hash evaluations, each row once", matrix.length * h],
    ["hash evaluations, anew for each document", ones * h],
    ["band keys", b * LABELS.length],
    ["comparisons of all pairs", pairs.length],
    ["comparisons of candidates", pairs.filter((pair) => pair.bands.length).length],
  ];
}

// -- the page ---------------------------------------------------------------------------------------------------------

const LEFT = new Set(["Shingle", "Document", "The set", "Changes", "Pair", "Same bucket", "Same in bands", "What", "LSH", "Candidate"]);
const WRAP = new Set(["The set", "Changes", "Document", "What"]);

function tableOf(name, [header, rows], look = {}) {
  const kinds = header.map((title) => [LEFT.has(title) && "left", WRAP.has(title) && "wrap"].filter(Boolean).join(" ") || null);
  const head = header.map((title, column) => (title
    ? h("th", { scope: "col", class: kinds[column] && "left" }, title)
    : h("td", null, h("span", { class: "sr" }, name === "signature" ? "Function" : "Label"))));
  const body = rows.map((row, x) => h("tr", { class: look.row?.(x) ?? null }, row.map((cell, column) =>
    h("td", { class: look.cell?.(x, column) ?? kinds[column] }, String(cell)))));
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `Table: ${DATA.says[name].title}` },
    h("table", { "data-table": name }, h("thead", null, h("tr", null, head)), h("tbody", null, body)));
}

function section(name, ...content) {
  const { title, says } = DATA.says[name];
  return h("section", { id: name }, h("h2", null, title), h("p", null, says), content);
}

let walk = computed(state);

function draw() {
  const tables = tablesOf(walk);
  const documents = LABELS.length;
  const ones = (x, column) => (column >= 2 && column < 2 + documents && walk.matrix[x]?.[column - 2] ? "one" : column === 1 ? "left" : null);
  fill($("main"),
    h("div", { class: "beside" }, section("settings", tableOf("settings", tables.settings)), curve()),
    section("shingles", tableOf("shingles", tables.shingles)),
    section("matrix", tableOf("matrix", tables.matrix, { cell: ones })),
    section("steps", h("div", { id: "stepper" }), h("details", null, h("summary", null, "All changes, row by row"), tableOf("steps", tables.steps))),
    section("signature", tableOf("signature", tables.signature)),
    section("bands", tableOf("bands", tables.bands, { row: (x) => (tables.bands[1][x].at(-1) === "–" ? null : "good") })),
    section("candidates", tableOf("candidates", tables.candidates, { row: (x) => (walk.pairs[x].bands.length ? "good" : null) })),
    section("scores", tableOf("scores", tables.scores, { row: (x) => (walk.pairs[x].finding === "found" ? "good" : null) })),
    section("work", tableOf("work", tables.work)));
  drawStepper();
}

/** The signature after one row, with the numbers that the row changed: buttons and a slider go through the rows. */
function drawStepper() {
  const last = walk.elements.length - 1;
  const bar = h("input", { type: "range", id: "row", min: 0, max: last, value: String(last), "aria-label": "Row of the matrix" });
  const go = (to) => show(Math.max(0, Math.min(last, to)));
  const back = h("button", { type: "button", onclick: () => go(step - 1) }, "← Back");
  const next = h("button", { type: "button", onclick: () => go(step + 1) }, "Next row →");
  const says = h("p", { class: "step-says", "aria-live": "polite" });
  const place = h("div");
  bar.addEventListener("input", () => go(Number(bar.value)));
  function show(to) {
    step = to;
    bar.value = String(to);
    [back.disabled, next.disabled] = [to === 0, to === last];
    const holders = LABELS.filter((_, document) => walk.matrix[to][document]);
    const changes = changesSaid(walk.steps[to]);
    fill(says, `Row ${to} of 0 to ${last}: “${signed(walk.elements[to])}” is in ${holders.join(", ")}. `,
      changes === "none" ? "No number gets smaller." : `Smaller now: ${changes}.`);
    const changed = new Set(walk.steps[to].map(([document, n]) => `${n} ${document + 1}`));
    const rows = stateAfter(walk, to).map((slots, n) => [`h${n + 1}`, ...slots.map(slotOf), walk.values[to][n]]);
    const look = (x, column) => (changed.has(`${x} ${column}`) ? "changed" : null);
    fill(place, tableOf("steps", [["", ...LABELS, `h(${to})`], rows], { cell: look }));
    place.querySelector("table").dataset.table = "state";
  }
  fill($("stepper"), h("div", { class: "stepper" }, back, next, bar), says, place);
  show(step === null || step > last ? 0 : step);
}

/** The S-curve of these bands, with a dot for each pair: filled if it is a candidate. */
function curve() {
  const [width, height, left, top] = [420, 220, 40, 12];
  const x = (s) => left + s * (width - left - 12);
  const y = (p) => top + (1 - p) * (height - top - 36);
  const points = range(101).map((n) => `${x(n / 100).toFixed(1)},${y(chanceOf(n / 100, walk.b, walk.r)).toFixed(1)}`);
  const found = walk.pairs.filter((pair) => pair.bands.length).length;
  const label = `S-curve of ${walk.b} bands of ${walk.r} rows: the probability of being a candidate rises with the similarity, and is one half at ${rounded(walk.half)}. ${found} of ${walk.pairs.length} pairs are candidates.`;
  return h("figure", null,
    svg("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
      svg("path", { class: "axis", d: `M${x(0)},${y(1)}V${y(0)}H${x(1)}` }),
      svg("line", { class: "cut", x1: x(walk.threshold), x2: x(walk.threshold), y1: y(1), y2: y(0) }),
      svg("polyline", { class: "line", points: points.join(" ") }),
      walk.pairs.map((pair) => svg("circle", { class: pair.bands.length ? "pair yes" : "pair", cx: x(pair.jaccard), cy: y(pair.chance), r: 5 },
        svg("title", null, `${labelOf(pair.a)}, ${labelOf(pair.b)}: J ${rounded(pair.jaccard)}, P ${rounded(pair.chance)}`))),
      [0, 0.5, 1].map((p) => svg("text", { x: left - 6, y: y(p) + 4, "text-anchor": "end" }, String(p))),
      [0, 0.5, 1].map((s) => svg("text", { x: x(s), y: height - 20, "text-anchor": "middle" }, String(s))),
      svg("text", { x: x(0.5), y: height - 4, "text-anchor": "middle" }, "Jaccard similarity J")),
    h("figcaption", { class: "explain" }, "Probability of being a candidate. A dot is a pair, filled if it is a candidate; the dashed line is the threshold."));
}

const SLIDERS = { k: "k, units in a shingle", h: "h, hash functions", b: "b, bands", r: "r, rows in a band" };

function limitsNow() {
  return { k: DATA.mostK, h: DATA.draws.length, b: Math.max(1, Math.floor(state.h / state.r)), r: state.h };
}

function changed(name, value) {
  state[name] = value;
  state.r = Math.min(state.r, state.h);
  state.b = Math.min(state.b, Math.max(1, Math.floor(state.h / state.r)));
  for (const [one, most] of Object.entries(limitsNow())) {
    const input = $(`slider-${one}`);
    input.max = String(most);
    input.value = String(state[one]);
    $(`value-${one}`).textContent = String(state[one]);
  }
  walk = computed(state);
  draw();
  const found = walk.pairs.filter((pair) => pair.bands.length).length;
  $("live").textContent = `k ${state.k}, h ${state.h}, ${state.b} bands of ${state.r} rows: ${found} of ${walk.pairs.length} pairs are candidates.`;
}

fill($("controls"), h("div", { class: "sliders" }, Object.entries(SLIDERS).map(([name, title]) => h("div", { class: "slider" },
  h("label", { for: `slider-${name}` }, title, h("output", { id: `value-${name}`, for: `slider-${name}` }, String(state[name]))),
  // The largest value first: a browser cuts a value to the range that it has at that moment.
  h("input", { type: "range", id: `slider-${name}`, min: 1, max: limitsNow()[name], value: String(state[name]),
    oninput: (event) => changed(name, Number(event.target.value)) })))));
$("controls").addEventListener("submit", (event) => event.preventDefault());
$("tools").append(themeButton());
draw();
document.documentElement.dataset.ready = "";
