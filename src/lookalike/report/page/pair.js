// -- the pair view ----------------------------------------------------------------------------------------------------

/** The pair that is open, its passages, and which of them is chosen. */
const open = { pair: null, blocks: [], chosen: -1, anonymous: false, panes: [], leader: null };

function openPair(number) {
  const pair = pairs[number];
  Object.assign(open, { pair, blocks: blocksOf(pair), chosen: -1, anonymous: state.anonymous, leader: null });
  drawPair();
}

function closePair() {
  open.pair = null;
  fill($("pair"));
  fill($("proof"));
}

function drawPair() {
  const { pair, blocks } = open;
  const article = $("pair");
  fill(article, pairHead(pair), scores(pair), pairMarks(pair));
  if (!hasTexts(pair)) {
    article.append(h("p", { class: "notice" }, missingTexts(pair)));
    open.panes = [];
    return;
  }
  const note = h("p", { class: "explain" }, blocks.length
    ? `A passage is a run of at least ${count(state.least, UNIT)} that both documents have; a few different words may stand in it.`
    : `The documents share no passage of ${count(state.least, UNIT)} or more that counts; their similarity comes from shorter ones.`);
  open.panes = [pair.a, pair.b].map((document, side) => pane(document, side));
  article.append(h("h2", { class: "pair-section" }, count(blocks.length, "shared passage")), note,
    overviewStrip(pair, blocks, (n) => choose(n)), passageBar(), h("div", { class: "columns", id: "columns" }, open.panes.map((one) => one.closest(".column"))));
  applyOptions();
}

function missingTexts(pair) {
  const names = [pair.a, pair.b].map((document) => (state.anonymous ? nameOf(document) : String(docs.id[document])));
  return `The texts of this pair are not in this file. To read its passages: lookalike compare ${names.map(visible).join(" ")} --html pair.html`;
}

function pairHead(pair) {
  const place = shown.pairs.indexOf(pair);
  const toPair = (to, text) => {
    const other = shown.pairs[to];
    return other ? h("a", { href: `#pair-${other.i + 1}`, class: "button" }, text) : null;
  };
  return h("header", { class: "pair-head" },
    SINGLE ? null : h("nav", { class: "pair-nav", "aria-label": "Pairs" },
      h("a", { href: `#${state.tab}`, class: "button", id: "back" }, "← All pairs"),
      place >= 0 ? h("span", { class: "pair-place" }, `Pair ${whole(place + 1)} of ${whole(shown.pairs.length)}`) : null,
      place > 0 ? toPair(place - 1, "Previous pair") : null, place >= 0 ? toPair(place + 1, "Next pair") : null),
    h("h1", { id: "pair-title", tabindex: "-1", class: "pair-title" }, h("span", null, nameElement(pair.a)), h("span", { class: "and" }, "and"), h("span", null, nameElement(pair.b))),
    SINGLE ? h("p", { class: "caution" }, h("strong", null, "Similarity is not proof of copying: read the passages.")) : null);
}

/** The scores both ways, each marked exact, and what was left out of them. */
function scores(pair) {
  const exact = h("span", { class: "exact", title: "counted on the whole texts, not estimated" }, "exact");
  const score = (name, value, note, marked = true) => h("div", { class: "score" }, h("dt", null, name),
    h("dd", null, h("span", { class: "score-value" }, value), marked ? exact.cloneNode(true) : null, h("span", { class: "score-note" }, note)));
  const [ofA, ofB] = [unitsOf(pair.a), unitsOf(pair.b)];
  const first = firstOf(pair.a, pair.b);
  return h("div", { class: "scores-box" },
    h("dl", { class: "scores" },
      score("A in B", percent(pair.inB), "of A is also in B"),
      score("B in A", percent(pair.inA), "of B is also in A"),
      score("Similarity", percent(pair.jaccard), "of all that is in A or B is in both"),
      hasTexts(pair) ? score(`Shared ${UNITS}`, whole(pair.units), `in passages: ${percent(Math.min(1, pair.units / Math.max(1, ofA)), 0)} of A, ${percent(Math.min(1, pair.units / Math.max(1, ofB)), 0)} of B`, false) : null),
    h("p", { class: "explain" }, `Left out of the scores: ${reasonList(LEFT_OUT_BY_SEARCH)}. `,
      hasTexts(pair) && state.skip !== LEFT_OUT_BY_SEARCH ? `Left out of the passages: ${reasonList(state.skip)}. ` : null,
      first === "a" || first === "b" ? ["First by date: ", nameElement(first === "a" ? pair.a : pair.b), `, ${docs.date[first === "a" ? pair.a : pair.b]}. `] : null,
      flagNotes(pair)));
}

function flagNotes(pair) {
  return [pair.a, pair.b].flatMap((document) => (docs.flags?.[document] ?? []).map(([kind, detail]) =>
    h("span", { class: "flag-note" }, h("span", { class: "badge badge-flag" }, kind), " ", nameElement(document), detail && !state.anonymous ? `: ${visible(detail)} ` : " ")));
}

