// -- tabs, addresses, keys, and the start -----------------------------------------------------------------------------

const TABS = [
  ["pairs", "Pairs", pairsTab, () => shown.rows.length],
  ["documents", "Documents", documentsTab, () => DOCUMENTS],
  ["groups", "Clusters", groupsTab, () => shown.groups.length],
  ["passages", "Passages", passagesTab, null],
  ["skipped", "Skipped", skippedTab, () => head.skipped.length],
  ["settings", "Settings", settingsTab, null],
];
const built = new Map();

function buildTabs() {
  const buttons = TABS.map(([id, label]) => h("button", {
    type: "button", role: "tab", id: `tab-${id}`, "aria-controls": "panel", "aria-selected": "false", tabindex: "-1", onclick: () => go(id),
  }, label, h("span", { class: "tab-count" })));
  fill($("tabs"), buttons);
  $("tabs").addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement); // quick keys come before the tab has changed
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const [id] = TABS[(to + TABS.length) % TABS.length];
    go(id);
    $(`tab-${id}`).focus();
  });
  onChange(() => {
    TABS.forEach(([id, , make, number], i) => {
      const here = id === state.tab;
      buttons[i].setAttribute("aria-selected", String(here));
      buttons[i].tabIndex = here ? 0 : -1;
      buttons[i].lastChild.textContent = number === null ? "" : whole(number());
      if (!here) return;
      if (!built.has(id)) built.set(id, make());
      $("panel").setAttribute("aria-labelledby", `tab-${id}`);
      const tab = built.get(id);
      if ($("panel").firstChild !== tab.element) fill($("panel"), tab.element);
      tab.draw();
    });
  });
}

const go = (tab) => {
  window.location.hash = tab;
};

/** Shows what the address names: a tab, a document with its sources, a pair, or a passage of a pair. */
function route() {
  const name = decodeURIComponent(window.location.hash.slice(1)) || FIRST_VIEW;
  const [, kind, number, passage] = /^(pair|document)-(\d+)(?:-(\d+))?$/.exec(name) ?? [];
  const pair = SINGLE ? pairs[0] : kind === "pair" ? pairs[Number(number) - 1] : undefined;
  const wanted = kind === "document" && Number(number) >= 1 && Number(number) <= DOCUMENTS ? Number(number) - 1 : null;
  const from = sources.document; // a pair that is opened from a document leads back to it
  closeDocument();
  if (pair) {
    openPair(pair.i, from ?? (view === "pair" ? open.from : null));
  } else {
    closePair();
    if (wanted !== null) openDocument(wanted);
    const tab = TABS.find(([id]) => id === name)?.[0];
    if (tab) change({ tab });
  }
  showView(pair ? "pair" : wanted !== null ? "document" : "overview", TABS.some(([id]) => id === name));
  if (pair && passage) open.view?.choose(Number(passage) - 1); // it scrolls, so it has to be seen
  document.documentElement.dataset.address = window.location.hash; // what is drawn, for whoever drives the page
}

/** Draws what the address names, unless that is drawn already. */
function followAddress() {
  if (document.documentElement.dataset.address !== window.location.hash) route();
}

/** What is shown while the address names nothing. */
const FIRST_VIEW = head.opens ?? "";
let started = false;
let view = "overview";

/** Shows one of the three views, and moves the focus there when it changes. */
function showView(now, isTab) {
  for (const id of ["overview", "document", "pair"]) $(id).hidden = id !== now;
  document.documentElement.dataset.view = now;
  if (started && !SINGLE && now !== "overview") {
    if (!/-\d+-\d+$/.test(window.location.hash)) window.scrollTo(0, 0);
    $(`${now}-title`).focus({ preventScroll: true });
  } else if (started && isTab && view !== "overview") {
    $(`tab-${state.tab}`).focus({ preventScroll: true });
    $("results").scrollIntoView({ block: "start" });
  }
  view = now;
}

function keys(event) {
  followAddress(); // a quick key comes before hashchange
  if (view === "overview" || !isForPage(event)) return;
  if (event.key === "Escape" && !SINGLE) go(view === "pair" && open.from !== null ? `document-${open.from + 1}` : state.tab);
  const reading = view === "pair" ? open.view : sources.view;
  if (reading !== null) passageKeys(event, reading);
}

// -- tools in the bar -------------------------------------------------------------------------------------------------

function buildTools() {
  const anonymise = h("button", { type: "button", id: "anonymise", "aria-pressed": "false", onclick: () => change({ anonymous: !state.anonymous }) }, "Anonymise");
  const file = h("input", { type: "file", id: "import-file", accept: ".json,application/json", class: "sr", tabindex: "-1", "aria-label": "File with marks", onchange: async () => {
    if (file.files.length) await importMarks(file.files[0]);
    file.value = "";
  } });
  fill($("tools"), head.anonymous ? null : anonymise, themeButton(),
    h("button", { type: "button", id: "print", onclick: () => window.print() }, "Print"),
    SINGLE ? null : [h("button", { type: "button", id: "export", onclick: exportMarks }, "Export marks"),
      h("button", { type: "button", id: "import", onclick: () => file.click() }, "Import marks"), file]);
  onChange(() => {
    anonymise.setAttribute("aria-pressed", String(state.anonymous));
    anonymise.title = "Hide all names; names inside the texts stay";
    if (open.pair !== null && open.anonymous !== state.anonymous) openPair(open.pair.i, open.from);
    if (sources.document !== null && sources.anonymous !== state.anonymous) openDocument(sources.document);
    if (SINGLE) document.title = state.anonymous ? "Two documents · lookalike" : `${visible(head.title)} · lookalike`;
  });
}

async function start() {
  restoreMarks();
  buildTools();
  try {
    await loadBody();
  } catch {
    body.ready = false; // the notice says so
  }
  if (!SINGLE) {
    buildTop();
    buildHistogram();
    buildFilters();
    buildTabs();
  }
  buildFoot();
  refresh();
  route();
  refresh();
  window.addEventListener("hashchange", followAddress);
  document.addEventListener("keydown", keys);
  window.addEventListener("beforeprint", drawProof);
  $("skip-link").addEventListener("click", (event) => {
    event.preventDefault();
    (view === "overview" ? $("results") : $(`${view}-title`)).focus();
  });
  started = true;
  document.documentElement.dataset.ready = "true";
}

start();
