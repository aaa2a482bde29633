// -- tabs, addresses, keys, and the start -----------------------------------------------------------------------------

const TABS = [
  ["pairs", "Pairs", pairsTab, () => shown.pairs.length],
  ["documents", "Documents", documentsTab, () => DOCUMENTS],
  ["groups", "Groups", groupsTab, () => shown.groups.length],
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

/** Shows what the address names: a tab, or a pair. */
function route() {
  const name = decodeURIComponent(window.location.hash.slice(1));
  const number = /^pair-(\d+)$/.exec(name);
  const wanted = SINGLE ? pairs[0] : number ? pairs[Number(number[1]) - 1] : undefined;
  if (wanted) {
    openPair(wanted.i);
  } else {
    closePair();
    const tab = TABS.find(([id]) => id === name)?.[0];
    if (tab) change({ tab });
  }
  const inPair = open.pair !== null;
  $("overview").hidden = inPair;
  $("pair").hidden = !inPair;
  document.documentElement.dataset.view = inPair ? "pair" : "overview";
  if (inPair && started && !SINGLE) {
    window.scrollTo(0, 0);
    $("pair-title").focus({ preventScroll: true });
  } else if (!inPair && started && TABS.some(([id]) => id === name) && wasInPair) {
    $(`tab-${state.tab}`).focus({ preventScroll: true });
    $("results").scrollIntoView({ block: "start" });
  }
  wasInPair = inPair;
}

let started = false;
let wasInPair = false;

function keys(event) {
  if (open.pair === null || !isForPage(event)) return;
  if (event.key === "Escape" && !SINGLE) go(state.tab);
  if (open.view !== null) passageKeys(event, open.view);
}

// -- tools in the bar -------------------------------------------------------------------------------------------------

function buildTools() {
  const anonymise = h("button", { type: "button", id: "anonymise", "aria-pressed": "false", onclick: () => change({ anonymous: !state.anonymous }) }, "Anonymise");
  const file = h("input", { type: "file", id: "import-file", accept: ".json,application/json", class: "sr", tabindex: "-1", "aria-label": "File with marks", onchange: async () => {
    if (file.files.length) await importMarks(file.files[0]);
    file.value = "";
  } });
  fill($("tools"), anonymise, themeButton(),
    h("button", { type: "button", id: "print", onclick: () => window.print() }, "Print"),
    SINGLE ? null : [h("button", { type: "button", id: "export", onclick: exportMarks }, "Export marks"),
      h("button", { type: "button", id: "import", onclick: () => file.click() }, "Import marks"), file]);
  onChange(() => {
    anonymise.setAttribute("aria-pressed", String(state.anonymous));
    anonymise.title = "Hide all names; names inside the texts stay";
    if (open.pair !== null && open.anonymous !== state.anonymous) {
      openPair(open.pair.i);
    }
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
  window.addEventListener("hashchange", route);
  document.addEventListener("keydown", keys);
  window.addEventListener("beforeprint", drawProof);
  $("skip-link").addEventListener("click", (event) => {
    event.preventDefault();
    (open.pair === null ? $("results") : $("pair-title")).focus();
  });
  started = true;
  document.documentElement.dataset.ready = "true";
}

start();
