// -- clusters of the pairs that are shown, by the rules of lookalike --------------------------------------------------

/**
 * Clusters by star or linked, as the search did; the representative is called principal, as in the API.
 * @param {Pair[]} list
 * @returns {{principal: number, members: number[], least: number|null}[]}
 */
function groupsOf(list) {
  const partners = new Map();
  for (const pair of list) {
    for (const [one, other] of [[pair.a, pair.b], [pair.b, pair.a]]) {
      if (!partners.has(one)) partners.set(one, new Map());
      partners.get(one).set(other, pair.score);
    }
  }
  const rank = new Map((head.order ?? []).map((document, place) => [document, place]));
  const byOrder = [...partners.keys()].sort((x, y) => (rank.get(x) ?? x) - (rank.get(y) ?? y));
  const found = head.linkage === "linked" ? linked(partners, byOrder) : stars(partners, byOrder);
  return found
    .filter((group) => group.members.length > 1 && !group.members.every(isOld))
    .map((group) => withLeast(group, partners))
    .sort((x, y) => y.members.length - x.members.length || x.members[0] - y.members[0]);
}

/** A free document becomes a representative and takes its free partners; old documents are representatives first. */
function stars(partners, byOrder) {
  const taken = new Map();
  const places = new Map(byOrder.map((one, place) => [one, place]));
  for (const document of byOrder.filter((one) => !isOld(one))) {
    const old = [...partners.get(document)].filter(([other]) => isOld(other));
    if (!old.length) continue;
    const best = Math.max(...old.map(([, score]) => score));
    old.sort(([x], [y]) => places.get(x) - places.get(y));
    taken.set(document, old.find(([, score]) => score === best)[0]);
  }
  for (const document of byOrder) {
    if (isOld(document) || taken.has(document)) continue;
    taken.set(document, document);
    for (const other of partners.get(document).keys()) {
      if (!isOld(other) && !taken.has(other)) taken.set(other, document);
    }
  }
  return gathered([...taken].concat([...new Set(taken.values())].filter(isOld).map((old) => [old, old])));
}

/** Documents that a chain of pairs connects. */
function linked(partners, byOrder) {
  const seen = new Map();
  for (const start of byOrder) {
    if (seen.has(start)) continue;
    const chain = [start];
    seen.set(start, start);
    for (let next = chain.pop(); next !== undefined; next = chain.pop()) {
      for (const other of partners.get(next).keys()) {
        if (seen.has(other)) continue;
        seen.set(other, start);
        chain.push(other);
      }
    }
  }
  return gathered([...seen]);
}

/** Clusters from documents and their representatives. */
function gathered(entries) {
  const groups = new Map();
  for (const [document, principal] of entries) {
    if (!groups.has(principal)) groups.set(principal, []);
    groups.get(principal).push(document);
  }
  return [...groups].map(([principal, members]) => ({ principal, members: members.sort((x, y) => x - y) }));
}

/** The least score of a member to the representative; null if one was not compared with it. */
function withLeast(group, partners) {
  let least = 1;
  for (const member of group.members) {
    if (member === group.principal) continue;
    const score = partners.get(group.principal)?.get(member);
    if (score === undefined) return { ...group, least: null };
    least = Math.min(least, score);
  }
  return { ...group, least };
}
