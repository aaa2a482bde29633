// -- what was found: stored documents that are like a text ------------------------------------------------------------

const NEAREST = 10;
const MOST_HITS = 100;

/**
 * A table of hits. `toPair` gives the address where a hit is read side by side.
 * @param {{it: string, toPair: (id: any) => string}} words `it` is what the text is called: "your text", "this document"
 */
function hitTable({ it, toPair }) {
  const exact = (hit) => typeof hit.estimate !== "number";
  const readable = access.info.keep === "text";
  return pagedTable({
    caption: `Stored documents that are similar to ${it}, the closest first`,
    empty: "Nothing was found.",
    columns: [
      { label: "Document", class: "names", header: true, sort: (hit) => String(hit.id), cell: (hit) => [
        readable ? h("a", { href: toPair(hit.id), class: "hit-link" }, bdi(shownId(hit.id))) : bdi(shownId(hit.id)),
        hit.same_id ? h("span", { class: "about same-id" }, " same name") : null] },
      { label: access.info.keep === "signature" ? "≈ Similarity" : "Similarity", class: "number", down: true, sort: similarity, cell: (hit) => [
        shareCell(similarity(hit), true), exact(hit) ? null : h("span", { class: "about" }, `± ${percent(hit.standard_error)}, estimated`)] },
      { label: `Of ${it} in it`, class: "number", down: true, sort: (hit) => hit.containment_query ?? -1, cell: (hit) => shareOf(hit.containment_query) },
      { label: `Of it in ${it}`, class: "number", down: true, sort: (hit) => hit.containment_document ?? -1, cell: (hit) => shareOf(hit.containment_document) },
      { label: "Kind", class: "kind", cell: (hit) => (exact(hit) ? kindBadge(kindOfShares(hit.jaccard, hit.containment_query, hit.containment_document, `${unitName(indexUnit())}s`)) : "–") },
    ],
  });
}

/** What hits are ranked by: measured, or estimated where only signatures are kept. */
const similarity = (hit) => hit.jaccard ?? hit.estimate;

const shareOf = (share) => (typeof share === "number" ? shareCell(share) : "–");

/** Draws the answer to a question: a sentence as the heading, the hits, and what else can be asked. */
function drawHits(section, { hits, truncated, recall, nearest: near, skipped_same_id: skipped, not_judged: unjudged }, { it, some, none, toPair, nearest, threshold, id }) {
  if (unjudged) {
    const title = h("h2", { id, tabindex: "-1" }, `${it[0].toUpperCase()}${it.slice(1)} has no words: it was not compared`);
    fill(section, title);
    announce(title.textContent);
    return title;
  }
  const wholeOnly = near !== undefined && threshold !== null;
  const title = h("h2", { id, tabindex: "-1" }, foundText(hits, threshold, it, some, wholeOnly ? `No ${some} is similar to ${it} as a whole` : none));
  const table = hitTable({ it, toPair });
  fill(section, title,
    hits.length ? h("p", { class: "explain" }, hitsExplained()) : null,
    hits.length ? table.element : threshold === null || wholeOnly ? null : h("p", { class: "explain" }, `No ${some} is at least ${percent(threshold, 0)} similar to ${it}. A part of it may still be in one.`),
    (truncated || hits.length >= MOST_HITS) && threshold !== null ? h("p", { class: "explain" }, "There may be more than are listed here.") : null,
    skipped && it !== "this document" ? h("p", { class: "explain" }, "1 stored under the same name was not compared.") : null,
    wholeOnly ? nearestOf(near.filter(({ id: other }) => !hits.some((hit) => hit.id === other)), hits.length > 0, { it, toPair }) : null,
    threshold === null ? null : h("p", { class: "explain", id: "recall" }, recallText(recall, threshold)),
    nearest && threshold !== null ? h("p", null, h("button", { type: "button", id: "nearest", onclick: nearest }, `Show the ${NEAREST} nearest, however different`)) : null);
  table.show(hits);
  announce(hits.length ? `${title.textContent}. The closest is ${shownId(hits[0].id)}, ${percent(similarity(hits[0]))}.` : title.textContent);
  return title;
}

/** What an index whose preset is meant for copied passages can say: it compares whole documents. */
function nearestOf(near, besides, { it, toPair }) {
  const table = hitTable({ it, toPair });
  table.show(near);
  return h("div", { class: "nearest", id: "nearest-few" },
    h("div", { class: "notice", role: "note" }, h("p", null, "Whole documents were compared; a copied paragraph is not searched. For that, use ", h("code", null, "lookalike scan NEW --preset essays --against OLD"), ".")),
    near.length ? [h("h3", null, besides ? "The nearest others" : "The nearest, however different"), h("p", { class: "explain" }, hitsExplained()), table.element] : null);
}

/** What share of the similar documents is found. */
function recallText(recall, threshold) {
  const { promised } = recall;
  const all = `documents that are at least ${percent(threshold, 0)} similar`;
  if (promised !== null) return promised >= 1 ? `All ${all} are found.` : `At least ${percent(Math.floor(1000 * promised) / 1000)} of the ${all} are found.`;
  return access.info.keep === "signature" ? "Similarities are estimated, so documents close to the minimum may be missing." : `How many of the ${all} are listed is not known.`;
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
