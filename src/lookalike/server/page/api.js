// -- what is asked of the server --------------------------------------------------------------------------------------

/** What the server said was wrong, or why it could not be asked. */
class Problem extends Error {
  /** @param {number} status 0 if there was no answer */
  constructor(status, { title = "", detail = "", errors = [] } = {}) {
    super(detail || title || `The server answered ${status}.`);
    this.status = status;
    /** @type {{field?: string, problem?: string, remedy?: string}[]} */
    this.errors = Array.isArray(errors) ? errors : [];
  }
}

const UNREACHABLE = { detail: "The server does not answer. Check that it is running and that you are online, then try again." };
const MOST_TRIES = 4;
const MOST_WAIT = 5;

/** The token, which is never stored, and what the server said about itself. */
const access = { token: "", info: null };

/** What the index compares, as the recipe has it: "word", "char" or "token". */
const indexUnit = () => / unit=(\w+)/.exec(access.info.recipe)[1];

/** The unit as people call it. */
const unitName = (unit) => (unit === "char" ? "character" : unit);

/**
 * Asks the server; returns what its JSON says. A busy server is asked again, and one that wants a token gets it from the
 * person at the keyboard.
 * @param {string} method
 * @param {string} path
 * @param {{query?: Record<string, any>, json?: any, bytes?: Blob, signal?: AbortSignal, patient?: boolean}} [options] `patient`: until somebody cancels
 */
async function ask(method, path, { query, json, bytes, signal, patient = false } = {}) {
  const address = query ? `${path}?${new URLSearchParams(Object.entries(query).filter(([, value]) => value !== null && value !== undefined))}` : path;
  for (let tries = 1; ; tries += 1) {
    const used = access.token;
    const answer = await answerOf(method, address, json, bytes, signal);
    if (answer.ok) return JSON.parse(await answer.text(), wholeNumbers);
    if (answer.status === 401) {
      if (access.token === used) await enterToken(used !== "");
      continue; // otherwise somebody has entered one meanwhile
    }
    if ((answer.status === 503 || answer.status === 429) && (patient || tries < MOST_TRIES)) {
      await pause(Math.min(MOST_WAIT, Number(answer.headers.get("Retry-After")) || 1), signal);
      continue;
    }
    throw new Problem(answer.status, await problemOf(answer));
  }
}

async function answerOf(method, address, json, bytes, signal) {
  const headers = { Accept: "application/json" };
  if (access.token) headers.Authorization = `Bearer ${access.token}`;
  if (json !== undefined) headers["Content-Type"] = "application/json";
  if (bytes !== undefined) headers["Content-Type"] = "application/octet-stream";
  try {
    return await fetch(address, {
      method, headers, signal, body: json === undefined ? bytes : JSON.stringify(json), cache: "no-store", credentials: "omit", redirect: "error",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, UNREACHABLE);
  }
}

async function problemOf(answer) {
  try {
    const said = await answer.json();
    return said !== null && typeof said === "object" ? said : {};
  } catch {
    return {};
  }
}

/** Numbers that JavaScript would round are ids of 64 bits: they stay what was written. */
const wholeNumbers = (_, value, context) => (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER && /^-?\d+$/.test(context?.source ?? "") ? context.source : value);

/** Waits so many seconds, or until somebody cancels. */
function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 1000 * seconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}

// -- the questions ----------------------------------------------------------------------------------------------------

/** The id is never a part of the path: some proxies rewrite "..", "//" and "%2F" in one. */
const DOCUMENT = "/v1/document";

/** An id as JSON has it: a number where the index has numbers, however long. */
function sentId(id) {
  if (access.info.ids !== "int" || !/^-?\d+$/.test(id)) return id;
  return Number.isSafeInteger(Number(id)) || !JSON.rawJSON ? Number(id) : JSON.rawJSON(BigInt(id).toString());
}

const sentSide = (side) => ("id" in side ? { id: sentId(side.id) } : side);

const api = {
  info: (signal) => ask("GET", "/v1/info", { signal }),
  extract: (file, signal) => ask("POST", "/v1/extract", { query: { name: file.name }, bytes: file, signal }),
  check: async (text, name, wanted, signal) => (name ? (await ask("POST", "/v1/check", { json: { documents: [{ id: sentId(name), text }], ...wanted }, signal })).results[0] : ask("POST", "/v1/check", { json: { text, ...wanted }, signal })),
  like: async (id, text, wanted, signal) => (await ask("POST", "/v1/check", { json: { documents: [{ id: sentId(id), text }], skip_same_id: true, ...wanted }, signal })).results[0],
  compare: (a, b, signal) => ask("POST", "/v1/compare", { json: { a: sentSide(a), b: sentSide(b) }, signal }),
  add: (id, text, signal) => ask("POST", "/v1/documents", { json: { id: sentId(id), text }, signal }),
  addUnlessSimilar: (id, text, threshold, signal) => ask("POST", "/v1/add-unless-similar", { json: { id: sentId(id), text, threshold }, signal }),
  replace: (id, text, signal) => ask("PUT", DOCUMENT, { query: { id }, json: { text }, signal }),
  remove: (id, signal) => ask("DELETE", DOCUMENT, { query: { id }, signal }),
  document: (id, signal) => ask("GET", DOCUMENT, { query: { id }, signal }),
  documents: (query, signal) => ask("GET", "/v1/documents", { query, signal }),
  groups: (query, signal) => ask("GET", "/v1/groups", { query, signal, patient: true }),
  histogram: (signal) => ask("GET", "/v1/histogram", { signal, patient: true }),
};

/** Reads again what the server says about itself: how many documents it has, and what this token may do. */
async function refreshInfo(signal) {
  access.info = await api.info(signal);
  drawFoot();
}
