// -- tab Documents ----------------------------------------------------------------------------------------------------

/** The places of a document that it shares with others, as one strip. */
function sharedStrip(document, list) {
  const length = docs.length?.[document] || body.texts[document]?.length || 1;
  const strip = svg("svg", { class: "mini-strip", viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img" });
  strip.append(svg("rect", { class: "strip-ground", x: 0, y: 0, width: 100, height: 8 }));
  for (const [start, end] of merged(placesOf(document, list))) {
    strip.append(svg("rect", { class: "strip-shared", x: (100 * start) / length, y: 0, width: Math.max(0.6, (100 * (end - start)) / length), height: 8 }));
  }
  strip.setAttribute("aria-label", "Where its text is found elsewhere");
  return strip;
}

function placesOf(document, list) {
  return list.flatMap((pair) => ownBlocks(document, pair).map(({ block, side }) => endsOf(block, side)));
}

function flagCell(document) {
  return (docs.flags?.[document] ?? []).map(([kind, detail]) => h("span", { class: "badge badge-flag", title: visible(detail) }, kind));
}

function documentColumns(found) {
  const columns = [
    {
      label: "Document", class: "names", header: true, sort: nameOf,
      cell: (document) => [
        everyPairOf(document).length ? documentLink(document, nameElement(document)) : nameElement(document),
        aboutOf(document) ? h("span", { class: "about" }, aboutOf(document)) : null,
      ],
    },
  ];
  if (body.ready) {
    columns.push({ label: "Found elsewhere", class: "number", down: true, sort: (document) => found.shares.get(document)?.share ?? -1, cell: (document) => {
      const own = found.shares.get(document);
      return own ? shareCell(own.share, true) : "–";
    } }, { label: "Sources", class: "number", down: true, sort: (document) => found.shares.get(document)?.sources ?? 0, cell: (document) => whole(found.shares.get(document)?.sources ?? 0) });
  }
  columns.push(
    { label: "Best match", class: "number", down: true, sort: (document) => found.best.get(document)?.score ?? -1, cell: (document) => {
      const pair = found.best.get(document);
      return pair ? shareCell(pair.score, !body.ready) : "–";
    } },
    { label: "With", class: "names partner", cell: (document) => {
      const pair = found.best.get(document);
      return pair ? pairLink(pair, nameElement(pair.a === document ? pair.b : pair.a)) : "–";
    } },
  );
  if (body.ready) columns.push({ label: "Where", class: "strip-cell", cell: (document) => (hasText(document) ? sharedStrip(document, everyPairOf(document).filter(isSource)) : "–") });
  if (docs.length) columns.push({ label: "Characters", class: "number", down: true, sort: (document) => docs.length[document], cell: (document) => whole(docs.length[document]) });
  if (docs.flags) columns.push({ label: "Flags", class: "flags", down: true, sort: (document) => docs.flags[document].length, cell: flagCell });
  return columns;
}

function documentsTab() {
  const found = { best: new Map(), shares: new Map() };
  const table = pagedTable({ caption: body.ready ? "Documents, sorted by how much of each is found elsewhere" : "Documents, sorted by their closest match", columns: documentColumns(found), empty: "No document matches your search." });
  const flagged = (docs.flags ?? []).filter((list) => list.length).length;
  return {
    element: h("div", null,
      h("p", { class: "explain" }, body.ready ? ["A name leads to the document with all its sources. ", h("b", null, "Found elsewhere"),
        ` is the share of its ${UNITS} in passages that any other document has, each counted once, whatever the threshold. `] : null,
        flagged ? `${count(flagged, "document")} ${flagged === 1 ? "has" : "have"} a flag: something that a reader does not see, which can hide copying.` : null),
      table.element),
    draw() {
      found.best = bestMatches(shown.pairs);
      found.shares = new Map();
      for (let document = 0; body.ready && document < DOCUMENTS; document += 1) {
        if (docs.units?.[document]) found.shares.set(document, foundElsewhere(document));
      }
      table.show(listedDocuments(found));
    },
  };
}

/** Documents that fit the search and the label, those first of which the most is found elsewhere. */
function listedDocuments(found) {
  const words = folded(state.query);
  const list = [];
  for (let document = 0; document < DOCUMENTS; document += 1) {
    if (words && !searchable(document).includes(words)) continue;
    if (state.label && docs.label[document] !== state.label) continue;
    list.push(document);
  }
  const share = (document) => found.shares.get(document)?.share ?? -1;
  const score = (document) => found.best.get(document)?.score ?? -1;
  return list.sort((x, y) => share(y) - share(x) || score(y) - score(x) || x - y);
}
