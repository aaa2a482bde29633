// -- tabs Skipped and Settings ----------------------------------------------------------------------------------------

function skippedTab() {
  const reasons = new Map();
  for (const [, reason] of head.skipped) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const table = pagedTable({
    caption: "What was not read, and why",
    columns: [
      { label: "Name", class: "names", header: true, sort: ([id]) => id, cell: ([id], rank) => (state.anonymous ? `Skipped ${rank}` : h("bdi", null, id)) },
      { label: "Reason", sort: ([, reason]) => reason, cell: ([, reason]) => h("span", { class: "badge" }, reason) },
      { label: "In words", class: "detail", cell: ([, , detail]) => (state.anonymous ? "–" : detail || "–") },
    ],
    empty: "Nothing was skipped: everything could be read.",
  });
  const said = [...reasons].sort((x, y) => y[1] - x[1]).map(([reason, number]) => `${whole(number)} ${reason}`).join(", ");
  return {
    element: h("div", null, head.skipped.length ? h("p", { class: "explain" }, `Not read, so not compared: ${said}.`) : null, table.element),
    draw: () => table.show(head.skipped),
  };
}

const RECIPE_WORDS = {
  unit: "What a sequence is made of", k: "Length of a sequence", bag: "Repeats count", lowercase: "Case is ignored",
  whitespace: "Runs of white space", punctuation: "Punctuation", accents: "Accents", digits: "Digits", stop_words: "Stop words",
  invisible: "Invisible characters", form: "Unicode form", sketch: "Signature", family: "Hash functions", hashes: "Numbers in a signature", seed: "Seed",
};

const spoken = (value) => (value === true ? "yes" : value === false ? "no" : Array.isArray(value) ? value.join(", ") : String(value));

function settingsTab() {
  const digests = pagedTable({
    caption: "SHA-256 of the text of each document",
    columns: [
      { label: "Document", class: "names", header: true, sort: nameOf, cell: (document) => nameElement(document) },
      { label: "SHA-256 of its text, as UTF-8", class: "digest", cell: (document) => h("code", null, docs.sha256?.[document] ?? "not read again") },
    ],
    empty: "There are no documents.",
  });
  const search = h("dl", { class: "settings" });
  const everything = Array.from({ length: DOCUMENTS }, (_, document) => document);
  return {
    element: h("div", null,
      h("h3", null, "The search"), search,
      h("h3", null, "The recipe: what decides a similarity"),
      h("dl", { class: "settings" }, Object.entries(head.recipe).map(([name, value]) => [h("dt", null, RECIPE_WORDS[name] ?? name), h("dd", null, spoken(value))])),
      h("h3", null, "Digests"), digests.element),
    draw() {
      const rows = [
        ["Threshold of the search", percent(head.threshold, 0)],
        LOW < head.threshold ? ["Pairs in this file", `down to ${percent(LOW, 0)}; below ${percent(head.threshold, 0)} those that share a passage`] : null,
        ["Score", head.metric === "containment" ? "share of one document in the other" : ({ bag: "Jaccard similarity, repeats counted", cosine: "cosine of the counts of shingles", euclidean: "1 / (1 + Euclidean distance) of the counts of shingles" })[head.metric] ?? "Jaccard similarity"],
        ["Method", `${head.method}: ${METHODS[head.method] ?? ""}`],
        ["Recall", recallInWords().replace(/^recall /, "")],
        ["Clusters", head.linkage === "linked" ? "by chains of pairs (linked)" : "around a representative (star)"],
        ["Excluded from the scores", reasonList(EXCLUDED_BY_SEARCH)],
        ["Shortest passage", count(head.least, UNIT)],
        head.oldFrom === null ? null : ["Old documents", `${whole(DOCUMENTS - head.oldFrom)}, not compared with each other`],
        ["Command", state.anonymous || head.anonymous ? "hidden with the names" : head.command || "made by a program"],
        ["In short", head.summary],
        head.notes.length && !state.anonymous ? ["Notes", h("ul", null, head.notes.slice(0, 100).map((note) => h("li", null, note)))] : null,
      ].filter(Boolean);
      fill(search, rows.map(([name, value]) => [h("dt", null, name), h("dd", null, value)]));
      digests.show(everything);
    },
  };
}
