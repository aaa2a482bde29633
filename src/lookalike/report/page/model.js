// -- the data and what is asked of it ---------------------------------------------------------------------------------

const head = JSON.parse($("data-head").textContent);
const body = { texts: {}, spans: {}, letters: {}, blocks: [], runs: [], back: {}, masked: {}, shared: [], ready: false };
const docs = head.documents;
const DOCUMENTS = docs.id.length;
const UNIT = head.unit === "char" ? "character" : head.unit;
const UNITS = `${UNIT}s`;
const SINGLE = head.kind === "pair";

/** @typedef {{i: number, a: number, b: number, jaccard: number, inB: number, inA: number, score: number, short: boolean, units: number, longest: number, count: number}} Pair */

/** @type {Pair[]} */
const pairs = head.pairs.a.map((a, i) => {
  const [jaccard, inB, inA] = [head.pairs.jaccard[i], head.pairs.containment_a[i], head.pairs.containment_b[i]];
  const score = head.metric === "containment" ? Math.max(inB, inA) : jaccard;
  const short = i >= (head.short?.from ?? Infinity);
  return { i, a, b: head.pairs.b[i], jaccard, inB, inA, score, short, units: 0, longest: 0, count: 0 };
});

/** The recall of the search, and of what: unless it says that itself, of the pairs above the threshold. */
const recallInWords = () =>
  head.recall.includes(" of ") ? head.recall : `${head.recall}, of pairs at or above ${percent(head.threshold, 0)}`;
/** The pairs that may be listed: those that are `short` share only passages that are too short to count. */
const countedPairs = pairs.filter((pair) => !pair.short);

/** Bits of the reasons for which the search itself excluded text. */
const EXCLUDED_BY_SEARCH = head.leftOutOfScores.reduce((mask, reason) => mask | head.reasons[reason], 0);

const state = {
  threshold: head.threshold,
  least: head.least,
  skip: EXCLUDED_BY_SEARCH,
  side: "all",
  label: "",
  mark: "",
  query: "",
  document: null,
  anonymous: false,
  tab: "pairs",
};

/** The pairs that pass all filters, those that pass all but the threshold, the former by submissions, and short ones. */
const shown = { pairs: [], anyScore: [], groups: [], rows: [], short: [] };

const listeners = [];
const onChange = (listener) => listeners.push(listener);
let waiting = false;

/** Changes the filters; what depends on them is drawn again at the next frame. */
function change(changes) {
  Object.assign(state, changes);
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    refresh();
  });
}

function refresh() {
  recount();
  shown.anyScore = countedPairs.filter(passes);
  shown.short = pairs.filter((pair) => pair.short && passes(pair));
  shown.pairs = shown.anyScore.filter((pair) => pair.score >= state.threshold - 1e-9);
  shown.groups = groupsOf(shown.pairs);
  shown.rows = rowsOf(shown.pairs);
  for (const listener of listeners) listener();
}

/** How many units a list of mask, units, mask, units … has, without excluded text. */
function counted(masks, skip = state.skip) {
  let sum = 0;
  for (let i = 0; i < masks.length; i += 2) if ((masks[i] & skip) === 0) sum += masks[i + 1];
  return sum;
}

/** The units of a passage that count. */
const blockUnits = (block) => (block[2] ? counted(block[2]) : block[0]);

/** The passages of a pair that count now, in the order of the first document. */
function blocksOf(pair) {
  return (body.blocks[pair.i] ?? []).filter((block) => {
    const units = blockUnits(block);
    return units >= state.least && units > 0;
  });
}

let recounted = "";
function recount() {
  const key = `${state.least} ${state.skip} ${body.ready}`;
  if (key === recounted) return;
  recounted = key;
  for (const pair of pairs) {
    pair.units = pair.longest = pair.count = 0;
    for (const block of body.blocks[pair.i] ?? []) {
      const units = blockUnits(block);
      if (units < state.least || units === 0) continue;
      pair.units += units;
      pair.count += 1;
      pair.longest = Math.max(pair.longest, units);
    }
  }
}

/** Whether passages decide which pairs are shown: not before somebody asked for it. */
const passagesDecide = () => body.ready && (state.least > head.least || (state.skip & ~EXCLUDED_BY_SEARCH) !== 0);

function passes(pair) {
  if (passagesDecide() && pair.units === 0 && hasTexts(pair)) return false;
  if (state.document !== null && pair.a !== state.document && pair.b !== state.document) return false;
  if (!onSide(pair)) return false;
  if (state.label && docs.label[pair.a] !== state.label && docs.label[pair.b] !== state.label) return false;
  if (state.mark && markOf(pair).mark !== (state.mark === "none" ? "" : state.mark)) return false;
  if (state.query) {
    const words = folded(state.query);
    if (!searchable(pair.a).includes(words) && !searchable(pair.b).includes(words)) return false;
  }
  return true;
}

/** Whether a pair is new against old, or not, as the filter wants it. */
const onSide = (pair) => state.side === "all" || (isOld(pair.a) || isOld(pair.b)) === (state.side === "old");

// -- submissions: the documents of one author -------------------------------------------------------------------------

/** The names of submissions, and the submission of each document, or null; null if nobody knows who wrote what. */
const submissions = head.submissions ?? null;
const submissionOf = (document) => submissions?.of[document] ?? -1 - document;
const sizes = new Map();
for (let document = 0; document < DOCUMENTS; document += 1) {
  sizes.set(submissionOf(document), (sizes.get(submissionOf(document)) ?? 0) + 1);
}

