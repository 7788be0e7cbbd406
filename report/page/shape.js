// SPDX-License-Identifier: GPL-2.0-or-later
// The tree that the flame graph draws and the tree of text tells: the model's, or
// what the reader has made of it (shapes.js, callers.js); filled with what is selected.
//
// A node's source is a node of treeOf(node), which has its frame, domain and reason.
// Nodes keep their numbers when something else is selected.
const Shape = (() => {
  const NONE = -1, KEPT = 4; // beside the usual one, and the last one
  const NARROW = [1, 8, 8]; // pixels of pictures that nobody sees
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
      total: (node) => columns.total[node], own: (node) => columns.own[node], samples: (node) => columns.samplesBelow(node),
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
  function inverse(tree, how) {
    const { fill, homes, children, forBelow, parent, source, total, samples } = Callers.create(tree, how);
    return {
      callers: NONE, fill, homes, children, parent, source, total, samples,
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

  // The tree that begins with reasons, and what samples of reasons have there.
  function* makeReasons(model) {
    const tree = yield* Shapes.byReason(model.tree, yield* Model.partsOfReasons(model));
    yield;
    const made = { tree, sums: Shapes.sumsOf(tree), moves: yield* Model.movesOfReasons(model, tree.places) };
    model.byReason = { tree, sumOf: keeping((result, selection) => sumReasons(model, made, result, selection)) };
    return model.byReason;
  }

  // It may have been begun.
  const jobOfReasons = (model) => model.reasonsJob ??= makeReasons(model);

  // What is selected is of no reason, but for what samples of reasons have.
  function sumReasons(model, { tree, sums, moves }, result, selection) {
    const { nodes, ofNone } = tree;
    return Shapes.fillSums(sums, (own, total, counting) => {
      const from = counting ? result.ownCount : result.own;
      own.fill(0, ofNone);
      for (let i = 1; i < ofNone; i++)
        own[i] = from[nodes[i]];
      Model.moveToReasons(model, result, selection, moves, own, counting);
      total.set(own);
      Shapes.addUp(tree, total);
    });
  }

  // A function of what is selected that keeps the last that it returned: several shapes ask
  // for the same.
  function keeping(sum) {
    let last = null, kept = null;
    return (result, selection) => {
      if (result !== last)
        kept = sum(result, selection);
      last = result;
      return kept;
    };
  }

  // The tree that chains of a wish are of, and sums of what is selected.
  function* makeChains(model, { reasons, focus }) {
    const of = reasons ? model.byReason ?? (yield* jobOfReasons(model)) : { tree: model.tree, sumOf: (result) => result }, { tree, sumOf } = of;
    if (focus < 0)
      return of;
    const focused = Shapes.fromFocus(tree, focus), sums = Shapes.sumsOf(focused);
    return { tree: focused, sumOf: keeping((...selected) => Shapes.focusSums(focused, sumOf(...selected), sums)) };
  }

  // What is wished of the tree, from callers to callees: its nodes, those of them that are
  // kept, and sums of what is selected.
  function* makeTree(model, { overAll, recursion, reasons, focus, hidden }, middle) {
    const marks = new Uint8Array(model.info.frame_names.length), { tree, sumOf } = yield* makeChains(model, { reasons, focus });
    hidden.forEach((frame) => { marks[frame] = frame === middle ? 0 : 1; });
    const collapsed = recursion || marks.includes(1) ? yield* Shapes.collapse(tree, { recursion, hidden: marks }) : null;
    return { tree, how: { overAll, collapsed }, isUsual: tree === model.tree && !overAll && !collapsed,
             sumOf: collapsed ? keeping((...selected) => Shapes.collapseSums(tree, collapsed, sumOf(...selected))) : sumOf };
  }

  // The last ones are kept, and the usual one: what was wished is often wished again.
  function* treeOf(model, wishes, middle) {
    const { overAll, recursion, reasons, focus, hidden } = wishes;
    const key = [overAll, recursion, reasons, focus, hidden.filter((frame) => frame !== middle)].join("/");
    const find = () => model.shapes?.find((one) => one.key === key), made = find() ? null : yield* makeTree(model, wishes, middle);
    const found = find() ?? { key, ...made }, kept = model.shapes ?? [];
    const others = kept.filter((one) => one !== found), usual = others.find(({ isUsual }) => isUsual);
    model.shapes = [found, ...others.filter((one) => one !== usual).slice(0, KEPT), ...(usual ? [usual] : [])];
    return found;
  }

  const downward = ({ tree, how, isUsual }) => isUsual ? forward(tree) : Shapes.create(tree, how, how.collapsed);

  // The first node of a function that only nodes without a frame are above: work for idle
  // domains is below these.
  function findFrame(tree, shape, node, wanted) {
    for (const child of shape.children(node)) {
      const frame = tree.frame[shape.source(child)];
      const found = frame === wanted ? child : frame < 0 ? findFrame(tree, shape, child, wanted) : NONE;
      if (found >= 0)
        return found;
    }
    return NONE;
  }

  // A shape is kept with its tree: what is below its nodes has been made.
  /** @param {any} wishes */
  function* make(model, wishes, chosen) {
    const { inverted, sandwich, ...others } = wishes, middle = sandwich ? chosen : NONE;
    const kept = yield* treeOf(model, others, middle), fill = (drawn, { sumOf }) => (...selected) => drawn.fill(sumOf(...selected));
    if (middle < 0) {
      const drawn = inverted ? kept.upward ??= inverse(kept.tree, kept.how) : kept.downward ??= downward(kept);
      return { ...drawn, middle, fill: fill(drawn, kept) };
    }
    const below = yield* treeOf(model, { ...others, overAll: true, reasons: false, focus: middle }, middle);
    const lower = below.downward ??= downward(below), upper = inverse(kept.tree, { ...kept.how, seed: middle });
    const fills = [fill(lower, below), fill(upper, kept)], first = findFrame(below.tree, lower, 0, middle);
    return { ...both(lower, upper, first), middle, fill: (...selected) => fills.forEach((one) => one(...selected)) };
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
      app.shape = name(model, { ...Later.finish(make(model, wishes, chosen)), wishes, chosen });
    if (app.shape.filled !== result)
      app.shape.fill(result, state.selection);
    app.shape.filled = result;
    return app.shape !== before;
  }

  // Makes what shapes are made of, and has their code run, before somebody wishes for one.
  function* warm(app) {
    const { model } = app;
    for (const changes of [{ reasons: true }, { overAll: true }, { inverted: true }, { inverted: true, overAll: true }, { recursion: true }]) {
      const shape = yield* make(model, change(PLAIN, changes), NONE);
      yield* shape.homes ?? [];
      yield;
      shape.fill(app.result, app.state.selection); // whatever is selected by now
      for (const wide of NARROW) {
        yield;
        Boxes.layout(name(model, shape), 0, wide, () => {});
      }
    }
  }

  // Of what is to be drawn, what differs from what usually is; each can be taken back.
  function parts(app) {
    const wishes = wishesOf(app), name = (frame) => app.model.frameName(frame);
    return [
      ...ROWS.filter(({ id }) => wishes[id]).map(({ id, said }) => ({ id, text: said, changes: { [id]: false } })),
      ...(wishes.focus >= 0 ? [{ id: "focus", text: "chains from " + name(wishes.focus) + " on", changes: { focus: NONE } }] : []),
      ...wishes.hidden.map((frame) => ({ text: "without frames of " + name(frame),
                                         changes: { hidden: wishes.hidden.filter((one) => one !== frame) } })),
    ];
  }

  return { ROWS, usual, change, update, warm, parts };
})();
