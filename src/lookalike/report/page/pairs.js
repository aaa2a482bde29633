// -- tab Pairs --------------------------------------------------------------------------------------------------------

const pairLink = (pair, ...children) => h("a", { href: `#pair-${pair.i + 1}`, class: "pair-link" }, children);

const nameLine = (letter, name, about, document) => h("span", { class: "pair-name" }, h("span", { class: "side-letter" }, letter),
  h("span", null, name, about ? h("span", { class: "about about-inline" }, about) : null, document === null ? null : flagCell(document)));

/** Both names, each with author, date and label where they are known. */
const bothNames = (pair) => pairLink(pair, [["A", pair.a], ["B", pair.b]].map(([letter, document]) =>
  nameLine(letter, nameElement(document), aboutOf(document), document)));

/** Rows that are open, by the submissions of each. */
const unfolded = new Set();

/** The names of two submissions; if several of their files are similar, these can be unfolded. */
function rowNames(row) {
  if (row.all.length === 1) return bothNames(row.pair);
  const files = h("details", { class: "row-files", open: unfolded.has(row.key), ontoggle: () => (files.open ? unfolded.add(row.key) : unfolded.delete(row.key)) },
    h("summary", null, `${whole(row.all.length)} pairs of files`),
    h("ul", null, row.all.map((pair, i) => h("li", null, h("span", { class: "member-score" }, percent(pair.score)),
      pairLink(pair, row.ends[i].map((document, side) => [side ? " – " : null, bdi(fileName(document)), flagCell(document)]))))));
  return [pairLink(row.pair, [["A", row.pair.a], ["B", row.pair.b]].map(([letter, document]) => nameLine(letter, bdi(submissionName(document)), "", null))), files];
}

/** The name of a document beside that of its author. */
const fileName = (document) => (state.anonymous ? nameOf(document) : visible(docs.file?.[document] || docs.name?.[document] || docs.id[document]));

const badge = (pair) => kindBadge(kindOf(pair));

/** What was decided about all files of two submissions; a mark that only some have is not shown. */
function rowMark(row) {
  const [own, ...others] = row.all.map(markOf);
  return { mark: others.every((other) => other.mark === own.mark) ? own.mark : "", note: own.note || others.find((other) => other.note)?.note || "" };
}

function markSelect(row) {
  const { pair } = row;
  const own = rowMark(row);
  const select = h("select", {
    class: "mark-select", "aria-label": `Mark of the pair ${submissionName(pair.a)} and ${submissionName(pair.b)}`,
    onchange: () => row.all.forEach((each) => setMark(each, { mark: select.value })),
  }, [["", "–"], ...MARKS.map((mark) => [mark, mark])].map(([value, text]) => h("option", { value, selected: value === own.mark }, text)));
  return [select, own.note ? h("span", { class: "has-note", title: visible(own.note) }, "note") : null];
}

const FIRST = { a: "A", b: "B", same: "same day", "": "–" };

/** The columns of a list of pairs; of `short` ones those of passages are missing, in which words may differ. */
function pairColumns(short = false) {
  const columns = [
    { label: "#", class: "number rank", cell: (_, rank) => whole(rank) },
    { label: BY_SUBMISSION ? "Submissions" : "Documents", class: "names", header: true, sort: ({ pair }) => submissionName(pair.a), cell: rowNames },
    { label: "Similarity", class: "number", down: true, sort: ({ pair }) => pair.jaccard, cell: ({ pair }) => shareCell(pair.jaccard, head.metric !== "containment") },
    { label: "A in B", class: "number", down: true, sort: ({ pair }) => pair.inB, cell: ({ pair }) => shareCell(pair.inB, head.metric === "containment") },
    { label: "B in A", class: "number", down: true, sort: ({ pair }) => pair.inA, cell: ({ pair }) => shareCell(pair.inA, head.metric === "containment") },
  ];
  if (body.ready && !short) {
    columns.push(
      { label: `Shared ${UNITS}`, class: "number", down: true, sort: ({ pair }) => pair.units, cell: ({ pair }) => (hasTexts(pair) ? whole(pair.units) : "–") },
      { label: "Longest passage", class: "number", down: true, sort: ({ pair }) => pair.longest, cell: ({ pair }) => (hasTexts(pair) ? whole(pair.longest) : "–") },
    );
  }
  if (!short) columns.push({ label: "Kind", class: "kind", sort: ({ pair }) => kindOf(pair)[0], cell: ({ pair }) => badge(pair) });
  if (docs.date) columns.push({ label: "First", class: "first", sort: ({ pair }) => firstOf(pair.a, pair.b), cell: ({ pair }) => FIRST[firstOf(pair.a, pair.b)] });
  columns.push({ label: "Mark", class: "mark", sort: (row) => rowMark(row).mark, cell: markSelect });
  return columns;
}

