// -- two documents side by side ---------------------------------------------------------------------------------------

/** What is open, for the keys n and p. */
let reader = null;

/** The text that was checked, beside a stored document. */
function hitView(id) {
  if (checked.text === null) return goneView();
  return sideBySide({ text: checked.text }, { id }, [checked.name || "Your text", shownId(id)], h("a", { href: linkTo("check"), class: "button", id: "back" }, "← Back to the check"));
}

/** Two stored documents. */
function pairOf(a, b) {
  return sideBySide({ id: a }, { id: b }, [shownId(a), shownId(b)], h("a", { href: linkTo("document", a), class: "button", id: "back" }, "← Back to ", bdi(shownId(a))));
}

function goneView() {
  return h("div", { class: "lead" }, h("h1", { id: "title", tabindex: "-1" }, "The text is gone"),
    h("p", { class: "run" }, "This page keeps a text only as long as it is open. ", h("a", { href: linkTo("check") }, "Check it again"), "."));
}

function sideBySide(a, b, names, back) {
  back.addEventListener("click", () => {
    returning = window.location.hash;
  });
  const slot = h("div", { class: "slot" });
  const body = h("div");
  work("Looking for shared passages", slot, async (signal) => {
    const texts = await Promise.all([a, b].map(async (side) => side.text ?? (await api.document(side.id, signal)).text));
    const found = await api.compare(a, b, signal);
    const reading = readingOf(found.reading, texts, names);
    reader = pairView(reading);
    fill(body, scoreList({ inB: found.containment_a, inA: found.containment_b, jaccard: found.jaccard },
      { unit: reading.unit, shared: reading.blocks.reduce((sum, block) => sum + block[0], 0), of: found.reading.units }), reader.element);
  });
  return h("article", { "aria-labelledby": "pair-title" },
    h("header", { class: "pair-head" }, h("nav", { class: "pair-nav", "aria-label": "Back" }, back), pairTitle(names),
      h("p", { class: "caution" }, h("strong", null, "Similarity is not proof of copying: read the passages."))),
    slot, body);
}

/**
 * What the server said of two texts as the view of a pair takes it; its places are code points.
 * @returns {Reading}
 */
function readingOf({ unit, least, units, passages }, texts, names) {
  const at = texts.map(utf16);
  const blocks = passages.map((passage) => [passage.units, passage.runs.flatMap(([a1, a2, b1, b2]) => [at[0](a1), at[0](a2), at[1](b1), at[1](b2)])]);
  const word = unitName(unit);
  const code = isCode(unit, names);
  return {
    names, texts: code ? texts : texts.map(flowing), code, spans: [[], []], blocks, least, unit: word, unitsOf: (block) => block[0],
    abouts: units.map((number) => count(number, word)),
  };
}

/** Turns a place in code points into one as JavaScript counts, where a character beyond U+FFFF is two. */
function utf16(text) {
  const moved = []; // the places of such characters, in code points
  for (const { index } of text.matchAll(/[\u{10000}-\u{10ffff}]/gu)) moved.push(index - moved.length);
  return (place) => {
    let [low, high] = [0, moved.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (moved[middle] < place) low = middle + 1;
      else high = middle;
    }
    return place + low;
  };
}
