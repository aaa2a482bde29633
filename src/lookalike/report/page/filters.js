// -- filters: only those that can change something in this collection -------------------------------------------------

function buildFilters() {
  const section = $("filters");
  const threshold = h("input", { type: "number", id: "f-threshold", min: Math.ceil(LOW * 100 - 1e-9), max: 100, step: 1, oninput: () => {
    if (threshold.value !== "" && threshold.validity.valid) setThreshold(Number(threshold.value) / 100);
  } });
  const longest = longestPassage();
  const least = h("input", { type: "range", id: "f-least", min: head.least, max: Math.max(head.least + 1, Math.min(longest, 300)), step: 1,
    "aria-describedby": "f-least-value", oninput: () => change({ least: Number(least.value) }) });
  const leastValue = h("output", { id: "f-least-value", for: "f-least" });
  const search = h("input", { type: "search", id: "f-query", placeholder: "name, author …", autocomplete: "off", spellcheck: "false",
    oninput: () => change({ query: search.value.trim() }) });

  const reset = h("button", { type: "button", class: "quiet", id: "f-reset", onclick: resetFilters }, "Reset filters");
  const only = h("div", { class: "filter-only", hidden: true });
  fill(section,
    h("div", { class: "filter-row" },
      field("Find a document", search, "f-query"),
      field(`Threshold, %`, threshold, "f-threshold"),
      body.ready && longest > head.least ? field([`Shortest passage `, leastValue], least, "f-least") : null,
      sideFilter(), labelFilter(), markFilter()),
    h("div", { class: "filter-row" }, reasonFilter(), reset), only);
  onChange(() => {
    if (document.activeElement !== threshold) threshold.value = String(Math.round(state.threshold * 100));
    if (Number(least.value) !== state.least) least.value = String(state.least);
    leastValue.textContent = count(state.least, UNIT);
    if (document.activeElement !== search && search.value !== state.query) search.value = state.query;
    reset.disabled = !filtered();
    only.hidden = state.document === null;
    if (state.document !== null) {
      fill(only, h("span", null, "Only pairs of ", nameElement(state.document)),
        h("button", { type: "button", class: "quiet", id: "f-all", onclick: () => change({ document: null }) }, "Show all"));
    }
  });
}

const field = (label, input, id) => h("div", { class: "field" }, h("label", { for: id }, label), input);

function longestPassage() {
  let longest = 0;
  for (const blocks of body.blocks) for (const block of blocks) longest = Math.max(longest, block[0]);
  return longest;
}

function choice(id, label, options, key) {
  const select = h("select", { id, onchange: () => change({ [key]: select.value }) },
    options.map(([value, text]) => h("option", { value }, text)));
  onChange(() => {
    select.value = state[key];
  });
  return field(label, select, id);
}

function sideFilter() {
  if (head.oldFrom === null) return null;
  return choice("f-side", "New and old", [["all", "All pairs"], ["old", "New against old"], ["new", "New against new"]], "side");
}

function labelFilter() {
  const labels = [...new Set((docs.label ?? []).filter(Boolean))].sort();
  if (labels.length < 2) return null;
  return choice("f-label", "Label", [["", "All labels"], ...labels.map((label) => [label, visible(label)])], "label");
}

function markFilter() {
  return choice("f-mark", "Marks", [["", "All pairs"], ["none", "Without a mark"], ["checked", "Checked"], ["not an issue", "Not an issue"]], "mark");
}

/** Checkboxes that exclude text from the passages: those for which there is any such text. */
function reasonFilter() {
  const there = Object.entries(head.reasons).filter(([, bit]) => hasReason(bit));
  if (!there.length) return null;
  const label = { quotes: "Quotations", references: "References", template: "Template text", common: "Common text" };
  return h("fieldset", { class: "reasons" }, h("legend", null, "Exclude from the passages"),
    there.map(([reason, bit]) => {
      const box = h("input", { type: "checkbox", id: `f-${reason}`, onchange: () => change({ skip: box.checked ? state.skip | bit : state.skip & ~bit }) });
      onChange(() => {
        box.checked = (state.skip & bit) !== 0;
      });
      return h("label", { class: "check" }, box, label[reason]);
    }));
}

function hasReason(bit) {
  return (docs.units ?? []).some((masks) => masks !== null && masks.some((mask, i) => i % 2 === 0 && (mask & bit) !== 0));
}

const UNFILTERED = { threshold: head.threshold, least: head.least, skip: EXCLUDED_BY_SEARCH, side: "all", label: "", mark: "", query: "", document: null };

function filtered() {
  return Object.entries(UNFILTERED).some(([key, value]) => state[key] !== value);
}

function resetFilters() {
  $("f-query").value = "";
  change(UNFILTERED);
  announce("filters reset");
}
