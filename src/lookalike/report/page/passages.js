// -- tab Passages: each shared passage once, the rarest first ---------------------------------------------------------

const PASSAGES_PER_PAGE = 20;
const EXCERPT = 700;

function passagesTab() {
  let page = 0;
  let listed = [];
  const said = h("p", { class: "explain" });
  const list = h("ol", { class: "passages" });
  const pager = pagerOf((to) => {
    page = to;
    drawPage();
    list.scrollIntoView({ block: "start" });
  }, PASSAGES_PER_PAGE);

  function drawPage() {
    page = Math.min(page, Math.max(0, Math.ceil(listed.length / PASSAGES_PER_PAGE) - 1));
    const first = page * PASSAGES_PER_PAGE;
    list.start = first + 1;
    fill(list, listed.slice(first, first + PASSAGES_PER_PAGE).map(passageElement));
    list.hidden = listed.length === 0;
    pager.draw(page, listed.length);
  }

  return {
    element: h("div", null, said, list, pager.element),
    draw() {
      const visiblePairs = new Set(shown.pairs.map((pair) => pair.i));
      listed = body.shared.map(passageOf).filter((passage) => passage.those.some((pair) => visiblePairs.has(pair.i)))
        .sort((x, y) => x.all.length - y.all.length || y.most - x.most);
      fill(said, listed.length
        ? `${count(listed.length, "passage")}, each listed once with every document that has it. Those that the fewest documents have come first: what only two share is harder to explain by chance.`
        : "No shared passage passes the filters.");
      drawPage();
    },
  };
}

/**
 * A passage with the words that count now, as the view of a pair counts them: those of its passages in the pairs.
 * A document has as many as it shares there with any other one; of `others` only is known that they have most of it.
 * @param {[[number, number, number][], [number, number][], number[]]} shared
 */
function passageOf([places, blocks, others]) {
  const units = new Map();
  const those = [];
  for (const [i, number] of blocks) {
    const own = blockUnits(body.blocks[i][number]);
    if (own < state.least || own === 0) continue;
    those.push(pairs[i]);
    for (const document of [pairs[i].a, pairs[i].b]) units.set(document, Math.max(own, units.get(document) ?? 0));
  }
  const all = [...units.keys(), ...others].sort((x, y) => x - y);
  return { places, those, units, all, most: Math.max(0, ...units.values()), least: Math.min(...units.values()) };
}

function passageElement({ places, those, units, all, most, least }) {
  const source = places.find(([document]) => units.has(document) && hasText(document));
  const same = most === least && units.size === all.length;
  const words = (document) => (same ? null : units.has(document) ? ` (${count(units.get(document), UNIT)})` : " (most of it)");
  return h("li", { class: "passage" },
    h("p", { class: "passage-head" }, same ? "" : "up to ", h("b", null, count(most, UNIT)), ` in ${count(all.length, "document")}`),
    source === undefined ? h("p", { class: "about" }, "The text is not in this file.") : excerpt(...source),
    h("ul", { class: "passage-documents" }, all.slice(0, 30).map((document) => h("li", null, passageLink(document, those), words(document))),
      all.length > 30 ? h("li", null, `and ${whole(all.length - 30)} more`) : null));
}

function passageLink(document, those) {
  const pair = those.find((one) => one.a === document || one.b === document);
  return pair ? pairLink(pair, nameElement(document)) : nameElement(document);
}

/** The beginning of a passage, without excluded text before it; all of it on demand. */
function excerpt(document, start, end) {
  const text = shownText(document);
  const spans = excludedSpans(document);
  const writer = spanWriter(pieceWriter(text), spans);
  const look = textLook(document);
  const from = spans.reduce((at, span) => (span[0] <= at && span[1] > at && span[1] < end ? span[1] : at), start);
  const begun = from + /^[\s.,;:!?)\]”"'»]*/.exec(text.slice(from, end))[0].length;
  if (end - begun <= EXCERPT && begun === start) return h("blockquote", look, writer(start, end));
  const cut = end - begun <= EXCERPT ? end : begun + text.slice(begun, begun + EXCERPT).replace(/\s+\S*$/, "").length;
  const quote = h("blockquote", look, writer(begun, cut), cut < end ? " …" : null);
  const all = h("button", { type: "button", class: "quiet flush", onclick: () => {
    fill(quote, writer(start, end));
    all.remove();
  } }, "Show all of it");
  return [quote, all];
}
