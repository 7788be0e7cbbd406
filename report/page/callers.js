// SPDX-License-Identifier: GPL-2.0-or-later
// A tree turned round: below each function are its callers, below these theirs.  Of
// 100,000 chains that is millions of nodes, so those below a node are made when they
// are asked for, from the tree's nodes at which its callers are known so far.  What a
// node has is its function's, in the chains that go on as its path does.
//
// A node keeps its number when it is filled with the times of another selection.
const Callers = (() => {
  const NONE = -1;
  const NOTHING = { at: [], time: [] };
  const STAND = 8; // chains at most that stand for all of what is narrower than a pixel
  const MANY = 20000; // nodes in a piece of what is made later

  // With seed, a frame, all begins with that function, with all that it called, and
  // the chains go on to their domains.  Without, it begins with each function that has
  // time of its own, below its domain or reason, and ends below these.  Of a tree some of
  // whose nodes are not kept, collapsed says which (Shapes.collapse).
  function create(tree, { seed = NONE, overAll = false, collapsed = null } = {}) {
    const up = collapsed?.up ?? tree.parent;
    const nodes = { parent: [NONE], source: [0], known: [null], total: [0], items: [null], below: [null],
                    first: [NONE], seen: [0], opened: [0] };
    const slot = new Int32Array(tree.count), stamp = new Int32Array(tree.count);
    const next = new Int32Array(tree.count); // of the tree's nodes that a function's time begins at
    const home = new Int32Array(seed < 0 ? tree.count : 0); // at which node that is
    const groups = [0]; // nodes that functions are below
    let turn = 0, stamps = 0, own = null;
    /** @type {any} */ // what it is filled with
    let sums = null;

    // What stands above a node of the tree.
    function aboveOf(node) {
      const above = up[node];
      return overAll && Shapes.isFolded(tree, overAll, above) ? tree.parent[above] : above;
    }

    // Nodes of the tree without a frame are what they are; others are their frame's.
    function keyOf(source) {
      return tree.frame[source] < 0 ? NONE - source : tree.frame[source];
    }

    function start(node) {
      nodes.seen[node] = turn;
      nodes.total[node] = 0;
      nodes.items[node] = nodes.below[node] = null; // most have none
      nodes.first[node] = NONE;
    }

    function find(parent, source) {
      const key = keyOf(source), known = nodes.known[parent] ??= new Map();
      let node = known.get(key);
      if (node === undefined) {
        node = nodes.parent.push(parent) - 1;
        known.set(key, node);
        nodes.source.push(source);
        nodes.known.push(null);
        nodes.total.push(0);
        nodes.seen.push(0);
        nodes.opened.push(0);
        nodes.items.push(null);
        nodes.first.push(NONE);
        nodes.below.push(null);
      }
      return node;
    }

    const child = (parent, source) => touch(find(parent, source));

    // A node that has any time of what is filled in.
    function touch(node) {
      if (nodes.seen[node] !== turn) {
        start(node);
        (nodes.below[nodes.parent[node]] ??= []).push(node);
      }
      return node;
    }

    // Of the time of a node, some has come up to the tree's node at.
    function put(node, at, time) {
      const { at: places, time: times } = nodes.items[node] ??= { at: [], time: [] };
      places.push(at);
      times.push(time);
      nodes.total[node] += time;
    }

    function sort(node) {
      const { total, source } = nodes;
      nodes.below[node]?.sort((a, b) => total[b] - total[a] || source[a] - source[b]);
    }

    // The node of each of the tree's nodes' own time: its function's, below its group.  That
    // does not depend on times.
    function* findHomes() {
      const group = new Int32Array(tree.count), { parent, frame } = tree;
      let lastHome = [], lastGroup = NONE; // by frame, of the group that was last
      for (let i = 1; i < tree.count; i++) {
        const above = group[i] = group[parent[i]], own = frame[i];
        if (own < 0) {
          const isFolded = Shapes.isFolded(tree, overAll, i);
          home[i] = isFolded ? above : find(above, i);
          if (!isFolded)
            groups.push(group[i] = home[i]);
        } else {
          if (above !== lastGroup)
            lastHome = [];
          lastGroup = above;
          home[i] = lastHome[own] ??= find(above, i);
        }
        if (i % MANY === 0)
          yield;
      }
    }

    const homes = findHomes();

    // A function's time begins at each of its nodes: those are a list, from its first.
    function fillAll() {
      const { first, total, seen } = nodes, { frame } = tree;
      Later.finish(homes);
      total[0] = own[0];
      for (let i = 1; i < home.length; i++) {
        const isGroup = frame[i] < 0, time = own[i], node = home[i];
        if (!isGroup && !(time > 0))
          continue;
        if (seen[node] !== turn)
          touch(node);
        total[node] += time;
        if (!isGroup) {
          next[i] = first[node];
          first[node] = i;
        }
      }
      for (const node of groups.toReversed()) {
        for (const one of nodes.below[node] ?? [])
          total[node] += total[one];
        sort(node);
        nodes.opened[node] = turn;
      }
    }

    // Whether the same function is above a node.
    function isInner(node) {
      for (let i = up[node]; i > 0; i = up[i])
        if (tree.frame[i] === seed)
          return true;
      return false;
    }

    // Of a recursive call, the outermost counts.
    function fillSeed({ total }) {
      const { frame } = tree;
      for (let i = frame.indexOf(seed); i > 0; i = frame.indexOf(seed, i + 1))
        if (total[i] > 0 && !isInner(i))
          put(0, i, total[i]);
    }

    function fill(columns) {
      turn++;
      sums = columns;
      ({ own } = sums);
      start(0);
      (seed < 0 ? fillAll : fillSeed)(columns);
    }

    // Informs of where a node's time has come up to: the tree's node, and how much.
    function forItems(node, each) {
      const { at, time } = nodes.items[node] ?? NOTHING;
      for (let i = nodes.first[node]; i >= 0; i = next[i])
        each(i, own[i]);
      for (let i = 0; i < at.length; i++)
        each(at[i], time[i]);
    }

    // What has come up to one node of the tree goes on as one.
    function goOn(node, at, time) {
      const above = aboveOf(at);
      if (above === 0 || (seed < 0 && tree.frame[above] < 0))
        return;
      const below = child(node, above);
      if (stamp[above] !== stamps) {
        stamp[above] = stamps;
        slot[above] = nodes.items[below]?.at.length ?? 0;
        put(below, above, time);
        return;
      }
      const items = nodes.items[below];
      items.time[slot[above]] += time;
      nodes.total[below] += time;
    }

    function open(node) {
      stamps++;
      nodes.opened[node] = turn;
      forItems(node, (at, time) => goOn(node, at, time));
      sort(node);
    }

    // Whether a node has any time of what it is filled with.
    function reach(node) {
      if (node > 0 && nodes.seen[node] !== turn && reach(nodes.parent[node]) && nodes.opened[nodes.parent[node]] !== turn)
        open(nodes.parent[node]);
      return nodes.seen[node] === turn;
    }

    function children(node) {
      if (!reach(node))
        return [];
      if (nodes.opened[node] !== turn)
        open(node);
      return nodes.below[node] ?? [];
    }

    // Of a node that functions are below.
    function samplesOfGroup(group) {
      const isInside = (node) => node === group || (node > group && isInside(nodes.parent[node]));
      let all = group ? 0 : sums.ownCount[0];
      for (let i = 1; i < home.length; i++)
        if (sums.ownCount[i] && isInside(home[i]))
          all += sums.ownCount[i];
      return all;
    }

    // Those of chains that go on as a node's path does: few ask for them.
    function samples(node) {
      const path = [], counts = seed < 0 ? sums.ownCount : sums.totalCount, isGroup = (one) => seed < 0 && (one === 0 || tree.frame[nodes.source[one]] < 0);
      let from = node, all = 0;
      for (; from > 0 && !isGroup(from) && !isGroup(nodes.parent[from]); from = nodes.parent[from])
        path.unshift(keyOf(nodes.source[from]));
      if (!reach(node) || isGroup(node))
        return reach(node) ? samplesOfGroup(node) : 0;
      forItems(from, (begin) => {
        let at = begin;
        if (path.every((key) => keyOf(at = aboveOf(at)) === key))
          all += counts[begin];
      });
      return all;
    }

    // Informs of what is below a node, as nodes of the tree: how many rows below, and
    // how much; nothing is made for it.  Some of its chains stand for all.
    function forBelow(node, each, least = 0) {
      const { at, time } = nodes.items[node] ?? NOTHING, total = nodes.total[node];
      const stand = Math.max(1, Math.min(STAND, Math.floor(total / least / 2)));
      if (stand === 1) { // so have most; what functions are below has none
        const one = at.length ? at[0] : nodes.first[node];
        if (one >= 0)
          climb(one, total, each);
        return;
      }
      const some = at.slice(0, stand), times = time.slice(0, stand);
      for (let i = nodes.first[node]; i >= 0 && some.length < stand; i = next[i]) {
        some.push(i);
        times.push(own[i]);
      }
      const scale = total / times.reduce((sum, one) => sum + one, 0);
      some.forEach((one, i) => climb(one, times[i] * scale, each));
    }

    // Informs of what stands above a node of the tree.
    function climb(from, time, each) {
      const { frame } = tree;
      for (let above = aboveOf(from), rows = 1; above !== 0 && (seed >= 0 || frame[above] >= 0); above = aboveOf(above))
        each(above, rows++, time);
    }

    return {
      fill, homes, children, forBelow,
      parent: (node) => nodes.parent[node],
      source: (node) => nodes.source[node],
      total: (node) => reach(node) ? nodes.total[node] : 0,
      samples,
    };
  }

  return { create };
})();
