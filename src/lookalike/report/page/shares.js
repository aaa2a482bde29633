// -- how much of a document is found in others: its passages in all pairs, each word counted once ---------------------

let pairsByDocument = null;

/** All pairs of a document in this file, whatever their score: short passages from many sources add up. */
function everyPairOf(document) {
  if (pairsByDocument === null) {
    pairsByDocument = new Map();
    for (const pair of pairs) {
      for (const one of [pair.a, pair.b]) {
        if (!pairsByDocument.has(one)) pairsByDocument.set(one, []);
        pairsByDocument.get(one).push(pair);
      }
    }
  }
  return pairsByDocument.get(document) ?? [];
}

const otherOf = (pair, document) => (pair.a === document ? pair.b : pair.a);

/** Whether a pair counts as a source: not if somebody marked it as not an issue, or the filter wants the other side. */
const isSource = (pair) => markOf(pair).mark !== "not an issue" && onSide(pair);

/**
 * The passages of a pair that count now, as a document of it has them: `side` is its side in the block, `flat` has the
 * runs in units. From the side of b there may be more, where it repeats what the other has once.
 * @returns {{block: Block, flat: number[], side: 0|1}[]}
 */
function ownBlocks(document, pair) {
  const back = pair.b === document ? body.back[pair.i] : undefined;
  const all = back ? back.map(([block, flat]) => ({ block, flat, side: 0 }))
    : (body.blocks[pair.i] ?? []).map((block, number) => ({ block, flat: body.runs[pair.i][number], side: pair.a === document ? 0 : 1 }));
  return all.filter(({ block }) => blockUnits(block) >= state.least && blockUnits(block) > 0);
}

/** The places of a document, in units, that the passages of a pair have: start, end; none overlaps another. */
function unitRuns(document, pair) {
  const runs = [];
  for (const { flat, side } of ownBlocks(document, pair)) {
    for (let i = 0; i < flat.length; i += 3) runs.push([flat[i + side], flat[i + side] + flat[i + 2]]);
  }
  return merged(runs);
}

/** Which passage of the view of the pair a block of a document is: the one that has the same place in the other one. */
function passageOfBlock(document, pair, { block, side }) {
  const [from, to] = endsOf(block, 1 - side);
  const other = pair.a === document ? 1 : 0;
  return Math.max(0, blocksOf(pair).findIndex((one) => endsOf(one, other)[0] < to && endsOf(one, other)[1] > from));
}

/** Where a passage begins and ends in one of the two documents. */
const endsOf = (block, side) => [block[1][2 * side], block[1][block[1].length - 4 + 2 * side + 1]];

/** How many units there are in merged runs, without what is excluded now. */
function unitsWithin(document, runs) {
  const left = [];
  const masked = body.masked[document] ?? [];
  for (let i = 0; i < masked.length; i += 3) if ((masked[i + 2] & state.skip) !== 0) left.push([masked[i], masked[i + 1]]);
  let sum = 0;
  let first = 0;
  for (const [start, end] of runs) {
    sum += end - start;
    while (first < left.length && left[first][1] <= start) first += 1;
    for (let i = first; i < left.length && left[i][0] < end; i += 1) sum -= Math.min(end, left[i][1]) - Math.max(start, left[i][0]);
  }
  return sum;
}

/** The share of a document that is found in the given pairs, and in how many of them: the union of all passages. */
function foundElsewhere(document, list = everyPairOf(document).filter(isSource)) {
  const each = list.map((pair) => unitRuns(document, pair)).filter((runs) => runs.length);
  const units = unitsWithin(document, merged(each.flat()));
  return { units, of: unitsOf(document), share: Math.min(1, units / Math.max(1, unitsOf(document))), sources: each.length };
}

/** Joins places that overlap. */
function merged(places) {
  const made = [];
  for (const [start, end] of [...places].sort((x, y) => x[0] - y[0])) {
    const last = made[made.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else made.push([start, end]);
  }
  return made;
}

/** What is left of a place without others, which are merged. */
function without([start, end], others) {
  const made = [];
  let at = start;
  for (const [from, to] of others) {
    if (to <= at || from >= end) continue;
    if (from > at) made.push([at, from]);
    at = Math.max(at, to);
  }
  if (at < end) made.push([at, end]);
  return made;
}
