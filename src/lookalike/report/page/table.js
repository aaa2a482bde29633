// -- tables: sorted, one page at a time, so that 20 000 rows are as quick as 20 ---------------------------------------

const PER_PAGE = 50;

/**
 * A table of the rows that it is given. Each column: `label`, `cell(row, rank)`, and perhaps `sort(row)`, `down` (first
 * click sorts downwards), `class`, `help`, `header` (it names the row).
 * @param {{caption: string, columns: any[], empty: string|(() => any), rowClass?: (row: any) => string}} options
 * @param {((place: number) => void)|null} [onSort]
 */
function plainTable({ caption, columns, empty, rowClass }, onSort = null) {
  const body = h("tbody");
  const headings = columns.map((column, place) => heading(column, onSort && (() => onSort(place))));
  const box = h("div", { class: "table-scroll" },
    h("table", null, h("caption", { class: "sr" }, caption), h("thead", null, h("tr", null, headings)), body));
  const nothing = h("p", { class: "empty" });
  return {
    element: h("div", { class: "table" }, box, nothing),
    headings,
    draw(rows, first = 0) {
      fill(body, rows.map((row, i) => h("tr", { class: rowClass?.(row) || null },
        columns.map((column) => h(column.header ? "th" : "td",
          { class: column.class, "data-label": column.label, scope: column.header ? "row" : null },
          column.cell(row, first + i + 1))))));
      box.hidden = rows.length === 0;
      nothing.hidden = rows.length > 0;
      fill(nothing, typeof empty === "function" ? empty() : empty);
    },
  };
}

/** The same with pages; the rows are in their own order until a column is clicked. */
function pagedTable(options) {
  const { columns, perPage = PER_PAGE } = options;
  let rows = [];
  let sorted = [];
  let page = 0;
  let by = null;
  let down = false;
  const table = plainTable(options, sortBy);
  const pager = pagerOf((to) => {
    page = to;
    draw();
    table.element.scrollIntoView({ block: "start" });
  }, perPage);
  table.element.append(pager.element);

  function sortBy(place) {
    const column = columns[place];
    down = by === place ? !down : Boolean(column.down);
    by = place;
    page = 0;
    arrange();
    draw();
    announce(`sorted by ${column.label}, ${down ? "highest" : "lowest"} first`);
  }

  function arrange() {
    sorted = rows;
    if (by === null) return;
    const value = columns[by].sort;
    const keyed = rows.map((row, place) => [value(row), place, row]);
    keyed.sort(([x, i], [y, j]) => (down ? -1 : 1) * compared(x, y) || i - j);
    sorted = keyed.map(([, , row]) => row);
  }

  function draw() {
    page = Math.min(page, Math.max(0, Math.ceil(sorted.length / perPage) - 1));
    const first = page * perPage;
    table.draw(sorted.slice(first, first + perPage), first);
    table.headings.forEach((th, place) => {
      if (columns[place].sort) th.setAttribute("aria-sort", by !== place ? "none" : down ? "descending" : "ascending");
    });
    pager.draw(page, sorted.length);
  }

  return {
    element: table.element,
    show(list) {
      rows = list;
      arrange();
      draw();
    },
    toStart() {
      page = 0;
    },
  };
}

function heading(column, onclick) {
  const label = [column.label, column.help ? h("span", { class: "th-help" }, column.help) : null];
  if (!column.sort || !onclick) return h("th", { scope: "col", class: column.class }, label);
  // A browser repeats headings on every printed page, but no buttons in them.
  return h("th", { scope: "col", class: column.class }, h("button", { type: "button", class: "sort", onclick }, label), h("span", { class: "on-paper" }, column.label));
}

function compared(x, y) {
  if (typeof x === "string") return x.localeCompare(y, undefined, { numeric: true });
  return x - y;
}

/** "51–100 of 3,210" with the buttons to go on. */
function pagerOf(go, perPage) {
  const text = h("span", { class: "pager-text" });
  const back = h("button", { type: "button", class: "quiet", onclick: () => go(current - 1) }, "← Previous");
  const on = h("button", { type: "button", class: "quiet", onclick: () => go(current + 1) }, "Next →");
  const element = h("nav", { class: "pager", "aria-label": "Pages" }, back, text, on);
  let current = 0;
  return {
    element,
    draw(page, total) {
      current = page;
      const last = Math.min(total, (page + 1) * perPage);
      text.textContent = `${whole(page * perPage + 1)}–${whole(last)} of ${whole(total)}`;
      back.disabled = page === 0;
      on.disabled = last >= total;
      element.hidden = total <= perPage;
    },
  };
}

/** A share as a number with a small bar under it. */
function shareCell(share, strong) {
  const bar = h("span", { class: "meter", "aria-hidden": "true" });
  bar.style.setProperty("--share", String(share));
  return h("span", { class: strong ? "share share-strong" : "share" }, percent(share), bar);
}
