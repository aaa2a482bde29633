// -- the first page: paste a text or drop a file, see what is similar, add it -----------------------------------------

/**
 * The text that was checked last: the view of a pair needs it, and it comes back with the page. `sure` means that it is
 * added whatever is similar: the person has seen that.
 */
const checked = { draft: "", text: null, name: "", notes: [], hits: null, threshold: null, sure: false };

function checkView() {
  const slot = h("div", { class: "slot", id: "check-messages" });
  const found = h("section", { class: "found", "aria-label": "What was found" });
  const text = h("textarea", { id: "text", class: indexUnit() === "token" ? "code" : null, rows: "9", spellcheck: "false", value: checked.draft, oninput: () => {
    cancelWork();
    forget();
    checked.draft = text.value;
    fill(found);
  }, onkeydown: (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  } });
  const threshold = h("input", { type: "number", id: "threshold", min: "1", max: "100", step: "1", required: true, value: String(Math.round(100 * (checked.threshold ?? access.info.threshold))) });
  const parts = { slot, found, text, threshold, drop: h("div", { class: "drop", id: "drop" }) };
  const form = h("form", { class: "card check-form", id: "check-form", onsubmit: (event) => {
    event.preventDefault();
    check(parts, Number(threshold.value) / 100);
  } },
  h("div", { class: "field" }, h("label", { for: "text" }, "Text"), text),
  fileChooser(parts),
  h("div", { class: "check-row" },
    h("div", { class: "field" }, h("label", { for: "threshold" }, "Minimum similarity, %"), threshold),
    h("button", { type: "submit", class: "primary", id: "check" }, "Check")));
  acceptDrops(parts);
  if (checked.hits !== null) drawFound(parts);
  return h("div", null,
    h("div", { class: "lead" },
      h("h1", { id: "title", tabindex: "-1" }, "Have we seen this before?"),
      h("p", { class: "run" }, "Paste a text or drop a file: it is compared with ", h("span", { class: "stored" }, stored()), ". Nothing is kept unless you add it.")),
    form, slot, found);
}

const stored = () => count(access.info.documents, "stored document");

/** Another text is not the file that was read, nor what was added: it has no name yet. */
function forget() {
  Object.assign(checked, { text: null, name: "", notes: [], hits: null, threshold: null, sure: false });
}

function fileChooser(parts) {
  const file = h("input", { type: "file", id: "file", class: "sr", tabindex: "-1", accept: indexUnit() === "token" ? null : FORMATS, "aria-label": "File to check", onchange: () => {
    if (file.files.length) readFile(parts, file.files);
    file.value = "";
  } });
  return fill(parts.drop, h("button", { type: "button", id: "choose", onclick: () => file.click() }, "Choose a file"),
    h("span", null, `or drop it here: PDF, Word, HTML, plain text and others, up to ${megabytes(access.info.limits.body)}`), file);
}

const megabytes = (bytes) => `${whole(bytes / 1e6)} MB`;

/** A file that is dropped anywhere on the page is meant for it; without this the browser would leave the page for it. */
function acceptDrops(parts) {
  const inside = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  dropping.over = (event, over) => {
    if (!inside(event)) return;
    event.preventDefault();
    parts.drop.classList.toggle("drop-over", over);
  };
  dropping.drop = (event) => {
    if (!inside(event)) return;
    event.preventDefault();
    parts.drop.classList.remove("drop-over");
    if (event.dataTransfer.files.length) readFile(parts, event.dataTransfer.files);
  };
}

/** What happens to dropped files: the first page sets it; elsewhere they are ignored. */
const dropping = { over: (event) => event.preventDefault(), drop: (event) => event.preventDefault() };

/** Has the server extract the text of a file, and checks it. */
async function readFile(parts, files) {
  const [file] = files;
  const most = access.info.limits.body;
  forget();
  fill(parts.found);
  if (files.length > 1) return complain(parts.slot, new Problem(0, { detail: "One file at a time, please. For many, use lookalike check." }));
  if (file.size > most) return complain(parts.slot, new Problem(0, { detail: `${file.name} has ${megabytes(file.size)}; this server accepts up to ${megabytes(most)}.` }));
  const read = await work(`Reading ${file.name}`, parts.slot, (signal) => api.extract(file, signal));
  if (read === undefined) return undefined;
  parts.text.value = read.text;
  Object.assign(checked, { draft: read.text, name: file.name });
  return check(parts, Number(parts.threshold.value) / 100 || access.info.threshold, read.notes);
}

