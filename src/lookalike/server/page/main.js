// -- pages, keys, and the start ---------------------------------------------------------------------------------------

const PLACES = { check: ["Check", checkView], documents: ["Documents", documentsView], groups: ["Clusters", groupsView] };

/** Pages about one document or two, and the place in the bar that they belong to. */
const INNER = {
  hit: ["check", ([id]) => hitView(id)],
  document: ["documents", ([id]) => documentView(id)],
  pair: ["documents", ([a, b]) => pairOf(a, b)],
};

/** What the next page says first, such as that a document was removed. */
let later = null;

/** The address of a pair that was left with Back or Escape, until the link that leads to it has the focus. */
let returning = null;

/** Gives the focus back to the row that one came from; false if it is not there, or not yet. */
function focusRow() {
  const row = returning === null ? undefined : [...$("view").querySelectorAll("a")].find((link) => link.getAttribute("href") === returning);
  if (row === undefined) return false;
  returning = null;
  row.focus();
  return true;
}

/** Shows what the address names. */
function route() {
  const { place, parts } = placeOf(window.location.hash);
  const inner = Object.hasOwn(INNER, place) && parts.length === (place === "pair" ? 2 : 1) ? INNER[place] : null;
  const top = inner ? inner[0] : Object.hasOwn(PLACES, place) ? place : "check";
  cancelWork();
  reader = null;
  Object.assign(dropping, { over: (event) => event.preventDefault(), drop: (event) => event.preventDefault() });
  fill($("view"), inner ? inner[1](parts) : PLACES[top][1]());
  for (const link of $("places").children) {
    if (link.dataset.place === top) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const heading = $("view").querySelector("h1");
  document.title = `${heading.textContent} · lookalike`;
  window.scrollTo(0, 0);
  if (started && !focusRow()) heading.focus({ preventScroll: true });
  if (place !== "document") returning = null; // the rows of a document come later
  if (later !== null) {
    const said = h("p", { class: "done", id: "said" }, later);
    heading.after(said);
    announce(said.textContent);
    later = null;
  }
}

let started = false;

function buildBar() {
  fill($("places"), Object.entries(PLACES).map(([place, [label]]) => h("a", { href: linkTo(place), "data-place": place }, label)));
  fill($("tools"), themeButton());
}

function drawFoot() {
  const { documents, threshold, keep, version } = access.info;
  fill($("foot"), h("p", null, `${count(documents, "document")} · threshold ${percent(threshold, 0)} · `,
    keep === "text" ? "scores are exact" : keep === "shingles" ? "scores are exact; texts are not stored" : "scores are estimates; texts are not stored",
    mayWrite() ? null : " · you can read, but not change anything", ` · lookalike ${version}`),
  h("p", null, "This page loads nothing from anywhere else, and sets no cookies."));
}

function keys(event) {
  if (reader === null || !isForPage(event)) return;
  if (event.key === "Escape") $("back")?.click();
  passageKeys(event, reader);
}

async function start() {
  buildBar();
  const slot = h("div", { class: "slot" });
  fill($("view"), h("div", { class: "lead" }, h("h1", { id: "title", tabindex: "-1" }, "Have we seen this before?")), slot);
  const known = await work("Asking the server", slot, async (signal) => {
    await refreshInfo(signal);
    return true;
  });
  if (known) {
    $("places").hidden = false;
    route();
    window.addEventListener("hashchange", route);
    document.addEventListener("keydown", keys);
    for (const [type, over] of [["dragenter", true], ["dragover", true], ["dragleave", false]]) {
      document.addEventListener(type, (event) => dropping.over(event, over));
    }
    document.addEventListener("drop", (event) => dropping.drop(event));
  }
  $("skip-link").addEventListener("click", (event) => {
    event.preventDefault(); // the address names a page
    $("main").focus();
  });
  started = true;
  document.documentElement.dataset.ready = "true";
}

start();