function pairMarks(pair) {
  const own = markOf(pair);
  const choices = [["", "No mark"], ["checked", "Checked"], ["not an issue", "Not an issue"]];
  const note = h("textarea", { id: "note", rows: "1", maxlength: "4000", value: own.note, oninput: () => setMark(pair, { note: note.value }) });
  return h("div", { class: "marks no-print" },
    h("fieldset", { class: "mark-choices" }, h("legend", { class: "sr" }, "Mark of this pair"), choices.map(([value, text]) => h("label", { class: "check" },
      h("input", { type: "radio", name: "mark", value, checked: own.mark === value, onchange: () => setMark(pair, { mark: value }) }), text))),
    h("div", { class: "field note-field" }, h("label", { for: "note" }, "Note"), note),
    h("button", { type: "button", class: "primary", id: "print-pair", onclick: () => window.print() }, "Print this pair"));
}

/** Buttons for the passages, and how they are shown. */
function passageBar() {
  const option = (id, text) => h("label", { class: "check" }, h("input", { type: "checkbox", id, checked: memory.get(`lookalike-${id}`) !== "off", onchange: (event) => {
    memory.set(`lookalike-${id}`, event.target.checked ? "on" : "off");
    applyOptions();
  } }), text);
  return h("div", { class: "passage-bar no-print" },
    h("div", { class: "passage-steps" },
      h("button", { type: "button", id: "previous-passage", onclick: () => step(-1) }, "← Previous"),
      h("button", { type: "button", id: "next-passage", onclick: () => step(1) }, "Next →"),
      option("differences", "Word differences"), option("together", "Scroll together"),
      option("keys", h("span", null, "Keys ", h("kbd", null, "n"), " and ", h("kbd", null, "p")))),
    h("ol", { class: "chips", "aria-label": "Passages" }, open.blocks.map((block, n) => h("li", null,
      h("button", { type: "button", class: `chip ${lookOf(n)}`, "data-number": n, onclick: () => choose(n) },
        h("span", { class: "chip-number" }, String(n + 1)), count(blockUnits(block), UNIT))))));
}

const optionOn = (id) => $(id)?.checked ?? true;

function applyOptions() {
  $("columns")?.classList.toggle("hide-differences", !optionOn("differences"));
}

function pane(document, side) {
  const letter = side === 0 ? "A" : "B";
  const text = h("div", { class: "text", dir: "auto" }, textOf(document, open.blocks, side));
  const box = h("div", { class: "pane", tabindex: "0", role: "region", "aria-label": `${letter}: ${nameOf(document)}` }, text);
  h("section", { class: "column" }, h("h3", { class: "column-head" }, h("span", { class: "side-letter" }, letter), nameElement(document),
    h("span", { class: "about" }, [aboutOf(document), count(unitsOf(document), UNIT)].filter(Boolean).join(" · "))), box);
  box.addEventListener("click", (event) => {
    const mark = event.target.closest("[data-number]");
    if (mark && window.getSelection().isCollapsed) choose(Number(mark.dataset.number), box);
  });
  for (const start of ["pointerenter", "pointerdown", "wheel", "touchstart", "focusin", "keydown"]) {
    box.addEventListener(start, () => {
      open.leader = box;
    }, { passive: true });
  }
  box.addEventListener("scroll", () => follow(box), { passive: true });
  return box;
}

function step(by) {
  if (!open.blocks.length) return;
  const from = open.chosen < 0 ? (by > 0 ? -1 : 0) : open.chosen;
  choose((from + by + open.blocks.length) % open.blocks.length);
}

/** Chooses a passage: marked in both columns, and both scroll so that it stands at the same height. */
function choose(number, kept = null) {
  open.chosen = number;
  open.leader = null;
  for (const element of $("pair").querySelectorAll("[data-number]")) {
    const is = Number(element.dataset.number) === number;
    element.classList.toggle("chosen", is);
    if (element.classList.contains("chip")) {
      if (is) {
        element.setAttribute("aria-current", "true");
        element.scrollIntoView({ block: "nearest", inline: "nearest" });
      } else element.removeAttribute("aria-current");
    }
  }
  const marks = open.panes.map((box) => box.querySelector(`.passage-mark[data-number="${number}"]`));
  let height = open.panes[0].clientHeight / 5;
  if (kept !== null) height = topOf(marks[open.panes.indexOf(kept)], kept) - kept.scrollTop;
  open.panes.forEach((box, i) => {
    if (box !== kept && marks[i]) box.scrollTop = topOf(marks[i], box) - height;
  });
  if (kept === null) $("columns").scrollIntoView({ block: "nearest" });
  announce(`Passage ${number + 1} of ${open.blocks.length}, ${count(blockUnits(open.blocks[number]), UNIT)}`);
}

/** Where an element begins inside a pane that scrolls. */
const topOf = (element, box) => element.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;

/** Moves the other column along: between two passages that both have in the same order, in proportion. */
function follow(box) {
  if (open.leader !== box || !optionOn("together")) return;
  const other = open.panes.find((one) => one !== box);
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