function pairsTab() {
  const table = pagedTable({
    caption: `Pairs of similar ${BY_SUBMISSION ? "submissions" : "documents"}, the closest first`, columns: pairColumns(),
    empty: nothingListed,
    rowClass: (row) => (rowMark(row).mark === "not an issue" ? "row-quiet" : ""),
  });
  const said = h("p", { class: "explain" });
  const short = shortPairs();
  return {
    element: h("div", null, said, table.element, short?.element),
    draw() {
      fill(said, "Open a pair to read its passages side by side. ", h("b", null, "Similarity"),
        ` is the share of all ${head.recipe.k}-${UNIT} sequences that both documents have (Jaccard); `, h("b", null, "A in B"),
        " is the share of A that is also in B. Both are exact. ", BY_SUBMISSION ? "For two submissions, they are those of the two closest files. " : null, excludedFromScores(), lowerPairs());
      table.show(shown.rows);
      short?.draw();
    },
  };
}

/** The list of the pairs that share only passages that are too short to count; null if there are none. */
function shortPairs() {
  if (!head.short.count) return null;
  const listed = pairs.length - head.short.from;
  const number = listed === head.short.count ? count(listed, "pair") : `the ${whole(listed)} closest of ${count(head.short.count, "pair")}`;
  const title = `Similar only in passages shorter than ${count(head.minWords, UNIT)} (${number}, not counted)`;
  const table = pagedTable({ caption: title, columns: pairColumns(true), empty: "No such pair passes the filters." });
  return {
    element: h("section", { id: "short-passages", "aria-labelledby": "short-title" },
      h("h2", { class: "pair-section", id: "short-title" }, title),
      h("p", { class: "explain" }, "For example, every few words were exchanged: here every difference ends a passage. These scores count passages of any length."),
      table.element),
    draw: () => table.show(shown.short.map((pair) => ({ pair, all: [pair], ends: [[pair.a, pair.b]], key: `short ${pair.i}` }))),
  };
}

/** Why the list is empty, and what helps. */
function nothingListed() {
  if (shown.anyScore.length) return `No pair reaches ${percent(state.threshold, 0)}. Lower the threshold to see those that share less.`;
  if (filtered()) return "No pair passes the filters. Reset them to see more.";
  return `No two documents are at least ${percent(LOW, 0)} similar; ${lowerMissing()}.`;
}

/** How many pairs below the threshold share passages, with the button that shows them. */
function lowerPairs() {
  const more = shown.anyScore.filter((pair) => pair.score < state.threshold - 1e-9 && pair.count > 0).length;
  if (!more) return null;
  return h("span", { class: "lower" }, `${count(more, "more pair")} below ${percent(state.threshold, 0)} ${more === 1 ? "shares" : "share"} passages. `,
    h("button", { type: "button", class: "quiet", id: "show-lower", onclick: () => setThreshold(LOW) }, "Show all"));
}

const REASONS_NAMES = { quotes: "quotations", references: "references", template: "template text", common: "common text" };

/** The reasons of a mask in words. */
function reasonList(mask, byLength = true) {
  const names = Object.entries(head.reasons).filter(([, bit]) => (bit & mask) !== 0).map(([reason]) => REASONS_NAMES[reason]);
  if (byLength && head.minWords && mask === EXCLUDED_BY_SEARCH) names.push(`passages of fewer than ${count(head.minWords, UNIT)}`);
  return names.length ? names.join(", ") : "nothing";
}

/** What was excluded from the scores, shown next to them. */
const excludedFromScores = () => (EXCLUDED_BY_SEARCH || head.minWords ? `Excluded from them: ${reasonList(EXCLUDED_BY_SEARCH)}.` : "Nothing was excluded from them.");
