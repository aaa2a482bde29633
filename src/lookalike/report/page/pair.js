// -- the view of a pair -----------------------------------------------------------------------------------------------

/** The pair that is open, its passages, and the view of them if its texts are here. */
const open = { pair: null, blocks: [], anonymous: false, view: null, from: null };

/** Opens a pair; `from` is the document whose sources were shown before. */
function openPair(number, from = null) {
  const pair = pairs[number];
  Object.assign(open, { pair, blocks: blocksOf(pair), anonymous: state.anonymous, view: null, from });
  const article = $("pair");
  fill(article, pairHead(pair), scores(pair), pairMarks(pair));
  if (!hasTexts(pair)) {
    article.append(h("p", { class: "notice" }, missingTexts(pair)));
    return;
  }
  open.view = pairView(readingOf(pair, open.blocks));
  article.append(open.view.element);
}

function closePair() {
  Object.assign(open, { pair: null, view: null, from: null });
  fill($("pair"));
  fill($("proof"));
}

/** @returns {Reading} */
function readingOf(pair, blocks) {
  const both = [pair.a, pair.b];
  const code = isCode(UNIT, both.map((document) => String(docs.id[document])));
  return {
    names: both.map(nameOf), texts: both.map((document) => (code ? body.texts[document] : shownText(document))), code, spans: both.map(excludedSpans), letters: both.map((document) => body.letters?.[document] ?? []), blocks, least: state.least, unit: UNIT, unitsOf: blockUnits,
    abouts: both.map((document) => [aboutOf(document), count(unitsOf(document), UNIT)].filter(Boolean).join(" · ")),
  };
}

function missingTexts(pair) {
  const names = [pair.a, pair.b].map((document) => (state.anonymous ? nameOf(document) : String(docs.id[document])));
  return `The texts of this pair are not in this file. To read its passages: lookalike compare ${names.map(visible).join(" ")} --html pair.html`;
}

function pairHead(pair) {
  const place = shown.pairs.indexOf(pair);
  const toPair = (to, text) => {
    const other = shown.pairs[to];
    return other ? h("a", { href: `#pair-${other.i + 1}`, class: "button" }, text) : null;
  };
  return h("header", { class: "pair-head" },
    SINGLE ? null : h("nav", { class: "pair-nav", "aria-label": "Pairs" },
      open.from === null ? h("a", { href: `#${state.tab}`, class: "button", id: "back" }, "← All pairs")
        : documentLink(open.from, ["← Sources of ", nameElement(open.from)], { class: "button", id: "back" }),
      place >= 0 ? h("span", { class: "pair-place" }, `Pair ${whole(place + 1)} of ${whole(shown.pairs.length)}`) : null,
      place > 0 ? toPair(place - 1, "Previous pair") : null, place >= 0 ? toPair(place + 1, "Next pair") : null),
    pairTitle([pair.a, pair.b].map(nameOf)),
    SINGLE ? h("p", { class: "caution" }, h("strong", null, "Similarity is not proof of copying: read the passages.")) : null);
}

/** The scores both ways, and what was excluded from them. */
function scores(pair) {
  const first = firstOf(pair.a, pair.b);
  return h("div", { class: "scores-box" },
    scoreList(pair, hasTexts(pair) ? { unit: UNIT, shared: pair.units, of: [unitsOf(pair.a), unitsOf(pair.b)] } : null),
    h("p", { class: "explain" }, pair.short ? `The scores count passages of any length; by those of at least ${count(head.minWords, UNIT)} without a difference the pair is below the threshold. ` : null,
      `Excluded from the scores: ${reasonList(EXCLUDED_BY_SEARCH, !pair.short)}. `,
      hasTexts(pair) && state.skip !== EXCLUDED_BY_SEARCH ? `Excluded from the passages: ${reasonList(state.skip)}. ` : null,
      first === "a" || first === "b" ? ["First by date: ", nameElement(first === "a" ? pair.a : pair.b), `, ${docs.date[first === "a" ? pair.a : pair.b]}. `] : null,
      flagNotes([pair.a, pair.b])));
}

/** What is odd about documents. */
function flagNotes(documents) {
  return documents.flatMap((document) => (docs.flags?.[document] ?? []).map(([kind, detail]) =>
    h("span", { class: "flag-note" }, h("span", { class: "badge badge-flag" }, kind), " ", nameElement(document), detail && !state.anonymous ? `: ${visible(detail)} ` : " ")));
}

function pairMarks(pair) {
  const own = markOf(pair);
  const choices = [["", "No mark"], ["checked", "Checked"], ["not an issue", "Not an issue"]];
  const note = h("textarea", { id: "note", rows: "1", maxlength: "4000", value: own.note, oninput: () => setMark(pair, { note: note.value }) });
  return h("div", { class: "marks no-print" },
    h("fieldset", { class: "mark-choices" }, h("legend", { class: "sr" }, "Mark of this pair"), choices.map(([value, text]) => h("label", { class: "check" },
      h("input", { type: "radio", name: "mark", value, checked: own.mark === value, onchange: () => setMark(pair, { mark: value }) }), text))),
    h("div", { class: "field note-field" }, h("label", { for: "note" }, "Note"), note),
    h("button", { type: "button", class: "primary", id: "print-pair", onclick: () => window.print() }, "Print this pair"));
}
