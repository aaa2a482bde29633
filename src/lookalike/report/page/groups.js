// -- tab Clusters: members, heat map, timeline ------------------------------------------------------------------------

const GROUPS_PER_PAGE = 10;
const MOST_IN_MAP = 60;
const NUMBERS_UP_TO = 14;

function groupsTab() {
  let page = 0;
  const list = h("div", { class: "groups" });
  const said = h("p", { class: "explain" });
  const pager = pagerOf((to) => {
    page = to;
    draw();
    list.scrollIntoView({ block: "start" });
  }, GROUPS_PER_PAGE);
  const scores = new Map();

  function draw() {
    const groups = shown.groups;
    page = Math.min(page, Math.max(0, Math.ceil(groups.length / GROUPS_PER_PAGE) - 1));
    scores.clear();
    for (const pair of shown.pairs) scores.set(`${pair.a} ${pair.b}`, pair).set(`${pair.b} ${pair.a}`, pair);
    fill(said, groups.length
      ? ["The largest first. The representative of a cluster is ", head.linkage === "linked" ? "its first document; others may be linked to it only by a chain of pairs." : "the document that all others are similar to."]
      : null);
    fill(list, groups.length
      ? groups.slice(page * GROUPS_PER_PAGE, (page + 1) * GROUPS_PER_PAGE).map((group, i) => groupElement(group, page * GROUPS_PER_PAGE + i + 1, scores))
      : h("p", { class: "empty" }, "There is no cluster at this threshold."));
    pager.draw(page, groups.length);
  }
  return { element: h("div", null, said, list, pager.element), draw };
}

function groupElement(group, number, scores) {
  const { members, principal } = group;
  const dated = members.filter((member) => docs.date?.[member]);
  return h("section", { class: "group card", "aria-labelledby": `group-${number}` },
    h("div", { class: "card-head" },
      h("h3", { id: `group-${number}` }, `Cluster ${whole(number)}: ${count(members.length, "document")}`),
      h("p", { class: "group-least" }, group.least === null ? "linked by a chain of pairs" : `each at least ${percent(group.least)} similar to the representative`)),
    h("div", { class: "group-body" },
      memberList(members, principal, scores),
      members.length > 2 ? heatMap(members, scores) : null),
    dated.length > 1 ? timeline(dated) : null);
}

function memberList(members, principal, scores) {
  const ordered = [principal, ...members.filter((member) => member !== principal)];
  return h("ol", { class: "members" }, ordered.slice(0, 200).map((member) => {
    const pair = scores.get(`${principal} ${member}`);
    return h("li", null,
      h("span", { class: "member-score" }, member === principal ? "representative" : pair ? percent(pair.score) : "–"),
      pair ? pairLink(pair, nameElement(member)) : nameElement(member),
      aboutOf(member) ? h("span", { class: "about" }, aboutOf(member)) : null);
  }), members.length > 200 ? h("li", null, `and ${whole(members.length - 200)} more`) : null);
}

/** All scores within the cluster; the numbers are written into the cells while there is room for them. */
function heatMap(members, scores) {
  if (members.length > MOST_IN_MAP) return h("p", { class: "explain" }, `The heat map is for clusters of up to ${MOST_IN_MAP} documents.`);
  const small = members.length > NUMBERS_UP_TO;
  return h("figure", { class: "heat-figure" },
    h("figcaption", null, "Similarity of every two documents"),
    h("div", { class: "table-scroll" },
      h("table", { class: small ? "heat heat-small" : "heat" },
        h("caption", { class: "sr" }, "Similarity of each document of the cluster to each other one, in per cent"),
        h("thead", null, h("tr", null, h("td"), members.map((member, i) => h("th", { scope: "col", title: nameOf(member) }, String(i + 1), h("span", { class: "sr" }, ` ${nameOf(member)}`))))),
        h("tbody", null, members.map((row, i) => h("tr", null,
          h("th", { scope: "row", title: nameOf(row) }, h("span", { class: "heat-number" }, String(i + 1)), h("span", { class: small ? "sr" : "heat-name" }, nameElement(row))),
          members.map((column) => heatCell(row, column, scores, small))))))));
}

function heatCell(row, column, scores, small) {
  if (row === column) return h("td", { class: "heat-self" }, h("span", { class: "sr" }, "itself"));
  const pair = scores.get(`${row} ${column}`);
  if (!pair) return h("td", { class: "heat-none" }, h("span", { class: "sr" }, "not listed"));
  // Reached with the arrows of a screen reader or a mouse; by keyboard the list of members leads to the same pairs.
  const cell = h("td", null, h("a", { href: `#pair-${pair.i + 1}`, tabindex: "-1", title: `${nameOf(row)} and ${nameOf(column)}: ${percent(pair.score)}` },
    small ? h("span", { class: "sr" }, percent(pair.score, 0)) : percent(pair.score, 0).replace("%", "")));
  const heat = (pair.score - LOW) / Math.max(0.01, 1 - LOW);
  cell.style.setProperty("--heat", String(Math.round(12 + 88 * Math.max(0, heat))));
  cell.className = heat > 0.45 ? "heat-cell heat-high" : "heat-cell";
  return cell;
}

/** Members by date, the first one first. */
function timeline(dated) {
  const when = (document) => Date.parse(`${docs.date[document].replace(" ", "T")}${docs.date[document].length > 10 ? "Z" : ""}`);
  const ordered = [...dated].sort((x, y) => when(x) - when(y) || x - y);
  const [first, last] = [when(ordered[0]), when(ordered[ordered.length - 1])];
  const line = h("div", { class: "timeline-line", "aria-hidden": "true" }, ordered.map((document) => {
    const dot = h("span", { class: "timeline-dot", title: `${nameOf(document)}: ${docs.date[document]}` });
    dot.style.setProperty("--at", String(last > first ? (when(document) - first) / (last - first) : 0.5));
    return dot;
  }));
  return h("div", { class: "timeline" }, h("h4", null, "Timeline"), line,
    h("ol", null, ordered.slice(0, 60).map((document) => h("li", null, h("time", null, docs.date[document]), nameElement(document),
      when(document) === first ? h("span", { class: "badge" }, "first") : null))));
}
