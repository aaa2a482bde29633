// -- the text of a document with its sources, and where they are in it ------------------------------------------------

/** What is left of a passage that a source before it has in part is shown if it has a dozen letters. */
const WORDS_ENOUGH = /(?:[\p{L}\p{N}][^\p{L}\p{N}]*){12}/u;

/**
 * The document cut into the pieces that a source has: what two of them have belongs to the one that comes first.
 * @returns {{start: number, end: number, source: any, block: Block, side: number, passage: number, first: boolean}[]}
 */
function piecesOf(document, counted) {
  const text = shownText(document);
  const made = [];
  let taken = [];
  for (const source of counted) {
    ownBlocks(document, source.pair).forEach((own) => {
      const { block, side } = own;
      const passage = passageOfBlock(document, source.pair, own);
      const [start, end] = endsOf(block, side);
      const free = without([start, end], taken).filter(([from, to]) => (from === start && to === end) || WORDS_ENOUGH.test(text.slice(from, to)));
      free.forEach(([from, to], i) => made.push({ start: from, end: to, source, block, side, passage, first: i === 0 }));
      taken = merged([...taken, [start, end]]);
    });
  }
  return made.sort((x, y) => x.start - y.start);
}

function sourcedText(document, pieces) {
  const text = shownText(document);
  const write = isProgram(document) ? codeWriter(text) : pieceWriter(text, body.letters?.[document] ?? []);
  const writer = spanWriter(write, excludedSpans(document));
  const nodes = [];
  let at = 0;
  for (const piece of pieces) {
    nodes.push(...writer(at, piece.start), pieceElement(document, piece, writer, text));
    at = piece.end;
  }
  return [...nodes, ...writer(at, text.length)];
}

/** One piece: its letter leads to the passage in the pair, and so does a click on it. */
function pieceElement(document, { start, end, source, block, side, passage, first }, writer, text) {
  const href = `#pair-${source.pair.i + 1}-${passage + 1}`;
  const element = h("mark", { class: `passage-mark ${source.look}`, "data-start": start, onclick: (event) => {
    if (!event.target.closest("a") && window.getSelection().isCollapsed) window.location.hash = href;
  } }, first ? h("a", { class: "tag", href, "aria-label": `Source ${source.letter}, ${nameOf(source.other)}: passage of ${count(blockUnits(block), UNIT)}. Open the pair` }, source.letter) : null);
  let at = start;
  for (const [from, to] of placed(block, passage, side).runs) {
    if (to <= at || from >= end) continue;
    if (from > at) element.append(...differing(at, Math.min(from, end), writer, text));
    element.append(...writer(Math.max(from, at), Math.min(to, end)));
    at = Math.min(to, end);
  }
  if (at < end) element.append(...differing(at, end, writer, text));
  return element;
}

/** What stands between two runs: words that the source does not have there. */
function differing(start, end, writer, text) {
  const nodes = writer(start, end);
  return HAS_WORDS.test(text.slice(start, end)) ? [h("span", { class: "diff", title: "differs in the source" }, nodes)] : nodes;
}

/** The whole document as a bar, with the pieces of each source at their places. */
function sourceStrip(document, pieces, text) {
  const length = Math.max(1, shownTextLength(document));
  const drawing = svg("svg", { class: "strip source-strip", viewBox: `0 0 ${STRIP_WIDTH} ${BAR}`, preserveAspectRatio: "none", role: "img",
    "aria-label": `Where the ${count(pieces.length, "passage")} of the sources are in the document` },
  svg("rect", { class: "strip-ground", x: 0, y: 0, width: STRIP_WIDTH, height: BAR, rx: 2 }));
  for (const piece of pieces) {
    const group = svg("g", { class: `strip-passage ${piece.source.look}` }, bar(piece.start, piece.end, length, 0, "strip-shared"));
    group.addEventListener("click", () => text.querySelector(`[data-start="${piece.start}"]`)?.scrollIntoView({ block: "center" }));
    drawing.append(group);
  }
  return drawing;
}

const shownTextLength = (document) => (hasText(document) ? shownText(document).length : docs.length?.[document] ?? 1);

function pieceBar() {
  return h("div", { class: "passage-steps no-print" },
    h("button", { type: "button", id: "previous-piece", onclick: () => sources.view.step(-1) }, "← Previous"),
    h("button", { type: "button", id: "next-piece", onclick: () => sources.view.step(1) }, "Next →"),
    h("span", { class: "about" }, "A letter opens the passage in both documents."));
}

/** Moves the focus to the letter of the next passage, or of the one before. */
function stepPiece(text, by) {
  const tags = [...text.querySelectorAll(".tag")];
  if (!tags.length) return;
  const at = tags.indexOf(document.activeElement);
  const next = tags[at < 0 ? (by > 0 ? 0 : tags.length - 1) : (at + by + tags.length) % tags.length];
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "center" });
}
