// -- two documents side by side: scores, passages, columns that scroll together ----------------------------------------

/** The name of a document: one in Arabic must not turn the line around it. */
const bdi = (name, attributes) => h("bdi", attributes ?? null, name);

/** Both names as the heading of a view. */
const pairTitle = (names) => h("h1", { id: "pair-title", tabindex: "-1", class: "pair-title" },
  h("span", null, bdi(names[0])), h("span", { class: "and" }, "and"), h("span", null, bdi(names[1])));

/**
 * The exact scores both ways, and how much of both is in passages if that is known.
 * @param {{inB: number, inA: number, jaccard: number}} scores
 * @param {{unit: string, shared: number, of: number[]}|null} passages
 */
function scoreList({ inB, inA, jaccard }, passages) {
  const exact = h("span", { class: "exact", title: "counted on the whole texts, not estimated" }, "exact");
  const score = (name, value, note, marked = true) => h("div", { class: "score" }, h("dt", null, name),
    h("dd", null, h("span", { class: "score-value" }, value), marked ? exact.cloneNode(true) : null, h("span", { class: "score-note" }, note)));
  const share = (side) => percent(Math.min(1, passages.shared / Math.max(1, passages.of[side])), 0);
  return h("dl", { class: "scores" },
    score("A in B", percent(inB), "of A is also in B"),
    score("B in A", percent(inA), "of B is also in A"),
    score("Similarity", percent(jaccard), "of all that is in A or B is in both"),
    passages === null ? null : score(`Shared ${passages.unit}s`, whole(passages.shared), `in passages: ${share(0)} of A, ${share(1)} of B`, false));
}

/** What may differ in a passage. */
const PASSAGE_NOTES = { word: "a few words in it may differ", token: "names may differ, comments and imports do not count, and a few other tokens may differ" };

/**
 * The passages of two documents and their texts. `step` goes to the next passage or back.
 * @param {Reading} reading
 */
function pairView(reading) {
  const { blocks, least, unit } = reading;
  const view = { reading, chosen: -1, panes: [], leader: null, element: h("div", { class: "reading" }) };
  view.panes = [0, 1].map((side) => pane(view, side));
  fill(view.element,
    h("h2", { class: "pair-section" }, count(blocks.length, "shared passage")),
    h("p", { class: "explain" }, blocks.length
      ? `A passage is a run of at least ${count(least, unit)} that both documents have; ${PASSAGE_NOTES[unit] ?? PASSAGE_NOTES.word}.`
      : `The documents share no passage of ${count(least, unit)} or more that counts; their similarity comes from shorter ones.`),
    overviewStrip(reading, (n) => choose(view, n)), passageBar(view),
    h("div", { class: "columns", id: "columns" }, view.panes.map((one) => one.closest(".column"))));
  applyOptions(view);
  return { element: view.element, step: (by) => step(view, by), choose: (n) => blocks[n] && choose(view, n) };
}

/** Buttons for the passages, and how they are shown. */
function passageBar(view) {
  const { blocks, unit, unitsOf } = view.reading;
  const option = (id, text) => h("label", { class: "check" }, h("input", { type: "checkbox", id, checked: memory.get(`lookalike-${id}`) !== "off", onchange: (event) => {
    memory.set(`lookalike-${id}`, event.target.checked ? "on" : "off");
    applyOptions(view);
  } }), text);
  return h("div", { class: "passage-bar no-print" },
    h("div", { class: "passage-steps" },
      h("button", { type: "button", id: "previous-passage", onclick: () => step(view, -1) }, "← Previous"),
      h("button", { type: "button", id: "next-passage", onclick: () => step(view, 1) }, "Next →"),
      option("differences", unit === "token" ? "Differences" : "Word differences"), option("together", "Scroll together"),
      option("keys", h("span", null, "Keys ", h("kbd", null, "n"), " and ", h("kbd", null, "p")))),
    h("ol", { class: "chips", "aria-label": "Passages" }, blocks.map((block, n) => h("li", null,
      h("button", { type: "button", class: `chip ${lookOf(n)}`, "data-number": n, onclick: () => choose(view, n) },
        h("span", { class: "chip-number" }, String(n + 1)), count(unitsOf(block), unit), chipPages(view.reading, block, n))))));
}

/** Where a passage stands, in the documents that have pages: "A p. 3, B p. 5". */
function chipPages(reading, block, number) {
  const pages = reading.texts.map((text, side) => pagesOf(text, placed(block, number, side)));
  const said = pages.map((page, side) => (page ? `${side === 0 ? "A" : "B"} ${page}` : "")).filter(Boolean).join(", ");
  return said ? ` · ${said}` : null;
}

const optionOn = (id) => $(id)?.checked ?? memory.get(`lookalike-${id}`) !== "off";

function applyOptions(view) {
  const box = view.element.querySelector("#differences");
  view.element.querySelector("#columns").classList.toggle("hide-differences", !box.checked);
}

