// -- elements and text ------------------------------------------------------------------------------------------------
// Whatever comes from the data goes in as text: nothing here is ever parsed as HTML.

const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

// Controls, bidi marks, zero-width characters, tags and lone surrogates. The two joiners (200C, 200D) stay: Persian, the
// scripts of India and many emoji are spelt with them. In running text a soft hyphen does what it is for.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;
const HIDDEN_IN_TEXT = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;

const escapeOf = (character) => `⟨U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** A name or a short text in one line, with everything invisible shown as an escape. */
const visible = (text) => String(text).replace(HIDDEN, escapeOf);

const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };

/** A text as it is searched for: without case and accents, so that "e" finds "é". */
const folded = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").replace(/[ßæœøłđðþı]/g, (letter) => LETTERS[letter]);

/**
 * Makes an element. Strings become text, null and false nothing; `on…` are listeners, `class` and `data-…` as in HTML.
 * @param {string} tag
 * @param {Record<string, any>|null} [attributes]
 * @param {...any} children
 */
function h(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...flat(children));
  return element;
}

function flat(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(visible(child))));
}

/** Replaces what is in an element. */
function fill(element, ...children) {
  element.replaceChildren(...flat(children));
  return element;
}

/** A piece of a document: lines stay lines, and what is invisible is shown as a marked escape. */
function pieces(text) {
  const nodes = [];
  let end = 0;
  const lines = text.replace(/\r\n?|\f|\u2028|\u2029|\u0085/g, "\n");
  for (const found of lines.matchAll(HIDDEN_IN_TEXT)) {
    if (found.index > end) nodes.push(document.createTextNode(lines.slice(end, found.index)));
    const code = document.createElement("span");
    code.className = "escape";
    code.title = "an invisible character, or one that changes the direction of the text";
    code.textContent = escapeOf(found[0]);
    nodes.push(code);
    end = found.index + found[0].length;
  }
  if (end < lines.length) nodes.push(document.createTextNode(lines.slice(end)));
  return nodes;
}

// -- numbers for people -----------------------------------------------------------------------------------------------

const whole = (number) => Math.round(number).toLocaleString("en-GB");

/** A share in per cent. What is below 1 never reads 100. */
function percent(share, digits = 1) {
  if (share >= 1) return "100%";
  const scale = 10 ** digits;
  return `${Math.min(Math.round(share * 100 * scale) / scale, 100 - 1 / scale).toFixed(digits)}%`;
}

const count = (number, noun, plural = `${noun}s`) => `${whole(number)} ${number === 1 ? noun : plural}`;

/** Tells what changed to those who do not see it. */
function announce(text) {
  $("live").textContent = visible(text);
}

// -- what the browser remembers ---------------------------------------------------------------------------------------

/** localStorage where there is one; a file opened from a disk may have none, then it lasts as long as the page. */
const memory = (() => {
  const held = new Map();
  let store = null;
  try {
    store = window.localStorage;
    store.setItem("lookalike-test", "1");
    store.removeItem("lookalike-test");
  } catch {
    store = null;
  }
  return {
    lasting: store !== null,
    get(key) {
      if (held.has(key)) return held.get(key);
      try {
        return store === null ? null : store.getItem(key);
      } catch {
        return null;
      }
    },
    set(key, value) {
      held.set(key, value);
      try {
        if (store !== null) store.setItem(key, value);
      } catch {
        this.lasting = false; // full, or forbidden since
      }
    },
  };
})();

/** Offers a file for download. */
function download(name, text, type) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
