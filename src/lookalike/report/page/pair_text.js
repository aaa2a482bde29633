// -- the text of one of two documents, with the passages that both have ------------------------------------------------

const COLOURS = 6;
const EDGES = 4;
const HAS_WORDS = /[\p{L}\p{N}]/u;
const REASON_NAMES = { quotes: "quotation", references: "reference", template: "template text", common: "common text" };

/**
 * A shared passage: how many units it has, then the places of its runs, a_start, a_end, b_start, b_end of each in turn,
 * as JavaScript counts; between two runs stand words that differ.
 * @typedef {[number, number[], number[]?]} Block
 *
 * What is excluded from a document: start, end, reason.
 * @typedef {[number, number, string]} Excluded
 *
 * Two documents to be read side by side; the first of each two is A. The texts are as they are shown. Letters are places
 * where a document has a letter that only looks like the one in the text: place, letter, place, letter …
 * @typedef {{names: string[], abouts: string[], texts: string[], spans: Excluded[][], letters?: any[][], blocks: Block[], least: number,
 *   unit: string, code: boolean, unitsOf: (block: Block) => number}} Reading
 */

/** Classes of a passage: twelve looks before one comes back, and the number is always there. */
const lookOf = (number) => `c${number % COLOURS} e${number % EDGES}`;

/** Where a passage lies in one document, and the runs in it; `side` is 0 for A and 1 for B. */
function placed(block, number, side) {
  const runs = [];
  for (let i = 0; i < block[1].length; i += 4) runs.push([block[1][i + 2 * side], block[1][i + 2 * side + 1]]);
  return { number, runs, start: runs[0][0], end: runs[runs.length - 1][1] };
}

const LEAST_LINE = 50;
const MOST_LINE = 100;

/**
 * A text as it is shown, as long as the text itself: where a writer's editor broke the lines of a paragraph, the column
 * breaks them instead. Lists, poems and programs have lines of other lengths, and stay.
 */
function flowing(text) {
  const lines = text.split(/\r?\n/);
  const inner = lines.filter((line, i) => line.trim() && lines[i + 1]?.trim());
  const wrapped = inner.filter((line) => line.length >= LEAST_LINE && line.length <= MOST_LINE);
  const broken = inner.length >= 3 && wrapped.length >= 0.8 * inner.length;
  return broken ? text.replace(/(?<=[^\r\n])\r?\n(?=[^\s])/g, (end) => " ".repeat(end.length)) : text;
}

/**
 * Draws the text of a document: passages numbered, coloured and edged; excluded text greyed, with the reason.
 * @param {Reading} reading
 * @param {0|1} side
 */
function markedText(reading, side) {
  const text = reading.texts[side];
  const write = reading.code ? codeWriter(text) : pieceWriter(text, reading.letters?.[side]);
  const writer = spanWriter(write, reading.spans[side]);
  const nodes = [];
  let at = 0;
  const marks = reading.blocks.map((block, number) => placed(block, number, side)).sort((x, y) => x.start - y.start || y.end - x.end);
  for (const mark of marks) {
    nodes.push(...writer(at, mark.start));
    nodes.push(markElement(reading, mark, side, at, writer));
    at = Math.max(at, mark.end);
  }
  nodes.push(...writer(at, text.length));
  return nodes;
}

/** One passage; what an earlier passage shows already is not shown again. */
function markElement(reading, mark, side, from, writer) {
  const letter = side === 0 ? "A" : "B";
  const block = reading.blocks[mark.number];
  const element = h("mark", { class: `passage-mark ${lookOf(mark.number)}`, id: `mark-${letter}-${mark.number + 1}`, "data-number": mark.number },
    h("button", {
      type: "button", class: "tag", "data-number": mark.number,
      "aria-label": `Passage ${mark.number + 1}, ${count(reading.unitsOf(block), reading.unit)}: show it in both documents`,
    }, String(mark.number + 1)));
  mark.runs.forEach(([start, end], i) => {
    if (i > 0) element.append(...gap(block, side, i, from, writer, reading.texts[side]));
    element.append(...writer(Math.max(start, from), end));
  });
  return element;
}

/** What stands between two runs of a passage: the words that differ, or a sign that the other one has more. */
function gap(block, side, run, from, writer, text) {
  const places = block[1];
  const [start, end] = [places[4 * run - 4 + 2 * side + 1], places[4 * run + 2 * side]];
  const between = text.slice(start, end);
  if (HAS_WORDS.test(between)) {
    const before = between.length - between.trimStart().length;
    const after = between.length - between.trimEnd().length;
    const words = h("span", { class: "diff", title: "differs in the other document" });
    words.append(...writer(Math.max(start + before, from), end - after));
    return [...writer(Math.max(start, from), start + before), words, ...writer(Math.max(end - after, from), end)];
  }
  return [...writer(Math.max(start, from), end), h("span", { class: "diff-none", title: "the other document has more words here" }, "‸")];
}

/** Where the pages of a text end: at form feeds, if none of them has a line of its own as in a program. */
const pageEnds = (text) => (/\f\r?\n/.test(text) ? [] : [...text.matchAll(/\f/g)].map((found) => found.index));

/** The pages that a passage stands on, as "p. 3"; nothing if the text has none. */
function pagesOf(text, { start, end }) {
  const ends = pageEnds(text);
  const [first, last] = [start, end - 1].map((at) => ends.filter((one) => one < at).length + 1);
  if (!ends.length) return "";
  return first === last ? `p. ${first}` : `pp. ${first}–${last}`;
}

/** Writes pieces of a text, with the numbers of its pages where they begin, and look-alike letters marked. */
function pieceWriter(text, letters = []) {
  const points = pageEnds(text).map((at, i) => [at, () => h("small", { class: "page-number", title: `page ${i + 2} begins` }, `p. ${i + 2}`)]);
  for (let i = 0; i < letters.length; i += 2) {
    const [at, letter] = [letters[i], letters[i + 1]];
    points.push([at, () => h("span", { class: "look-alike", title: `the document has ${escapeOf(letter)} here, a letter of another alphabet that looks like this one` }, text[at])]);
  }
  points.sort((x, y) => x[0] - y[0]);
  return (from, to) => {
    const nodes = [];
    let at = from;
    for (const [place, node] of points) {
      if (place < at || place >= to) continue;
      nodes.push(...pieces(text.slice(at, place)), node());
      at = place + 1;
    }
    return [...nodes, ...pieces(text.slice(at, to))];
  };
}

/** Writes pieces of a text, the excluded ones grey; the reason stands before the first piece of each. */
function spanWriter(write, spans) {
  return (from, to) => {
    const nodes = [];
    let at = from;
    for (const [start, end, reason] of spans) {
      if (end <= at || start >= to) continue;
      if (start > at) nodes.push(...write(at, start));
      const piece = h("span", { class: "excluded", title: `excluded: ${REASON_NAMES[reason]}` });
      if (start >= from) piece.append(h("small", { class: "why" }, `${REASON_NAMES[reason]}, excluded`));
      piece.append(...write(Math.max(start, at), Math.min(end, to)));
      nodes.push(piece);
      at = Math.min(end, to);
    }
    if (at < to) nodes.push(...write(at, to));
    return nodes;
  };
}
