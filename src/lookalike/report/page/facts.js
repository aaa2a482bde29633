// -- the top of the page: what was run, four facts, notices -----------------------------------------------------------

const METHODS = {
  exact: "every pair was compared exactly", lsh: "likely pairs were found by their signatures, then compared exactly",
  signatures: "pairs were found by their signatures, then compared exactly", brute: "every pair was compared exactly",
};

function buildTop() {
  const facts = ["documents", "pairs", "groups", "highest"].map((id) => {
    const value = h("p", { class: "fact-value", id: `fact-${id}` });
    const name = h("h2", { class: "fact-name" });
    const note = h("p", { class: "fact-note" });
    return { id, value, name, note, element: h("div", { class: "fact" }, name, value, note) };
  });
  fill($("facts"), facts.map((fact) => fact.element));
  onChange(() => {
    const title = state.anonymous ? "A collection of documents" : visible(head.title);
    fill($("title"), h("bdi", null, title));
    document.title = `${title} · lookalike`;
    fill($("run"), `${count(DOCUMENTS, "document")} compared on ${head.made} · scores are exact · ${METHODS[head.method] ?? head.method}`,
      ` · ${recallInWords()}`);
    for (const fact of facts) {
      const [name, value, note] = FACTS[fact.id]();
      fill(fact.name, name);
      fill(fact.value, value);
      fill(fact.note, note);
    }
    fill($("notices"), notices(), pairsNotice(), flagNotice(), $("said"));
  });
}

const FACTS = {
  documents() {
    const skipped = head.skipped.length;
    return [
      "Documents read", whole(DOCUMENTS),
      ["Files or rows with a text that could be compared. ",
        skipped ? [h("a", { href: "#skipped" }, `${whole(skipped)} skipped`), ", each with its reason."] : "Nothing was skipped."],
    ];
  },
  pairs() {
    const total = head.pairCount;
    return [
      BY_SUBMISSION ? "Pairs of submissions" : "Pairs", whole(shown.rows.length),
      [BY_SUBMISSION ? `${count(shown.pairs.length, "pair")} of files: two` : "Two", ` documents that are at least ${percent(state.threshold, 0)} similar`, filtered() ? " and pass the filters" : "", ". ",
        state.threshold < head.threshold - 1e-9 ? `${whole(total)} of all reach ${percent(head.threshold, 0)}, the threshold of the search; below it, only those that share a passage are listed.`
          : shown.pairs.length !== total ? `Of ${whole(total)} that the search ${head.pairsLeftOut.length ? "kept" : "found"}.`
          : head.pairsLeftOut.length ? "All but the omitted ones named above." : "All that the search found.",
        head.short.count ? ` Besides, ${count(head.short.count, "pair")} ${head.short.count === 1 ? "shares" : "share"} only short passages: see the end of the list.` : null],
    ];
  },
  groups() {
    const inGroups = shown.groups.reduce((sum, group) => sum + group.members.length, 0);
    return ["Clusters", whole(shown.groups.length),
      `Similar documents, ${head.linkage === "linked" ? "connected by chains of pairs" : "each similar to the representative of its cluster"}; ${count(inGroups, "document")} in all.`];
  },
  highest() {
    const best = shown.pairs.reduce((most, pair) => (most === null || Math.max(pair.inA, pair.inB) > Math.max(most.inA, most.inB) ? pair : most), null);
    if (best === null) return ["Highest share", "–", "No pair passes the filters."];
    const [part, of] = best.inB >= best.inA ? [best.a, best.b] : [best.b, best.a];
    return ["Highest share", percent(Math.max(best.inA, best.inB)),
      ["This much of ", h("a", { href: `#pair-${best.i + 1}` }, nameElement(part)), " is also in ", nameElement(of), "."]];
  },
};

