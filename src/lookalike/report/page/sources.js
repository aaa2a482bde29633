// -- one document with all its sources: each passage in the colour and with the letter of the one that has it ---------

const MOST_RANKED = 60;
const FIRST_LISTED = 12;

/** The document that is open, the pairs that are not to count, and the view of its text if that is here. */
const sources = { document: null, anonymous: false, off: new Set(), all: false, view: null };

const documentLink = (document, children, attributes = null) => h("a", { href: `#document-${document + 1}`, ...attributes }, children);

/** A, B … Z, AA, AB …: colours come back after twelve sources, letters never. */
const letterOf = (place) => (place < 26 ? "" : letterOf(Math.floor(place / 26) - 1)) + String.fromCharCode(65 + (place % 26));

function openDocument(document) {
  const off = everyPairOf(document).filter((pair) => !isSource(pair)).map((pair) => pair.i);
  Object.assign(sources, { document, anonymous: state.anonymous, off: new Set(off), all: false, view: null });
  const list = rankedSources(document);
  const slot = h("div");
  const draw = () => drawDocument(slot, document, list, draw);
  fill($("document"), documentHead(document), slot);
  draw();
}

function closeDocument() {
  Object.assign(sources, { document: null, view: null });
  fill($("document"));
}

/**
 * The sources of a document: first the one that has the most of it, then always the one that adds the most to those
 * before it.
 * @returns {{pair: Pair, other: number, runs: [number, number][], units: number, letter: string, look: string}[]}
 */
function rankedSources(document) {
  const left = everyPairOf(document).map((pair) => {
    const runs = unitRuns(document, pair);
    return { pair, other: otherOf(pair, document), runs, units: unitsWithin(document, runs) };
  }).filter((source) => source.units > 0).sort((x, y) => y.units - x.units || y.pair.score - x.pair.score);
  const made = [];
  let covered = [];
  let total = 0;
  while (left.length) {
    let [best, most] = [0, -1];
    for (let i = 0; i < left.length && made.length < MOST_RANKED && left[i].units > most; i += 1) {
      const adds = unitsWithin(document, merged([...covered, ...left[i].runs])) - total;
      if (adds > most) [best, most] = [i, adds];
    }
    const [source] = left.splice(best, 1);
    covered = merged([...covered, ...source.runs]);
    total += Math.max(0, most);
    made.push({ ...source, letter: letterOf(made.length), look: lookOf(made.length) });
  }
  return made;
}

function documentHead(document) {
  const number = shown.pairs.filter((pair) => pair.a === document || pair.b === document).length;
  return h("header", { class: "pair-head" },
    h("nav", { class: "pair-nav", "aria-label": "Documents" },
      h("a", { href: "#documents", class: "button" }, "← All documents"),
      number ? h("a", { href: "#pairs", class: "button", id: "its-pairs", onclick: () => change({ document, tab: "pairs" }) }, `List its ${count(number, "pair")}`) : null,
      h("button", { type: "button", id: "print-document", onclick: () => window.print() }, "Print this document")),
    h("h1", { id: "document-title", tabindex: "-1", class: "pair-title" }, nameElement(document)),
    h("p", { class: "run" }, [aboutOf(document), count(unitsOf(document), UNIT)].filter(Boolean).join(" · ")),
    h("p", { class: "caution" }, h("strong", null, "Similarity is not proof of copying: read the passages.")));
}