/** Whether a document is all that its author handed in. */
const isAlone = (document) => sizes.get(submissionOf(document)) === 1;

/** The author of a document where that is known, else its name. */
function submissionName(document) {
  const place = submissions?.of[document] ?? null;
  if (place === null) return nameOf(document);
  return state.anonymous ? `Author ${place + 1}` : visible(submissions.names[place]);
}

/**
 * Pairs by submissions, in the order of the first of each: `pair` is that one, and `ends` has both documents of each pair,
 * that of the author of `pair.a` first.
 * @returns {{pair: Pair, all: Pair[], ends: number[][], key: string}[]}
 */
function rowsOf(list) {
  const rows = new Map();
  for (const pair of list) {
    const [a, b] = [submissionOf(pair.a), submissionOf(pair.b)];
    const turned = rows.get(`${b} ${a}`);
    const key = turned ? `${b} ${a}` : `${a} ${b}`;
    if (!rows.has(key)) rows.set(key, { pair, all: [], ends: [], key });
    rows.get(key).all.push(pair);
    rows.get(key).ends.push(turned ? [pair.b, pair.a] : [pair.a, pair.b]);
  }
  return [...rows.values()];
}

/** Whether two submissions have more than one pair of files anywhere. */
const BY_SUBMISSION = submissions !== null && rowsOf(countedPairs).length < countedPairs.length;

// -- documents --------------------------------------------------------------------------------------------------------

const isOld = (document) => head.oldFrom !== null && document >= head.oldFrom;
const hasText = (document) => typeof body.texts[document] === "string";
const hasTexts = (pair) => hasText(pair.a) && hasText(pair.b);
const unitsOf = (document) => counted(docs.units?.[document] ?? []);

/** The name of a document for people; "Document 7" if names are hidden. */
function nameOf(document) {
  if (state.anonymous) return `Document ${document + 1}`;
  if (docs.file?.[document] && !docs.name?.[document]) {
    return visible(isAlone(document) ? docs.author[document] : `${docs.author[document]}: ${docs.file[document]}`);
  }
  return visible(docs.name?.[document] || docs.id[document]);
}

/** The name as an element. */
const nameElement = (document, attributes) => bdi(nameOf(document), attributes);

function searchable(document) {
  if (state.anonymous) return folded(nameOf(document));
  const known = [docs.id, docs.name, docs.author, docs.label, docs.file];
  return folded(known.map((column) => column?.[document]).filter(Boolean).join(" "));
}

/** What the name does not say: author or file, date and label, in one line; an author is a name. */
function aboutOf(document) {
  const file = docs.name?.[document] ? null : docs.file?.[document];
  return [
    state.anonymous ? null : file ? (isAlone(document) ? file : null) : docs.author?.[document],
    docs.date?.[document],
    docs.label?.[document],
    isOld(document) ? "old" : null,
  ].filter(Boolean).join(" · ");
}

/** Which of two documents was first by date: "a", "b", "same" or "". */
function firstOf(a, b) {
  const [x, y] = [docs.date?.[a], docs.date?.[b]];
  if (!x || !y) return "";
  const days = Math.min(x.length, y.length); // a day alone tells nothing about the hour of the other
  if (x.slice(0, days) === y.slice(0, days)) return "same";
  return x < y ? "a" : "b";
}

/** What kind of pair it is, in one word, and what the word means. Small changes all over lower the score, not this. */
function kindOf(pair) {
  const ofA = Math.max(pair.inB, pair.units / Math.max(1, unitsOf(pair.a)));
  const ofB = Math.max(pair.inA, pair.units / Math.max(1, unitsOf(pair.b)));
  return kindOfShares(pair.jaccard, ofA, ofB, UNITS);
}

/** The best pair of each document among the given ones. */
function bestMatches(list) {
  const best = new Map();
  for (const pair of list) {
    for (const document of [pair.a, pair.b]) {
      const before = best.get(document);
      if (before === undefined || pair.score > before.score) best.set(document, pair);
    }
  }
  return best;
}

/** The spans of a document that are excluded now: start, end, reason. */
function excludedSpans(document) {
  const flatSpans = body.spans[document] ?? [];
  const reasons = Object.entries(head.reasons);
  const spans = [];
  for (let i = 0; i < flatSpans.length; i += 3) {
    if ((flatSpans[i + 2] & state.skip) === 0) continue;
    const reason = reasons.find(([, bit]) => bit === flatSpans[i + 2])?.[0] ?? "common";
    spans.push([flatSpans[i], flatSpans[i + 1], reason]);
  }
  return spans.sort((x, y) => x[0] - y[0]);
}

const shownTexts = new Map();

/** Whether a document is shown as source code. */
const isProgram = (document) => isCode(UNIT, [String(docs.id[document])]);

/** How an excerpt is shown: the lines of a program are indented, and go from left to right. */
const textLook = (document) => (isProgram(document) ? { class: "program", dir: "ltr" } : { dir: "auto" });

/** The text of a document as it is shown. */
function shownText(document) {
  if (!shownTexts.has(document)) shownTexts.set(document, isProgram(document) ? body.texts[document] : flowing(body.texts[document]));
  return shownTexts.get(document);
}

/** Reads texts and passages, which are compressed when they are large. */
async function loadBody() {
  const element = $("data-body");
  let text = element.textContent;
  if (element.dataset.packing === "gzip") {
    if (typeof DecompressionStream === "undefined") return false;
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }
  Object.assign(body, JSON.parse(text), { ready: true });
  element.remove(); // it is held once now, not twice
  return true;
}
