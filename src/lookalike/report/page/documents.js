// -- tab Documents ----------------------------------------------------------------------------------------------------

/** The places of a document that it shares with others, as one strip. */
function sharedStrip(document, list) {
  const length = docs.length?.[document] || body.texts[document]?.length || 1;
  const strip = svg("svg", { class: "mini-strip", viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img" });
  strip.append(svg("rect", { class: "strip-ground", x: 0, y: 0, width: 100, height: 8 }));
  let covered = 0;
  for (const [start, end] of merged(placesOf(document, list))) {
    covered += end - start;
    strip.append(svg("rect", { class: "strip-shared", x: (100 * start) / length, y: 0, width: Math.max(0.6, (100 * (end - start)) / length), height: 8 }));
  }
  strip.setAttribute("aria-label", `${percent(Math.min(1, covered / length), 0)} of its text is shared`);
  return strip;
}

function placesOf(document, list) {
  return list.flatMap((pair) => blocksOf(pair).map((block) => {
    const places = block[1];
    const side = pair.a === document ? 0 : 2;
    return [places[side], places[places.length - 4 + side + 1]];
  }));
}

/** Joins places that overlap. */
function merged(places) {
  const made = [];
  for (const [start, end] of places.sort((x, y) => x[0] - y[0])) {
    const last = made[made.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else made.push([start, end]);
  }
  return made;
}

function flagCell(document) {
  return (docs.flags?.[document] ?? []).map(([kind, detail]) => h("span", { class: "badge badge-flag", title: visible(detail) }, kind));
}

function documentColumns(found) {
  const columns = [
    {
      label: "Document", class: "names", header: true, sort: nameOf,
      cell: (document) => [
        found.pairs.has(document)
          ? h("a", { href: "#pairs", onclick: () => change({ document, tab: "pairs" }) }, nameElement(document))
          : nameElement(document),
        aboutOf(document) ? h("span", { class: "about" }, aboutOf(document)) : null,
      ],
    },
    { label: "Best match", class: "number", down: true, sort: (document) => found.best.get(document)?.score ?? -1, cell: (document) => {
      const pair = found.best.get(document);
      return pair ? shareCell(pair.score, true) : "–";
    } },
    { label: "With", class: "names partner", cell: (document) => {
      const pair = found.best.get(document);
      return pair ? pairLink(pair, nameElement(pair.a === document ? pair.b : pair.a)) : "–";
    } },
    { label: "Partners", class: "number", down: true, sort: (document) => found.pairs.get(document)?.length ?? 0, cell: (document) => whole(found.pairs.get(document)?.length ?? 0) },
  ];
  if (body.ready) columns.push({ label: "Where its text is shared", class: "strip-cell", cell: (document) => (hasText(document) ? sharedStrip(document, found.pairs.get(document) ?? []) : "–") });
  if (docs.length) columns.push({ label: "Characters", class: "number", down: true, sort: (document) => docs.length[document], cell: (document) => whole(docs.length[document]) });
  if (docs.flags) columns.push({ label: "Flags", class: "flags", down: true, sort: (document) => docs.flags[document].length, cell: flagCell });
  return columns;
}

function documentsTab() {
  const found = { best: new Map(), pairs: new Map() };
  const table = pagedTable({ caption: "Documents, those with the closest match first", columns: documentColumns(found), empty: "No document fits what you search for." });
  const flagged = (docs.flags ?? []).filter((list) => list.length).length;
  return {
    element: h("div", null,
      h("p", { class: "explain" }, "A name leads to the pairs of the document, its best match to that pair. ",
        flagged ? `${count(flagged, "document")} ${flagged === 1 ? "has" : "have"} a flag: hidden text or letters of another script that look alike, which copiers use.` : null),
      table.element),
    draw() {
      found.best = bestMatches(shown.pairs);
      found.pairs = new Map();
      for (const pair of shown.pairs) {
        for (const document of [pair.a, pair.b]) {
          if (!found.pairs.has(document)) found.pairs.set(document, []);
          found.pairs.get(document).push(pair);
        }
      }
      table.show(listedDocuments(found));
    },
  };
}

/** Documents that fit the search and the label, the closest first; all of them if nothing is asked for. */
function listedDocuments(found) {
  const words = state.query.toLowerCase();
  const list = [];
  for (let document = 0; document < DOCUMENTS; document += 1) {
    if (words && !searchable(document).includes(words)) continue;
    if (state.label && docs.label[document] !== state.label) continue;
    list.push(document);
  }
  const score = (document) => found.best.get(document)?.score ?? -1;
  return list.sort((x, y) => score(y) - score(x) || x - y);
}
