// -- names of documents, and the addresses of the page ----------------------------------------------------------------

/** A link to another page of this one; `parts` are ids, which may hold any character. */
const linkTo = (place, ...parts) => `#${[place, ...parts.map((part) => encodeURIComponent(wellFormed(part)))].join("/")}`;

const wellFormed = (id) => String(id).replace(/[\ud800-\udfff]/gu, "\ufffd");

/** What an address names: a page and the ids behind it. */
function placeOf(hash) {
  try {
    const [place, ...parts] = hash.replace(/^#/, "").split("/").map(decodeURIComponent);
    return { place, parts };
  } catch {
    return { place: "", parts: [] }; // somebody has typed a lone %
  }
}

/** A name that leads to its document. */
const documentLink = (id) => h("a", { href: linkTo("document", id) }, bdi(shownId(id)));

/** An id for people: one that is empty must be seen too. */
const shownId = (id) => (id === "" ? "(no name)" : visible(id));