/** Draws what depends on which sources count. */
function drawDocument(slot, document, list, redraw) {
  const counted = list.filter((source) => !sources.off.has(source.pair.i));
  const found = foundElsewhere(document, counted.map((source) => source.pair));
  const pieces = hasText(document) ? piecesOf(document, counted) : [];
  const text = hasText(document) ? h("div", isProgram(document) ? { class: "text code", dir: "ltr" } : { class: "text", dir: "auto" }, sourcedText(document, pieces))
    : h("p", { class: "notice" }, "The text of this document is not in this file.");
  sources.view = hasText(document) ? { step: (by) => stepPiece(text, by) } : null;
  fill(slot, documentScores(document, found, counted),
    h("p", { class: "explain" }, `Found elsewhere: ${UNITS} in passages of at least ${count(state.least, UNIT)} that another document has, each counted once, whatever the score of the pair. `,
      `What several sources have is coloured by the first of them. Excluded: ${reasonList(state.skip)}. `, flagNotes([document])),
    list.length ? sourceStrip(document, pieces, text) : null,
    h("div", { class: "sourced" },
      h("section", { class: "source-box", "aria-labelledby": "sources-title" }, h("h2", { id: "sources-title", class: "pair-section" }, "Sources"), sourceList(document, list, counted, redraw)),
      h("section", { class: "sourced-text", "aria-label": "The text" }, sources.view && pieces.length ? pieceBar() : null, text)));
  announce(`${percent(found.share)} of this document is found elsewhere`);
}

function documentScores(document, found, counted) {
  const score = (name, value, note, strong) => h("div", { class: strong ? "score score-main" : "score" }, h("dt", null, name),
    h("dd", null, h("span", { class: "score-value" }, value), h("span", { class: "score-note" }, note)));
  const largest = counted.reduce((most, source) => (most === null || source.units > most.units ? source : most), null);
  const longest = counted.reduce((most, source) => (most === null || source.pair.longest > most.pair.longest ? source : most), null);
  return h("dl", { class: "scores" },
    score("Found elsewhere", percent(found.share), `${whole(found.units)} of ${count(found.of, UNIT)}`, true),
    score("Sources", whole(found.sources), "other documents with a passage of it"),
    score("Largest source", largest ? percent(largest.units / Math.max(1, found.of)) : "–", largest ? ["in ", nameElement(largest.other)] : "none"),
    score("Longest passage", longest ? count(longest.pair.longest, UNIT) : "–", longest ? ["also in ", nameElement(longest.other)] : "none"));
}

/** Each source with its letter, how much of the document it has, and how much nobody before it has. */
function sourceList(document, list, counted, redraw) {
  if (!list.length) return h("p", { class: "empty" }, "No other document in this file has a passage of it.");
  const total = Math.max(1, unitsOf(document));
  let covered = [];
  let before = 0;
  const items = list.map((source) => {
    const on = counted.includes(source);
    if (on) covered = merged([...covered, ...source.runs]);
    const now = on ? unitsWithin(document, covered) : before;
    const adds = now - before;
    before = now;
    const box = h("input", { type: "checkbox", checked: on, "aria-label": `Count source ${source.letter}, ${nameOf(source.other)}`, onchange: () => {
      if (box.checked) sources.off.delete(source.pair.i);
      else sources.off.add(source.pair.i);
      redraw();
      $("document").querySelector(`.source-list li:nth-child(${list.indexOf(source) + 1}) input`)?.focus();
    } });
    return h("li", { class: on ? source.look : `${source.look} source-off` }, box, h("span", { class: "source-letter", "aria-hidden": "true" }, source.letter),
      h("div", { class: "source-about" }, pairLink(source.pair, nameElement(source.other)),
        aboutOf(source.other) ? h("span", { class: "about" }, aboutOf(source.other)) : null,
        h("span", { class: "about" }, `${count(source.units, UNIT)} in ${count(source.pair.count, "passage")}`, on ? addedText(adds, source.units) : "; not counted",
          markOf(source.pair).mark ? ` · ${markOf(source.pair).mark}` : "")),
      shareCell(source.units / total, on));
  });
  const rest = sources.all ? [] : items.slice(FIRST_LISTED);
  for (const item of rest) item.hidden = true;
  const more = rest.length ? h("button", { type: "button", class: "quiet flush no-print", id: "more-sources", onclick: () => {
    sources.all = true;
    for (const item of rest) item.hidden = false;
    rest[0].querySelector("input").focus();
    more.remove();
  } }, `Show ${count(rest.length, "more source")}`) : null;
  return [h("ol", { class: "source-list" }, items), more];
}

function addedText(adds, units) {
  if (adds === units) return "";
  return adds === 0 ? "; all of it counted above" : `; ${whole(adds)} of them not counted above`;
}
