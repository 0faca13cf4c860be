// Who waits for whom, drawn: on the right those who wait for nobody, in red who wait in a circle.

import {listen} from "./api.js";
import {h, redraw, s, setText, show} from "./dom.js";
import {t} from "./i18n.js";
import {empty, loading} from "./parts.js";

const WIDTH = 210;
const HEIGHT = 52;
const ACROSS = 350;
const DOWN = 84;

export function graphPage(place) {
  const count = h("span", {class: "sub num"});
  const body = h("section", {class: "card"}, loading());
  show(place, h("div", {class: "head"}, h("h1", {}, t("graph")), count), body);
  return listen({view: "graph"}, (graph) => {
    setText(count, t("countEdges", {n: graph.edges.length}));
    redraw(body, graph.edges.length
      ? [graph.edges.some((edge) => edge.cycle) && h("p", {class: "note bad", id: "cycle"}, t("cycle")),
        h("div", {class: "graph", tabindex: 0, role: "group", "aria-label": t("graph")}, drawGraph(graph)),
        graph.more && h("p", {class: "foot muted"}, t("graphMore"))]
      : empty("graph", t("noWaits"), t("noWaitsHint")));
  });
}

/** Puts each thread one column to the left of those that it waits for. */
function columns({threads, edges}) {
  const column = new Map(threads.map((each) => [each.id, 0]));
  // As often as there are threads is enough; in a cycle there is no end to it.
  for (let round = 0; round < Math.min(threads.length, 12); round++) {
    let changed = false;
    for (const edge of edges) {
      const needed = Math.min(column.get(edge.to) + 1, edge.cycle ? 3 : 12);
      if (column.get(edge.from) < needed && !(edge.cycle && round > 2)) {
        column.set(edge.from, needed);
        changed = true;
      }
    }
    if (!changed) break;
  }
  const used = [...new Set(column.values())].sort((a, b) => b - a);
  return new Map([...column].map(([id, value]) => [id, used.indexOf(value)]));
}

const cut = (text, most) => ([...text].length > most ? [...text].slice(0, most - 1).join("") + "…" : text);
const isolated = (text) => `\u2068${text}\u2069`;

export function drawGraph(graph) {
  const column = columns(graph);
  const filled = [];
  const at = new Map();
  for (const each of graph.threads) {
    const x = column.get(each.id);
    filled[x] = (filled[x] ?? 0) + 1;
    at.set(each.id, {x: 10 + x * ACROSS, y: 24 + (filled[x] - 1) * DOWN});
  }
  const tallest = Math.max(...filled.map((n) => n ?? 0));
  for (const each of graph.threads) {
    const x = column.get(each.id);
    at.get(each.id).y += ((tallest - filled[x]) * DOWN) / 2;
  }
  const width = (filled.length - 1) * ACROSS + WIDTH + 20;
  const height = tallest * DOWN + 30;
  const by = new Map(graph.threads.map((each) => [each.id, each]));
  const text = graph.edges.slice(0, 30).map((edge) =>
    t("edgeText", {from: by.get(edge.from).node, to: by.get(edge.to).node, name: edge.name})).join("; ");
  return s("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("graphLabel", {text})},
    s("defs", {}, ["", "-cycle"].map((kind) => s("marker", {id: `arrow${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto"},
      s("path", {d: "M0 0L8 4L0 8z", class: `arrow${kind}`})))),
    merged(graph.edges).map((edge) => drawEdge(edge, at.get(edge.from), at.get(edge.to))),
    graph.threads.map((each) => drawVertex(each, at.get(each.id))));
}

/** One arrow for all names between the same two. */
function merged(edges) {
  const all = new Map();
  for (const edge of edges) {
    const key = `${edge.from} ${edge.to}`;
    const known = all.get(key);
    all.set(key, known ? {...known, names: [...known.names, edge.name], cycle: known.cycle || edge.cycle} : {...edge, names: [edge.name]});
  }
  return [...all.values()];
}

function drawEdge(edge, from, to) {
  const forward = from.x < to.x;
  const same = from.x === to.x;
  const start = {x: from.x + (forward || same ? WIDTH : 0), y: from.y + HEIGHT / 2};
  const end = {x: to.x + (forward ? 0 : WIDTH), y: to.y + HEIGHT / 2 + (forward ? 0 : 12)};
  const bend = same ? 90 : Math.max(60, Math.abs(end.x - start.x) / 2);
  const out = forward || same ? start.x + bend : start.x - bend;
  const into = forward ? end.x - bend : end.x + bend;
  const lift = forward || same ? 0 : HEIGHT;
  const middle = {x: (start.x + end.x + (same ? 70 : 0)) / 2, y: (start.y + end.y) / 2 - 6 + lift * 0.9};
  const label = edge.names[0] + (edge.names.length > 1 ? ` +${edge.names.length - 1}` : "");
  return s("g", {class: `e${edge.cycle ? " cycle" : ""}`}, s("title", {}, isolated(edge.names.join(", "))),
    s("path", {d: `M${start.x} ${start.y}C${out} ${start.y + lift} ${into} ${end.y + lift} ${end.x} ${end.y}`, "marker-end": `url(#arrow${edge.cycle ? "-cycle" : ""})`}),
    s("text", {x: middle.x, y: middle.y, "text-anchor": "middle"}, isolated(cut(label, 18))));
}

function drawVertex(each, {x, y}) {
  return s("g", {class: `v${each.cycle ? " cycle" : ""}`, transform: `translate(${x} ${y})`}, s("title", {}, isolated(`${each.node} ${each.thread}`)),
    s("rect", {width: WIDTH, height: HEIGHT}),
    s("text", {x: 14, y: each.thread ? 22 : 31}, isolated(cut(each.node, 26))),
    s("text", {x: 14, y: 40, class: "sub"}, isolated(cut(each.thread, 28))));
}
