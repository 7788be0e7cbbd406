// SPDX-License-Identifier: GPL-2.0-or-later
// The tree that the flame graph draws and the tree of text tells: the model's, or
// what the reader has made of it (shapes.js, callers.js); filled with what is selected.
//
// A node's source is a node of treeOf(node), which has its frame, domain and reason.
// Nodes keep their numbers when something else is selected.
const Shape = (() => {
  const NONE = -1, KEPT = 4; // trees
  // What can be wished, beside hidden functions and a focus: keys, the words of links,
  // the menu, and what is said of it.
  const ROWS = [
    { id: "inverted", link: "inverted", key: "I", what: "callers below each function", said: "callers below functions" },
    { id: "sandwich", link: "callers-and-callees", key: "k", what: "callers and callees of the function", said: "callers and callees" },
    { id: "overAll", link: "all-domains", key: "a", what: "all domains taken together", said: "all domains together" },
    { id: "reasons", link: "by-reason", key: "x", what: "by the reason why Xen ran", said: "by reason" },
    { id: "recursion", link: "no-recursion", key: "u", what: "recursion as one frame", said: "recursion as one frame" },
  ];

  function usual() {
    return { ...Object.fromEntries(ROWS.map(({ id }) => [id, false])), hidden: [], focus: NONE };
  }

  // Wishes, with some of them changed; some exclude each other, and the last one counts.
  function change(wishes, changes) {
    const next = { ...wishes, ...changes };
    if (changes.sandwich)
      Object.assign(next, { inverted: false, focus: NONE });
    else if (changes.inverted || changes.focus >= 0)
      next.sandwich = false;
    return next;
  }

  // From callers to callees.
  function forward(tree) {
    let columns = null;
    return {
      callers: NONE, fill: (sums) => { columns = sums; },
      treeOf: () => tree, source: (node) => node, parent: (node) => tree.parent[node],
      total: (node) => columns.total[node], own: (node) => columns.own[node], samples: (node) => columns.totalCount[node],
      isAbsent: (node) => tree.absent[node], isTorn: (node) => tree.absent[tree.parent[node]],
      children: (node) => {
        const below = [];
        for (let i = node + 1; i < tree.end[node]; i = tree.end[i])
          below.push(i);
        return below;
      },
      // Of what is much less than the node, the first stands for all: it is the largest.
      forBelow: (node, each, least) => {
        const { total } = columns, { frame, row, end, absent, parent } = tree;
        for (let i = node + 1; i < end[node];) {
          const isSeen = total[i] > 0 && (total[i] >= least || i === parent[i] + 1);
          if (isSeen && !absent[i])
            each(frame[i], row[i] - row[node], total[i], i);
          i = isSeen ? i + 1 : end[i];
        }
      },
    };
  }

  // From callees to callers: what a node has of its own is the whole of its function's.
  function inverse(tree, seed = NONE) {
    const { fill, children, forBelow, parent, source, total, samples } = Callers.create(tree, seed);
    return {
      callers: NONE, fill, children, parent, source, total, samples,
      treeOf: () => tree, own: () => 0, isAbsent: () => 0, isTorn: () => 0,
      forBelow: (node, each, least) => forBelow(node, (at, rows, time) => each(tree.frame[at], rows, time, at), least),
    };
  }

  // Node 0 is the function, node 1 stands for its callers: even nodes are of the lower
  // half, odd ones of the upper half.
  function both(lower, upper, first) {
    const half = (node) => node % 2 ? upper : lower;
    const inner = (node) => node % 2 ? (node - 1) / 2 : node === 0 ? first : node / 2;
    const outer = (node, of) => node % 2 ? 2 * of + 1 : of === first ? 0 : 2 * of;
    const ask = (what) => (node) => half(node)[what](inner(node));
    return {
      callers: 1,
      treeOf: ask("treeOf"), source: ask("source"), total: ask("total"), own: ask("own"), samples: ask("samples"),
      isAbsent: ask("isAbsent"), isTorn: ask("isTorn"),
      parent: (node) => node < 2 ? 0 : outer(node, half(node).parent(inner(node))),
      children: (node) => half(node).children(inner(node)).map((one) => outer(node, one)),
      forBelow: (node, each, least) => half(node).forBelow(inner(node), each, least),
    };
  }

  // Fills a tree of the model's nodes with what is selected.
  function sum(model, tree, result, selection) {
    if (tree === model.tree)
      return result;
    const { places } = tree, own = Shapes.own(tree, result.own), ownCount = Shapes.own(tree, result.ownCount);
    const move = (column, from, to, much) => { // an index below 0 is of no node
      if (from >= 0)
        column[from] -= much;
      if (to >= 0)
        column[to] += much;
    };
    if (places.length > 1)
      Model.forReasons(model, result, selection, (reason, node, time, count) => {
        move(own, places[0][node], places[reason][node], time);
        move(ownCount, places[0][node], places[reason][node], count);
      });
    return { own, ownCount, total: Shapes.addUp(tree, own.slice()), totalCount: Shapes.addUp(tree, ownCount.slice()) };
  }

  // The tree of what is wished, from callers to callees.  The last ones are kept: what
  // was wished is often wished again.
  function treeOf(model, wishes, middle) {
    const { overAll, recursion, reasons, focus, hidden } = wishes, kept = model.shapes ?? [];
    const key = [overAll, recursion, reasons, focus, hidden.filter((frame) => frame !== middle)].join("/");
    const found = kept.find((one) => one.key === key) ?? { key, ...makeTree(model, wishes, middle) };
    model.shapes = [found, ...kept.filter((one) => one !== found)].slice(0, KEPT);
    return found;
  }

  function makeTree(model, { overAll, recursion, reasons, focus, hidden }, middle) {
    const marks = new Uint8Array(model.info.frame_names.length);
    hidden.forEach((frame) => { marks[frame] = frame === middle ? 0 : 1; });
    const wishes = { overAll, recursion, focus, hidden: marks, uses: reasons ? Model.usesOfReasons(model) : null };
    const isUsual = !overAll && !recursion && !reasons && focus < 0 && !hidden.length;
    return { wishes, tree: isUsual ? model.tree : Shapes.make(model.tree, wishes) };
  }

  /** @param {any} wishes */
  function make(model, wishes, chosen) {
    const { inverted, sandwich, ...others } = wishes;
    const middle = sandwich ? chosen : NONE, kept = treeOf(model, others, middle), { tree } = kept;
    const fill = (drawn, of) => (result, selection) => drawn.fill(sum(model, of, result, selection));
    if (middle < 0) {
      const drawn = inverted ? inverse(tree) : forward(tree);
      return { ...drawn, middle, fill: fill(drawn, tree) };
    }
    const below = Shapes.make(model.tree, { ...kept.wishes, overAll: true, focus: middle, uses: null });
    const lower = forward(below), upper = inverse(tree, middle), fills = [fill(lower, below), fill(upper, tree)];
    return { ...both(lower, upper, below.frame.indexOf(middle)), middle,
             fill: (...selected) => fills.forEach((one) => one(...selected)) };
  }

  // What nodes are called, and which frame they are of; -1: none.
  function name(model, shape) {
    const { treeOf, source, callers } = shape, { info } = model;
    const nameOf = (tree, at) => at === 0 ? "all" : tree.frame[at] >= 0 ? model.frameName(tree.frame[at])
      : tree.domain[at] >= 0 ? info.domain_names[tree.domain[at]]
      : tree.reason[at] ? info.why[tree.reason[at] - 1].reason : "not in Xen";
    return { ...shape, frame: (node) => treeOf(node).frame[source(node)], domain: (node) => treeOf(node).domain[source(node)],
             name: (node) => node === callers ? "called by" : nameOf(treeOf(node), source(node)) };
  }

  // Changes are known of the model's own nodes: a comparison has the usual shape.
  const PLAIN = usual();
  function wishesOf({ state, result }) {
    return result.sides ? PLAIN : state.wishes;
  }

  // Makes the shape that is wished, and fills it, unless that is done.  Returns whether
  // it is another one.
  function update(app) {
    const { model, state, result } = app, wishes = wishesOf(app), chosen = wishes.sandwich ? state.frame : NONE;
    const before = app.shape;
    if (before?.wishes !== wishes || before.chosen !== chosen)
      app.shape = name(model, { ...make(model, wishes, chosen), wishes, chosen });
    if (app.shape.filled !== result)
      app.shape.fill(result, state.selection);
    app.shape.filled = result;
    return app.shape !== before;
  }

  // Of what is to be drawn, what differs from what usually is; each can be taken back.
  function parts(app) {
    const wishes = wishesOf(app), name = (frame) => app.model.frameName(frame);
    return [
      ...ROWS.filter(({ id }) => wishes[id]).map(({ id, said }) => ({ id, text: said, changes: { [id]: false } })),
      ...(wishes.focus >= 0 ? [{ text: "chains from " + name(wishes.focus) + " on", changes: { focus: NONE } }] : []),
      ...wishes.hidden.map((frame) => ({ text: "without frames of " + name(frame),
                                         changes: { hidden: wishes.hidden.filter((one) => one !== frame) } })),
    ];
  }

  return { ROWS, usual, change, update, parts };
})();
