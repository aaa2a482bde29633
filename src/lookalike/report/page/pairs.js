// -- tab Pairs --------------------------------------------------------------------------------------------------------

const pairLink = (pair, ...children) => h("a", { href: `#pair-${pair.i + 1}`, class: "pair-link" }, children);

/** Both names, each with author, date and label where they are known. */
const bothNames = (pair) => pairLink(pair, [["A", pair.a], ["B", pair.b]].map(([letter, document]) =>
  h("span", { class: "pair-name" }, h("span", { class: "side-letter" }, letter),
    h("span", null, nameElement(document), aboutOf(document) ? h("span", { class: "about about-inline" }, aboutOf(document)) : null, flagCell(document)))));

const badge = (pair) => kindBadge(kindOf(pair));

function markSelect(pair) {
  const own = markOf(pair);
  const select = h("select", {
    class: "mark-select", "aria-label": `Mark of the pair ${nameOf(pair.a)} and ${nameOf(pair.b)}`,
    onchange: () => setMark(pair, { mark: select.value }),
  }, [["", "–"], ...MARKS.map((mark) => [mark, mark])].map(([value, text]) => h("option", { value, selected: value === own.mark }, text)));
  return [select, own.note ? h("span", { class: "has-note", title: visible(own.note) }, "note") : null];
}

const FIRST = { a: "A", b: "B", same: "same day", "": "–" };

function pairColumns() {
  const columns = [
    { label: "#", class: "number rank", cell: (_, rank) => whole(rank) },
    { label: "Documents", class: "names", header: true, sort: (pair) => nameOf(pair.a), cell: bothNames },
    { label: "Similarity", class: "number", down: true, sort: (pair) => pair.jaccard, cell: (pair) => shareCell(pair.jaccard, head.metric !== "containment") },
    { label: "A in B", class: "number", down: true, sort: (pair) => pair.inB, cell: (pair) => shareCell(pair.inB, head.metric === "containment") },
    { label: "B in A", class: "number", down: true, sort: (pair) => pair.inA, cell: (pair) => shareCell(pair.inA, head.metric === "containment") },
  ];
  if (body.ready) {
    columns.push(
      { label: `Shared ${UNITS}`, class: "number", down: true, sort: (pair) => pair.units, cell: (pair) => (hasTexts(pair) ? whole(pair.units) : "–") },
      { label: "Longest passage", class: "number", down: true, sort: (pair) => pair.longest, cell: (pair) => (hasTexts(pair) ? whole(pair.longest) : "–") },
    );
  }
  columns.push({ label: "Kind", class: "kind", sort: (pair) => kindOf(pair)[0], cell: badge });
  if (docs.date) columns.push({ label: "First", class: "first", sort: (pair) => firstOf(pair.a, pair.b), cell: (pair) => FIRST[firstOf(pair.a, pair.b)] });
  columns.push({ label: "Mark", class: "mark", sort: (pair) => markOf(pair).mark, cell: markSelect });
  return columns;
}

function pairsTab() {
  const table = pagedTable({
    caption: "Pairs of documents that look alike, the closest first", columns: pairColumns(),
    empty: "No pair passes the filters. Lower the threshold, or reset the filters.",
    rowClass: (pair) => (markOf(pair).mark === "not an issue" ? "row-quiet" : ""),
  });
  const said = h("p", { class: "explain" });
  return {
    element: h("div", null, said, table.element),
    draw() {
      fill(said, "Open a pair to read its passages side by side. ", h("b", null, "Similarity"),
        ` is the share of all ${head.recipe.k}-${UNIT} sequences that both documents have (Jaccard); `, h("b", null, "A in B"),
        " is the share of A that is also in B. Both are exact. ", leftOutOfScores());
      table.show(shown.pairs);
    },
  };
}

const REASONS_NAMES = { quotes: "quotations", references: "references", template: "template text", common: "common text" };

/** The reasons of a mask in words. */
function reasonList(mask) {
  const names = Object.entries(head.reasons).filter(([, bit]) => (bit & mask) !== 0).map(([reason]) => REASONS_NAMES[reason]);
  if (head.minWords && mask === LEFT_OUT_BY_SEARCH) names.push(`passages of fewer than ${count(head.minWords, UNIT)}`);
  return names.length ? names.join(", ") : "nothing";
}

/** What did not count in the scores, to be said next to them. */
const leftOutOfScores = () => (LEFT_OUT_BY_SEARCH || head.minWords ? `Left out of them: ${reasonList(LEFT_OUT_BY_SEARCH)}.` : "Nothing was left out of them.");
