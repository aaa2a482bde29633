// -- the collection: how similar its documents are, and their clusters ------------------------------------------------

const GROUPS_PER_PAGE = 20;
const MOST_MEMBERS = 200;

function groupsView() {
  const slot = h("div", { class: "slot" });
  const chart = h("section", { class: "card", "aria-labelledby": "chart-title" }, h("h2", { id: "chart-title" }, "How similar are pairs of documents?"));
  const list = h("div", { class: "groups" });
  const said = h("p", { class: "explain groups-said", id: "groups-said" });
  const box = h("div", null, list);
  const listing = cursorPages(slot, "Comparing all stored documents with each other", GROUPS_PER_PAGE, api.groups, ({ groups }) => fill(list, groups.map(groupCard)), box);
  const start = async () => {
    const listed = await listing.ask({}, (total) => fill(said, total
      ? `${count(total, "cluster")}. The first document of a cluster, its representative, is the document that all others are similar to.`
      : `No two documents are at least ${percent(access.info.threshold, 0)} similar.`));
    if (!listed) return;
    const counted = await work("Counting pairs of documents", slot, (signal) => api.histogram(signal));
    if (counted !== undefined) drawChart(chart, counted);
  };
  start();
  return h("div", null, h("div", { class: "lead" }, h("h1", { id: "title", tabindex: "-1" }, "Clusters"),
    h("p", { class: "run" }, `Stored documents that are at least ${percent(access.info.threshold, 0)} similar.`)),
  slot, chart, h("h2", { class: "pair-section" }, "Similar documents by cluster"), said, box);
}

function groupCard({ group, principal, size, documents }) {
  const others = documents.filter((id) => id !== principal).slice(0, MOST_MEMBERS);
  return h("section", { class: "group card", "aria-labelledby": `group-${group}` },
    h("h3", { id: `group-${group}` }, `Cluster ${whole(group)}: ${count(size, "document")}`),
    h("ol", { class: "members" },
      h("li", null, h("span", { class: "member-score" }, "representative"), documentLink(principal)),
      others.map((id) => h("li", null, h("span"), documentLink(id),
        h("a", { href: linkTo("pair", principal, id), "aria-label": visible(`Compare ${shownId(principal)} with ${shownId(id)}`) }, "Compare"))),
      size > others.length + 1 ? h("li", null, h("span"), `and ${whole(size - others.length - 1)} more`) : null));
}

/** Draws the histogram of the similarities of all pairs at or above the threshold. */
function drawChart(section, { edges, counts, threshold }) {
  const pairs = counts.reduce((sum, number) => sum + number, 0);
  const drawn = pairs && edges[0] < edges[edges.length - 1] ? scoreChart(edges, ["Similarity", "Pairs"]) : null;
  fill(section, h("h2", { id: "chart-title" }, "How similar are pairs of documents?"),
    h("p", { class: "explain" }, pairs
      ? `${count(pairs, "pair")} of stored documents ${pairs === 1 ? "is" : "are"} at least ${percent(threshold, 0)} similar. Less similar pairs are not counted.`
      : "There is nothing to draw yet: no two documents are similar."),
    drawn ? [h("div", { class: "plot plot-still" }, drawn.chart), drawn.scale, drawn.table] : null);
  drawn?.draw(counts, threshold);
}
