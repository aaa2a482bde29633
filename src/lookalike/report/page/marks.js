// -- marks: what a person decided about a pair ------------------------------------------------------------------------

const MARKS_SCHEMA = "lookalike-marks/1";
const MARKS = ["checked", "not an issue"];
const MARKS_KEY = `lookalike-marks ${head.digest || head.title}`;
/** Of two new documents either may come first; an old one is always b, and may have the id of a new one. */
const pairKey = (a, b, old) => JSON.stringify(old ? [String(a), String(b), "old"] : [String(a), String(b)].sort());
const keyOf = (pair) => pairKey(docs.id[pair.a], docs.id[pair.b], isOld(pair.b));

/** Mark and note by pair; also those of pairs that this report does not list, which must not get lost. */
const marks = new Map();

function takeMarks(list) {
  let taken = 0;
  for (const one of list) {
    if (typeof one !== "object" || one === null) continue;
    const [a, b] = [one.a, one.b];
    if (!["string", "number"].includes(typeof a) || !["string", "number"].includes(typeof b)) continue;
    const mark = MARKS.includes(one.mark) ? one.mark : "";
    const note = typeof one.note === "string" ? one.note : "";
    if (!mark && !note) continue;
    const old = one.b_old === true;
    marks.set(pairKey(a, b, old), { a, b, old, mark, note });
    taken += 1;
  }
  return taken;
}

const NO_MARK = { mark: "", note: "" };
const markOf = (pair) => marks.get(keyOf(pair)) ?? NO_MARK;

/** Sets the mark or the note of a pair, and keeps it. */
function setMark(pair, changes) {
  const made = { a: docs.id[pair.a], b: docs.id[pair.b], old: isOld(pair.b), ...NO_MARK, ...marks.get(keyOf(pair)), ...changes };
  if (made.mark || made.note) marks.set(keyOf(pair), made);
  else marks.delete(keyOf(pair));
  memory.set(MARKS_KEY, JSON.stringify(exportedMarks()));
  change({});
}

const exportedMarks = () => ({
  schema: MARKS_SCHEMA,
  pairs: [...marks.values()].map(({ a, b, old, mark, note }) => ({ a, b, ...(old ? { b_old: true } : {}), mark, note })),
});

/** Reads what was marked before: in the file itself, then in this browser. */
function restoreMarks() {
  takeMarks(head.marks);
  try {
    const kept = JSON.parse(memory.get(MARKS_KEY) ?? "null");
    if (kept !== null && kept.schema === MARKS_SCHEMA) takeMarks(kept.pairs);
  } catch {
    // what another program left there is not ours to repair
  }
}

function exportMarks() {
  download("marks.json", `${JSON.stringify(exportedMarks(), null, 2)}\n`, "application/json");
  announce(`${count(marks.size, "mark")} exported to marks.json`);
}

/** Takes the marks of a file; says what is wrong with any other. */
async function importMarks(file) {
  let given;
  try {
    given = JSON.parse(await file.text());
  } catch {
    return say("That file is not JSON, so no marks were read.");
  }
  if (given === null || typeof given !== "object" || given.schema !== MARKS_SCHEMA || !Array.isArray(given.pairs)) {
    return say(`That file has no marks (${MARKS_SCHEMA}), so none were read.`);
  }
  const taken = takeMarks(given.pairs);
  memory.set(MARKS_KEY, JSON.stringify(exportedMarks()));
  change({});
  return say(`${count(taken, "mark")} read from ${file.name}.`);
}

/** Says something where everybody notices it. */
function say(text) {
  fill($("notices"), notices(), h("p", { class: "notice", id: "said" }, text));
  announce(text);
}
