// SPDX-License-Identifier: GPL-2.0-or-later
// What a file has of the selection: nodes with what is theirs, without idle time; below
// the zoom, if the flame graph has the model's nodes.
const Saved = (() => {
  const NOT_SAMPLED = "[not sampled]"; // time that a vCPU ran without a sample

  // The part of the tree, from a node to the one before another.
  function part(app) {
    const zoom = Shape.parts(app).length ? 0 : app.views.flame.view.zoom;
    return { first: Math.max(1, zoom), end: app.model.tree.end[zoom] };
  }

  function isIdle({ frame, domain }, node) {
    return frame[node] < 0 && domain[node] === Model.IDLE_DOMAIN;
  }

  // The amount of a node, in ns or events, with a name; of two times both.
  function columns({ model, result: { own, sides } }) {
    const amount = (value) => Math.round(value * model.type.scale);
    if (!sides)
      return [{ name: model.info.title, of: (node) => amount(own[node]) }];
    return ["before", "after"].map((name) => {
      const side = sides[name];
      return { name, of: (node) => amount(side.own[node] * side.all / Compare.WHOLE) };
    });
  }

  function nodes(app, amounts) {
    const { tree } = app.model, { first, end } = part(app), found = [];
    for (let node = first; node < end; node++)
      if (!isIdle(tree, node) && amounts.some(({ of }) => of(node) > 0))
        found.push(node);
    return found;
  }

  // Nodes from the domain to one, which is the last.
  function chain({ parent }, node) {
    const found = [];
    for (let at = node; at > 0; at = parent[at])
      found.unshift(at);
    return found;
  }

  return { part, isIdle, columns, nodes, chain, NOT_SAMPLED };
})();