function pane(view, side) {
  const letter = side === 0 ? "A" : "B";
  const name = view.reading.names[side];
  const text = h("div", { class: view.reading.code ? "text code" : "text", dir: view.reading.code ? "ltr" : "auto" }, markedText(view.reading, side));
  const box = h("div", { class: "pane", tabindex: "0", role: "region", "aria-label": visible(`${letter}: ${name}`) }, text);
  h("section", { class: "column" }, h("h3", { class: "column-head" }, h("span", { class: "side-letter" }, letter), bdi(name),
    h("span", { class: "about" }, view.reading.abouts[side])), box);
  box.addEventListener("click", (event) => {
    const mark = event.target.closest("[data-number]");
    if (mark && window.getSelection().isCollapsed) choose(view, Number(mark.dataset.number), box);
  });
  for (const start of ["pointerenter", "pointerdown", "wheel", "touchstart", "focusin", "keydown"]) {
    box.addEventListener(start, () => {
      view.leader = box;
    }, { passive: true });
  }
  box.addEventListener("scroll", () => follow(view, box), { passive: true });
  return box;
}

function step(view, by) {
  const { length } = view.reading.blocks;
  if (!length) return;
  const from = view.chosen < 0 ? (by > 0 ? -1 : 0) : view.chosen;
  choose(view, (from + by + length) % length);
}

/** Chooses a passage: marked in both columns, and both scroll so that it stands at the same height. */
function choose(view, number, kept = null) {
  const { blocks, unit, unitsOf } = view.reading;
  view.chosen = number;
  view.leader = null;
  for (const element of view.element.querySelectorAll("[data-number]")) {
    const is = Number(element.dataset.number) === number;
    element.classList.toggle("chosen", is);
    if (element.classList.contains("chip")) {
      if (is) {
        element.setAttribute("aria-current", "true");
        element.scrollIntoView({ block: "nearest", inline: "nearest" });
      } else element.removeAttribute("aria-current");
    }
  }
  const marks = view.panes.map((box) => box.querySelector(`.passage-mark[data-number="${number}"]`));
  let height = view.panes[0].clientHeight / 5;
  if (kept !== null) height = topOf(marks[view.panes.indexOf(kept)], kept) - kept.scrollTop;
  view.panes.forEach((box, i) => {
    if (box !== kept && marks[i]) box.scrollTop = topOf(marks[i], box) - height;
  });
  if (kept === null) view.element.querySelector("#columns").scrollIntoView({ block: "nearest" });
  announce(`Passage ${number + 1} of ${blocks.length}, ${count(unitsOf(blocks[number]), unit)}`);
}

/** Where an element begins inside a pane that scrolls. */
const topOf = (element, box) => element.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;

/** Moves the other column along: between two passages that both have in the same order, in proportion. */
function follow(view, box) {
  if (view.leader !== box || !optionOn("together")) return;
  const other = view.panes.find((one) => one !== box);
  const ends = [[0, 0]];
  for (const mark of box.querySelectorAll(".passage-mark")) {
    const twin = other.querySelector(`.passage-mark[data-number="${mark.dataset.number}"]`);
    const point = [topOf(mark, box), topOf(twin, other)];
    const last = ends[ends.length - 1];
    if (point[0] > last[0] && point[1] > last[1]) ends.push(point);
  }
  ends.push([box.scrollHeight, other.scrollHeight]);
  const middle = box.scrollTop + box.clientHeight / 3;
  const next = Math.max(1, ends.findIndex(([own]) => own > middle));
  const [[x1, y1], [x2, y2]] = [ends[next - 1], ends[next]];
  other.scrollTop = y1 + ((middle - x1) / Math.max(1, x2 - x1)) * (y2 - y1) - other.clientHeight / 3;
}

/** Whether a key that was pressed is for the page: not for a field, not with Ctrl or the like. */
function isForPage(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  return !event.target.closest?.("input:not([type=checkbox]):not([type=radio]), textarea, select, dialog");
}

/** n and p go from passage to passage. One-letter keys can be switched off: they get in the way of speech input. */
function passageKeys(event, view) {
  if (!optionOn("keys")) return;
  if (event.key === "n") view.step(1);
  if (event.key === "p") view.step(-1);
}

/** What kind of pair it is, in one word, and what the word means: by how much of each document is in the other. */
function kindOfShares(jaccard, ofA, ofB, units) {
  if (jaccard >= 1) return ["identical", `the same ${units} in the same order, apart from ${units === "tokens" ? "names, values, comments and layout" : "case and punctuation"}`];
  if (Math.min(ofA, ofB) >= 0.8) return ["near copy", "most of both documents is the same"];
  if (Math.max(ofA, ofB) >= 0.8) return ["contained", "most of one document is in the other, longer one"];
  return ["in part", "parts of the documents are the same"];
}

const kindBadge = ([word, meaning]) => h("span", { class: `badge badge-${word.replace(" ", "-")}`, title: meaning }, word);
