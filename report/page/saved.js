// SPDX-License-Identifier: GPL-2.0-or-later
// What a file has of the selection: nodes with what is theirs, without idle time; below
// the zoom, if the flame graph has the model's nodes.
const Saved = (() => {
  const NOT_SAMPLED = "[not sampled]"; // time that a vCPU ran without a sample
  const LEAST = 0.5; // us, or events: what is less is rounded

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

  // Informs of each entry of samples, in the order of time: of which node, track and bin it
  // is, us or events, and samples; then of what has none, of track -1, in bin 0.
  function forSamples(app, each) {
    const { model, result: { brush, own }, state: { selection } } = app, { tree, runs, samples, columns: { taken } } = model;
    const mask = Model.trackMask(model, selection), rest = Float64Array.from(own), { first, end } = part(app);
    for (let run = brush.first; run < brush.last; run++)
      for (let i = runs.start[run]; mask[runs.lane[run]] && i < runs.start[run + 1]; i++) {
        const node = samples.node[i], time = samples.count[i] * Account.rateOf(model, brush, run, i);
        if (!taken[node] || node < first || node >= end || isIdle(tree, node) || !time)
          continue;
        rest[node] -= time;
        each(node, runs.lane[run], runs.bin[run], time, samples.count[i]);
      }
    for (let node = first; node < end; node++)
      if (!isIdle(tree, node) && rest[node] > LEAST)
        each(node, -1, selection.from, rest[node], 0);
  }

  // Frames of a node, the callers first; time without a sample has one of its own, -1.
  function frames(tree, node) {
    const found = chain(tree, node).map((at) => tree.frame[at]).slice(1);
    return found.length ? found : [-1];
  }

  // What a file's comments say of the session, and of what is selected.
  function comments({ model, views }) {
    const { session } = model.info, parts = views.chosen.texts();
    return [["session", model.info.title], ...(parts.length ? [["selected", parts.join(" \u00b7 ")]] : []),
            ["lost", session.lost + " of " + session.made + " samples"],
            ...model.info.notes.map((note) => ["note", note])];
  }

  // When the session began, in ms of UTC; 0: it is not known.
  function start({ model: { info: { session } } }) {
    return Date.parse(session.start ?? "") || 0;
  }

  return { part, isIdle, columns, nodes, chain, forSamples, frames, comments, start, NOT_SAMPLED };
})();
