// -- work that takes a while: said after a moment, and cancelled with one button --------------------------------------

const SHOWN_AFTER = 300;
const PERHAPS_DONE = "Cancelled. The server may have completed it nevertheless.";

/** What is under way; new work and another page end it. */
let current = null;

/**
 * Does something that may take long. Returns what it returns; if it was cancelled, or failed, that is said in `slot`,
 * and the result is undefined.
 * @param {string} label such as "Reading essay.pdf"
 * @param {Element} slot where messages go
 * @param {(signal: AbortSignal) => Promise<any>} task
 * @param {string} [cancelled] what is said when somebody cancels
 */
async function work(label, slot, task, cancelled = "Cancelled.") {
  cancelWork();
  const own = { controller: new AbortController(), byPerson: false, ticking: 0 };
  current = own;
  fill(slot);
  const timer = setTimeout(() => showWork(own, label), SHOWN_AFTER);
  try {
    return await task(own.controller.signal);
  } catch (error) {
    if (!own.controller.signal.aborted) complain(slot, error);
    else if (own.byPerson) tell(slot, cancelled);
    return undefined;
  } finally {
    clearTimeout(timer);
    clearInterval(own.ticking);
    if (current === own) {
      current = null;
      hideWork();
    }
  }
}

/** Ends what is under way. */
function cancelWork() {
  current?.controller.abort();
  current = null;
  hideWork();
}

function showWork(own, label) {
  if (current !== own || asking !== null) return; // behind a dialog it would only be in the way
  const seconds = h("span", { class: "work-seconds" });
  const began = Date.now();
  own.ticking = setInterval(() => {
    seconds.textContent = ` ${whole((Date.now() - began) / 1000)} s`;
  }, 1000);
  fill($("work"), h("p", null, `${label} …`, seconds), h("progress", { "aria-label": visible(label) }),
    h("button", { type: "button", id: "cancel", onclick: () => {
      own.byPerson = true;
      own.controller.abort();
    } }, "Cancel"));
  $("work").hidden = false;
  announce(`${label} …`);
}

function hideWork() {
  $("work").hidden = true;
  fill($("work"));
}

// -- messages ---------------------------------------------------------------------------------------------------------

/** Says that something was done. */
function tell(slot, text) {
  fill(slot, h("p", { class: "done" }, text));
  announce(text);
}

/** Says what went wrong, and what can be done about it. */
function complain(slot, error) {
  if (!(error instanceof Problem)) console.error(error);
  const text = error instanceof Problem ? error.message : "Something in this page went wrong. Reload it, and try again.";
  const details = (error.errors ?? []).map(({ problem, remedy }) => [problem, remedy].filter(Boolean).join("; "))
    .filter((line) => line && !text.includes(line));
  fill(slot, h("div", { class: "notice", role: "alert" }, h("p", null, text),
    details.length ? h("ul", null, details.slice(0, 20).map((line) => h("li", null, line))) : null));
  slot.scrollIntoView({ block: "nearest" });
}
