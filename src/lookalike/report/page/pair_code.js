// -- source code: which colour has which piece, and the numbers of lines ----------------------------------------------
// The colours help to read; what counts was decided by the recipe. So a mistake in an unusual language does no harm.

const CODE_NAME = /\.(?:bas|c|cc|cls|clj|coffee|cpp|cs|cxx|d|dart|erl|ex|exs|f90|fs|go|groovy|h|hh|hpp|hs|ipynb|java|jl|js|jsx|kt|kts|lua|m|mjs|ml|mm|pas|php|pl|pm|ps1|py|pyw|r|rb|rs|scala|sh|sol|sql|swift|ts|tsx|v|vb|vhd|vue|zig)$/i;
const KEYWORDS = new Set(("abstract and as assert async auto await begin bool boolean break byte case catch char class const continue def default del "
  + "delete do double elif else elseif elsif end enum except export extends extern false final finally float fn for foreach from fun func function global "
  + "goto if impl implements import in include inline instanceof int interface is lambda let long match module mut namespace new nil none not null "
  + "or override package pass private procedure protected pub public raise readonly register require return self short signed sizeof static struct "
  + "super switch synchronized then this throw throws trait true try type typedef typeof union unless unsigned until use using val var virtual void "
  + "volatile when where while with xor yield").split(" "));

/** What a piece begins with; pieces that may go on for many lines end where their mark says. */
const PIECE = new RegExp([
  "(?<far>\\/\\*|<!--|\"\"\"|'''|`)",
  "(?<comment>(?<!:)\\/\\/.*|(?<![^\\s)\\]};\"'])#.*|(?<!\\S)--(?=[\\s-]).*)",
  "(?<text>\"(?:[^\"\\\\\\r\\n]|\\\\.)*\"?|(?<![\\w$])'(?:[^'\\\\\\r\\n]|\\\\.){0,200}')",
  "(?<number>\\d[\\w.]*)",
  "(?<word>[\\p{L}_$][\\p{L}\\p{N}_$]*)",
].join("|"), "gu");
const FAR_ENDS = { "/*": "*/", "<!--": "-->", '"""': '"""', "'''": "'''", "`": "`" };
/** A line that begins a block as in Python, where // is a division. */
const BLOCK_LINE = /^[ \t]*(?:def|elif|else|except|for|if|try|while|with)\b[^\n]*:[ \t]*$/m;
const LONGEST_COLOURED = 1 << 20;

/** Whether documents are shown as source code: by their unit, or if both are named so. */
const isCode = (unit, names) => unit === "token" || names.every((name) => CODE_NAME.test(name));

/**
 * The coloured pieces of a program, in order: start, end, class. What is in no piece has the colour of the text.
 * @returns {[number, number, string][]}
 */
function colouredPieces(text) {
  if (text.length > LONGEST_COLOURED) return [];
  const found = [];
  const absent = new Set(); // an end that is not there is looked for once: the time stays linear
  const divides = BLOCK_LINE.test(text);
  const piece = new RegExp(PIECE);
  for (let match = piece.exec(text); match !== null; match = piece.exec(text)) {
    const { far, comment, text: string, number, word } = match.groups;
    const start = match.index;
    if (divides && comment?.startsWith("//")) {
      piece.lastIndex = start + 2;
      continue;
    }
    let kind = comment !== undefined ? "comment" : string !== undefined ? "string" : number !== undefined ? "number" : isKeyword(word) ? "keyword" : "";
    if (far !== undefined) {
      const end = absent.has(far) ? -1 : text.indexOf(FAR_ENDS[far], piece.lastIndex);
      if (end < 0) absent.add(far);
      else piece.lastIndex = end + FAR_ENDS[far].length;
      kind = end < 0 ? "" : far === "/*" || far === "<!--" ? "comment" : "string";
    }
    if (kind) found.push([start, piece.lastIndex, `code-${kind}`]);
  }
  return found;
}

const isKeyword = (word) => word !== undefined && (KEYWORDS.has(word) || (word === word.toUpperCase() && KEYWORDS.has(word.toLowerCase())));

/** Writes pieces of a program: coloured, and each line with its number. */
function codeWriter(text) {
  const coloured = colouredPieces(text);
  const breaks = [...text.matchAll(/\r\n?|\n/g)].map((found) => found.index + found[0].length);
  const first = (list, place, from) => {
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (from(list[middle]) < place) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const lines = (from, to, into) => {
    let at = from;
    for (let i = first(breaks, from + 1, (place) => place); i < breaks.length && breaks[i] <= to; i += 1) {
      into.push(...pieces(text.slice(at, breaks[i])), lineNumber(i + 2));
      at = breaks[i];
    }
    if (at < to) into.push(...pieces(text.slice(at, to)));
    return into;
  };
  return (from, to) => {
    const nodes = from === 0 && to > 0 ? [lineNumber(1)] : [];
    let at = from;
    for (let i = first(coloured, from + 1, (piece) => piece[1]); i < coloured.length && coloured[i][0] < to; i += 1) {
      const [start, end] = [Math.max(coloured[i][0], at), Math.min(coloured[i][1], to)];
      lines(at, start, nodes);
      nodes.push(h("span", { class: coloured[i][2] }, lines(start, end, [])));
      at = end;
    }
    return lines(at, to, nodes);
  };
}

/** The number stands before its line by the style alone: it is not copied with the text, nor read out. */
const lineNumber = (number) => h("span", { class: "line", "data-line": number, "aria-hidden": "true" });
