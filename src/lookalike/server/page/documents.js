// -- all documents, page by page, and one of them ---------------------------------------------------------------------

const DOCUMENTS_PER_PAGE = 50;
const SEARCH_AFTER = 250;

function documentsView() {
  const slot = h("div", { class: "slot" });
  const said = h("p", { class: "explain", id: "documents-said" });
  const table = plainTable({
    caption: "Stored documents, in the order in which they were added", empty: "There is nothing to list.",
    columns: [{ label: "Document", class: "names", header: true, cell: ({ id }) => documentLink(id) }],
  });
  const listing = cursorPages(slot, "Listing the documents", DOCUMENTS_PER_PAGE, api.documents, ({ documents }) => table.draw(documents), table.element);
  const say = (total) => fill(said, listing.query.search ? `${count(total, "document")} with “${listing.query.search}” in the name.` : `${count(total, "document")} in the collection.`);
  const search = h("input", { type: "search", id: "search", autocomplete: "off", spellcheck: "false", oninput: () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (search.isConnected) listing.ask({ search: search.value.trim() || null }, say);
    }, SEARCH_AFTER);
  } });
  let timer = 0;
  listing.ask({ search: null }, say);
  return h("div", null,
    h("div", { class: "lead" }, h("h1", { id: "title", tabindex: "-1" }, "Documents")),
    h("form", { class: "field search-field", role: "search", onsubmit: (event) => event.preventDefault() }, h("label", { for: "search" }, "Part of a name"), search),
    slot, said, table.element);
}

/**
 * Pages that the server gives one after the other, each with the cursor of the next. `ask` begins at the first with
 * another question; `then` is told the total.
 */
function cursorPages(slot, label, perPage, question, draw, element) {
  let cursors = [null];
  let then = () => {};
  const pages = { query: {}, ask: (query, whenDone) => {
    cursors = [null];
    pages.query = query;
    then = whenDone;
    return show(0);
  } };
  const pager = pagerOf(async (page) => {
    if (await show(page)) element.scrollIntoView({ block: "start" });
  }, perPage);
  element.append(pager.element);

  async function show(page) {
    const answer = await work(label, slot, (signal) => question({ ...pages.query, limit: perPage, after: cursors[page] }, signal));
    if (answer === undefined) return false;
    if (answer.next !== null) cursors[page + 1] = answer.next;
    draw(answer, page * perPage);
    pager.draw(page, answer.total);
    then(answer.total);
    return true;
  }
  return pages;
}

// -- one document -----------------------------------------------------------------------------------------------------

function documentView(id) {
  const slot = h("div", { class: "slot" });
  const found = h("section", { class: "found", "aria-label": "Similar documents" });
  const text = h("div", { class: "pane document-text", tabindex: "0", role: "region", "aria-label": "Text" });
  const about = h("p", { class: "run" });
  const remove = mayWrite() ? h("button", { type: "button", class: "danger", id: "remove", onclick: () => removeDocument(slot, id) }, "Remove") : null;
  readDocument({ slot, found, text, about }, id);
  return h("div", null,
    h("nav", { class: "pair-nav", "aria-label": "Back" }, h("a", { href: linkTo("documents"), class: "button" }, "← All documents")),
    h("h1", { id: "title", tabindex: "-1" }, bdi(shownId(id))), h("div", { class: "document-bar" }, about, remove), slot, found,
    h("h2", { class: "pair-section" }, "Its text"), text);
}

async function readDocument({ slot, found, text, about }, id) {
  const read = await work("Opening the document", slot, (signal) => api.document(id, signal));
  if (read === undefined) return fill(text, h("p", { class: "empty" }, "It cannot be shown."));
  if (typeof read.text !== "string") return fill(text, h("p", { class: "empty" }, "This index keeps no texts, so there is nothing to read or compare here."));
  fill(about, count(read.text.length, "character"));
  fill(text, isCode(indexUnit(), [shownId(id)])
    ? h("div", { class: "text code", dir: "ltr" }, codeWriter(read.text)(0, read.text.length))
    : h("div", { class: "text", dir: "auto" }, pieces(flowing(read.text))));
  const ask = async (threshold) => {
    const wanted = threshold === null ? { top: NEAREST } : { threshold, top: MOST_HITS };
    const answer = await work("Looking for similar documents", slot, (signal) => api.like(id, read.text, wanted, signal));
    if (answer === undefined) return;
    const title = drawHits(found, answer, { it: "this document", some: "other document", none: "No other document is similar to it", id: "like-title", threshold, toPair: (other) => linkTo("pair", id, other), nearest: () => ask(null) });
    if (threshold === null) title.focus();
    else if (document.activeElement === $("title")) focusRow(); // unless the person has moved on meanwhile
  };
  return ask(access.info.threshold);
}

async function removeDocument(slot, id) {
  const sure = await confirmed(["Remove ", bdi(shownId(id)), "?"], "Its text is deleted, and later checks will not find it. This cannot be undone.", "Remove it");
  if (!sure) return;
  if (await work(`Removing ${id}`, slot, (signal) => api.remove(id, signal), PERHAPS_DONE) === undefined) return;
  await refreshInfo().catch(() => {}); // only the number of documents would be old
  later = ["Removed: ", bdi(shownId(id)), "."];
  window.location.hash = linkTo("documents");
}