/** What the reader has to know: what could not be read again, and what did not fit into the file. */
function notices() {
  const list = [];
  const { pairs: noPairs, texts: noTexts, shared: noShared } = head.leftOut;
  if (head.anonymous) list.push("The names are not in this file: documents have numbers, and names that were known are blacked out in the texts. Other names may remain. The key is a separate file.");
  if (head.problem) list.push(head.problem);
  if (!body.ready) list.push("This browser cannot unpack the texts in this file, so passages are not shown. A newer one can.");
  if (noPairs > 0) {
    list.push(`Only the ${whole(countedPairs.length)} closest of ${whole(head.pairCount)} pairs are listed. For the others, raise the threshold (-t) or write all of them with lookalike scan … -o pairs.csv.`);
  }
  if (noTexts > 0) {
    list.push(`The texts of ${count(noTexts, "document")} did not fit into this file (at most ${whole(head.limits.text / 1e6)} million characters); lookalike compare A B --html pair.html shows such a pair.`);
  }
  if (noShared > 0) list.push(`The tab Passages has the ${whole(head.limits.shared)} rarest passages; ${whole(noShared)} more are in the pairs.`);
  if (head.limited) list.push(`${count(head.limited, "document")} are in clusters so large that not all their pairs are listed: each is listed with its representative and a few others.`);
  if (head.copies === "first") list.push("There are too many copies to list all their pairs: each is listed only with the first one.");
  return list.map((text) => h("p", { class: "notice" }, state.anonymous && text === head.problem ? "Some texts could not be read again." : text));
}

/** Which pairs were found and are not here; what stands in brackets may name a file. */
function pairsNotice() {
  const said = head.pairsLeftOut.map((text) => (state.anonymous ? text.replace(/ \(.*\)$/, "") : text));
  return said.length ? h("p", { class: "notice", id: "omitted-pairs" }, "Not in this report: ", visible(said.join("; ")), ".") : null;
}

function toResults(changes) {
  change(changes);
  $("results").scrollIntoView({ block: "start" });
}

const FLAGS_NAMED = 20;

/** Which documents have something odd about them, with a link to the pairs of each. */
function flagNotice() {
  const flagged = (docs.flags ?? []).flatMap((list, document) => (list.length ? [document] : []));
  if (!flagged.length) return null;
  const kinds = [...new Set(flagged.flatMap((document) => docs.flags[document].map(([kind]) => kind)))];
  const paired = new Set(countedPairs.flatMap((pair) => [pair.a, pair.b]));
  return h("p", { class: "notice", id: "flagged" },
    `${count(flagged.length, "document")} ${flagged.length === 1 ? "has" : "have"} ${kinds.join(" or ")}: `,
    flagged.slice(0, FLAGS_NAMED).map((document, i) => [i ? ", " : "", paired.has(document)
      ? h("a", { href: "#pairs", onclick: () => toResults({ document, tab: "pairs" }) }, nameElement(document))
      : h("a", { href: "#documents", onclick: () => toResults({ tab: "documents" }) }, nameElement(document))]),
    flagged.length > FLAGS_NAMED ? ` and ${whole(flagged.length - FLAGS_NAMED)} more` : "", ".");
}

function buildFoot() {
  onChange(() => {
    const rows = [
      ["Made by", `lookalike ${head.version}, ${head.made}`],
      ["Recipe", [h("code", null, head.recipeText), ` · digest ${head.recipeDigest}`]],
      ["Command", head.command && !state.anonymous ? h("code", null, head.command) : state.anonymous || head.anonymous ? "hidden with the names" : "made by a program, not by a command"],
      ["SHA-256 of all texts", head.digest ? h("code", null, head.digest) : "not known, since not all texts could be read again"],
    ];
    fill($("foot"), h("h2", { class: "foot-title" }, "To make this report again"),
      h("dl", { class: "foot-list" }, rows.map(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
      h("p", null, SINGLE ? null : ["The digest of each text is under ", h("a", { href: "#settings" }, "Settings"), ". "],
        "This page is one file. It works offline and sends nothing anywhere."));
  });
}