/** Asks what is like the text: with a threshold of null, the nearest documents. */
async function check(parts, threshold, notes = checked.notes) {
  const text = parts.text.value;
  if (!text.trim()) return complain(parts.slot, new Problem(0, { detail: "There is no text yet: paste one, or choose a file." }));
  const wanted = threshold === null ? { top: NEAREST } : { threshold, top: MOST_HITS };
  const answer = await work("Comparing the text with all stored documents", parts.slot, (signal) => api.check(text, checked.name, wanted, signal));
  if (answer === undefined) return undefined;
  const sure = access.info.keep === "signature" || (threshold !== null && answer.hits.length > 0);
  Object.assign(checked, { text, notes, threshold, hits: answer, sure });
  drawFound(parts).focus({ preventScroll: true });
  parts.found.scrollIntoView({ block: "start" });
  return undefined;
}

function drawFound(parts) {
  const hits = h("div");
  const title = drawHits(hits, checked.hits, {
    it: "your text", some: "stored document", none: "No, nothing similar is stored", id: "found-title", threshold: checked.threshold, toPair: (id) => linkTo("hit", id), nearest: () => check(parts, null),
  });
  fill(parts.found,
    checked.notes.length ? h("div", { class: "notice", id: "notes" }, h("p", null, "About this file:"), h("ul", null, checked.notes.map((note) => h("li", null, note)))) : null,
    hits, mayWrite() ? addForm() : null);
  return title;
}

// -- adding it --------------------------------------------------------------------------------------------------------

const mayWrite = () => access.info.may.includes("write");

function addForm() {
  const slot = h("div", { class: "slot" });
  const name = h("input", { type: "text", id: "name", value: checked.name, required: true, autocomplete: "off", spellcheck: "false", "aria-describedby": "name-help", oninput: () => {
    checked.name = name.value;
  } });
  return h("form", { class: "card add", id: "add-form", onsubmit: (event) => {
    event.preventDefault();
    addDocument(slot, name.value.trim());
  } },
  h("h2", null, "Keep it for later checks?"),
  h("div", { class: "check-row" },
    h("div", { class: "field name-field" }, h("label", { for: "name" }, "Name"), name),
    h("button", { type: "submit", class: "primary", id: "add" }, "Add it")),
  h("p", { class: "explain", id: "name-help" }, "The whole text is stored under this name, and whoever may read here can read it."), slot);
}

async function addDocument(slot, id) {
  const { text } = checked;
  if (id === "") return complain(slot, new Problem(0, { detail: "It needs a name." }));
  const done = await work(`Adding ${id}`, slot, async (signal) => {
    try {
      return await (checked.sure ? api.add(id, text, signal) : api.addUnlessSimilar(id, text, checked.threshold, signal));
    } catch (error) {
      if (error.status !== 409 || !error.errors.some((one) => one.id !== undefined)) throw error;
      return { taken: true };
    }
  }, PERHAPS_DONE);
  if (done === undefined) return undefined;
  if (done.taken) return offerReplace(slot, id, text);
  if (done.hits?.length) return offerAnyway(slot, id, done.hits);
  checked.sure = true;
  await kept(slot, done.added ? ["Added as ", documentLink(id), "."] : ["It was there already, with the same text: ", documentLink(id), "."]);
  return undefined;
}

/** Somebody was faster, or the person has looked for something else: nothing was added yet. */
function offerAnyway(slot, id, [closest, ...others]) {
  const anyway = h("button", { type: "button", id: "anyway", onclick: () => {
    checked.sure = true;
    addDocument(slot, id);
  } }, "Add it anyway");
  const more = others.length ? `, and ${count(others.length, "other")}` : "";
  fill(slot, h("div", { class: "notice", role: "alert" },
    h("p", null, "Not added, because a similar document is stored: ", documentLink(closest.id), `, ${percent(similarity(closest))}${more}. `, anyway)));
}

/** The name belongs to another text: nothing was changed yet. */
function offerReplace(slot, id, text) {
  const replace = h("button", { type: "button", id: "replace", onclick: async () => {
    if (await work(`Replacing ${id}`, slot, (signal) => api.replace(id, text, signal), PERHAPS_DONE) !== undefined) {
      await kept(slot, ["Replaced: ", documentLink(id), " has this text now."]);
    }
  } }, "Replace it");
  fill(slot, h("div", { class: "notice", role: "alert" },
    h("p", null, "There is already a document called ", documentLink(id), ", with a different text. Choose another name, or replace it. ", replace)));
}

async function kept(slot, said) {
  fill(slot, h("p", { class: "done" }, said));
  announce(slot.textContent);
  await refreshInfo().catch(() => {}); // only the number of documents would be old
  for (const number of document.querySelectorAll(".stored")) fill(number, stored());
}
