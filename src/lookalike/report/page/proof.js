// -- print this pair: the passages in a numbered table of two columns -------------------------------------------------

function drawProof() {
  const { pair, blocks } = open;
  if (pair === null) return;
  const facts = [
    ["A", [nameElement(pair.a), aboutOf(pair.a) ? ` · ${aboutOf(pair.a)}` : ""]],
    ["B", [nameElement(pair.b), aboutOf(pair.b) ? ` · ${aboutOf(pair.b)}` : ""]],
    ["Scores (exact)", `${percent(pair.inB)} of A is in B, ${percent(pair.inA)} of B is in A, similarity ${percent(pair.jaccard)}`],
    hasTexts(pair) ? ["Passages", `${whole(blocks.length)} of at least ${count(state.least, UNIT)}, ${count(pair.units, UNIT)} in all`] : null,
    ["Excluded from the scores", reasonList(EXCLUDED_BY_SEARCH)],
    markOf(pair).mark || markOf(pair).note ? ["Mark", [markOf(pair).mark, markOf(pair).note].filter(Boolean).join(": ")] : null,
  ].filter(Boolean);
  fill($("proof"),
    h("h1", null, "Shared passages of two documents"),
    h("p", { class: "caution" }, h("strong", null, "Similarity is not proof of copying: read the passages.")),
    h("dl", null, facts.map(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
    hasTexts(pair) ? h("table", null,
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "No."), h("th", { scope: "col" }, "A: ", nameElement(pair.a)), h("th", { scope: "col" }, "B: ", nameElement(pair.b)))),
      h("tbody", null, blocks.map((block, number) => h("tr", null,
        h("th", { scope: "row" }, String(number + 1), h("span", null, count(blockUnits(block), UNIT))),
        [pair.a, pair.b].map((document, side) => h("td", textLook(document), proofText(document, block, number, side))))))) : h("p", null, missingTexts(pair)),
    h("p", { class: "proof-key" }, `${UNIT === "token" ? "What differs is" : "Words that differ are"} underlined; ‸ marks where the other document has more${UNIT === "token" ? "" : " words"}.`),
    h("p", { class: "proof-foot" }, `lookalike ${head.version} · ${head.made} · recipe ${head.recipeText} (${head.recipeDigest})`,
      docs.sha256 ? [h("br"), `SHA-256 of A ${docs.sha256[pair.a] ?? "unknown"}`, h("br"), `SHA-256 of B ${docs.sha256[pair.b] ?? "unknown"}`] : null));
}

function proofText(document, block, number, side) {
  const text = shownText(document);
  const writer = spanWriter(pieceWriter(text, body.letters?.[document]), excludedSpans(document));
  const mark = placed(block, number, side);
  const nodes = mark.runs.flatMap(([start, end], i) => [...(i > 0 ? gap(block, side, i, 0, writer, text) : []), ...writer(start, end)]);
  const pages = pagesOf(text, mark);
  return [h("span", { class: "proof-place" }, `${pages ? `${pages}, ` : ""}${linesOf(document, mark)}, characters ${whole(mark.start + 1)} to ${whole(mark.end)}`), ...nodes];
}

/** The lines that a passage stands on, in the text as it was read. */
function linesOf(document, { start, end }) {
  const starts = [0, ...[...body.texts[document].matchAll(/\r\n|\r|\n/g)].map((found) => found.index + found[0].length)];
  const [first, last] = [start, end - 1].map((at) => starts.filter((from) => from <= at).length);
  return first === last ? `line ${whole(first)}` : `lines ${whole(first)}–${whole(last)}`;
}
