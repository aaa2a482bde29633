// -- what was found: stored documents that are like a text ------------------------------------------------------------

const NEAREST = 10;
const MOST_HITS = 100;

/**
 * A table of hits. `toPair` gives the address where a hit is read side by side.
 * @param {{it: string, toPair: (id: any) => string}} words `it` is what the text is called: "your text", "this document"
 */
function hitTable({ it, toPair }) {
  const exact = (hit) => typeof hit.standard_error !== "number";
  const readable = access.info.keep === "text";
  return pagedTable({
    caption: `Stored documents that are similar to ${it}, the closest first`,
    empty: "Nothing was found.",
    columns: [
      { label: "Document", class: "names", header: true, sort: (hit) => String(hit.id), cell: (hit) => (readable ? h("a", { href: toPair(hit.id), class: "hit-link" }, bdi(shownId(hit.id))) : bdi(shownId(hit.id))) },
      { label: "Similarity", class: "number", down: true, sort: (hit) => hit.jaccard, cell: (hit) => [
        shareCell(hit.jaccard, true), exact(hit) ? null : h("span", { class: "about" }, `± ${percent(hit.standard_error)}, estimated`)] },
      { label: `Of ${it} in it`, class: "number", down: true, sort: (hit) => hit.containment_query ?? -1, cell: (hit) => shareOf(hit.containment_query) },
      { label: `Of it in ${it}`, class: "number", down: true, sort: (hit) => hit.containment_document ?? -1, cell: (hit) => shareOf(hit.containment_document) },
      { label: "Kind", class: "kind", cell: (hit) => (exact(hit) ? kindBadge(kindOfShares(hit.jaccard, hit.containment_query, hit.containment_document, `${unitName(indexUnit())}s`)) : "–") },
    ],
  });
}

const shareOf = (share) => (typeof share === "number" ? shareCell(share) : "–");

/** Draws the answer to a question: a sentence as the heading, the hits, and what else can be asked. */
function drawHits(section, { hits, truncated }, { it, some, none, toPair, nearest, threshold, id }) {
  const title = h("h2", { id, tabindex: "-1" }, foundText(hits, threshold, it, some, none));
  const table = hitTable({ it, toPair });
  fill(section, title,
    hits.length ? h("p", { class: "explain" }, hitsExplained()) : null,
    hits.length ? table.element : threshold === null ? null : h("p", { class: "explain" }, `No ${some} is at least ${percent(threshold, 0)} similar to ${it}. A part of it may still be in one.`),
    (truncated || hits.length >= MOST_HITS) && threshold !== null ? h("p", { class: "explain" }, "There may be more than are listed here.") : null,
    nearest && threshold !== null ? h("p", null, h("button", { type: "button", id: "nearest", onclick: nearest }, `Show the ${NEAREST} nearest, however different`)) : null);
  table.show(hits);
  announce(hits.length ? `${title.textContent}. The closest is ${shownId(hits[0].id)}, ${percent(hits[0].jaccard)}.` : title.textContent);
  return title;
}

function hitsExplained() {
  const { keep } = access.info;
  return [keep === "text" ? "Open a document to read the shared passages side by side. " : "This index keeps no texts, so passages cannot be shown. ", h("b", null, "Similarity"),
    ` is the share of all short sequences of ${unitName(indexUnit())}s that both have; the other two columns say how much of one is in the other. `,
    keep === "signature" ? "The similarities are estimates." : "All three are exact."];
}

function foundText(hits, threshold, it, some, none) {
  if (threshold === null) return hits.length ? `The nearest ${count(hits.length, some)}` : `No ${some} shares anything with ${it}`;
  if (!hits.length) return none;
  return `${hits.length >= MOST_HITS ? "At least " : ""}${count(hits.length, some)} ${hits.length === 1 ? "is" : "are"} similar to ${it}`;
}
