// SPDX-License-Identifier: GPL-2.0-or-later
// Other shapes of the tree of call chains, as pure functions: tree and wishes -> tree.
// All time of the chains that are kept is kept.  A wish is one of:
//
//   overAll    domains have no frames of their own: chains of all are taken together
//   recursion  a function that is called again, also by way of others, is one frame
//   hidden     by frame, 1: it has no frame, and its time is its caller's
//   focus      a frame: only chains with it, from there on; -1: all
//   uses       a column for each reason, what of it each node has: chains begin with
//              their reason, the first is of no reason; null: they do not
//
// A shape is a tree as model.js has it, with the reason of each node (-1: none of its
// own), and in places, for each reason, the node that the time of a tree's node goes
// to, or -1.  All is in columns of numbers: a tree has hundreds of thousands of nodes.
const Shapes = (() => {
  const NONE = -1;
  const FEW = 16; // siblings that are sorted in place

  function most(column) {
    let found = NONE;
    for (let i = 0; i < column.length; i++)
      if (column[i] > found)
        found = column[i];
    return found;
  }

  // A tree of at most so many nodes, which are added parents first.  Each is its
  // parent's child of a key.  As long as a node has the time of one of the tree's alone,
  // that one's children differ: they are not looked for.  Children of others are found
  // by hashing both.
  function begin(tree, room) {
    const frames = most(tree.frame) + 1, column = () => new Int32Array(room).fill(NONE);
    const made = { count: 1, parent: column(), first: column(), next: column(), frame: column(), domain: column(), reason: column(),
                   time: new Float64Array(room) };
    const { parent: parents, first, next } = made, keys = new Int32Array(room), shared = new Uint8Array(room);
    let size = 64;
    while (size < 2 * room)
      size *= 2;
    const table = new Int32Array(size);

    // Where that child is in the table, or has to be.
    function placeOf(parent, key) {
      let at = (Math.imul(parent, 0x9e3779b1) ^ Math.imul(key + 1, 0x85ebca6b));
      at = (at ^ at >>> 15) & size - 1;
      while (table[at] && (parents[table[at]] !== parent || keys[table[at]] !== key))
        at = at + 1 & size - 1;
      return at;
    }

    // Another node of the tree has its time there, too.
    function share(node) {
      if (shared[node])
        return node;
      shared[node] = 1;
      for (let i = first[node]; i >= 0; i = next[i])
        table[placeOf(node, keys[i])] = i;
      return node;
    }

    function child(parent, key) {
      const at = shared[parent] ? placeOf(parent, key) : 0;
      if (shared[parent] && table[at])
        return share(table[at]);
      const node = made.count++;
      if (shared[parent])
        table[at] = node;
      parents[node] = parent;
      keys[node] = key;
      next[node] = first[parent];
      first[parent] = node;
      return node;
    }

    share(0); // what begins a chain
    return {
      made, share,
      frameBelow: (parent, frame, domain) => {
        const node = child(parent, frame);
        made.frame[node] = frame;
        made.domain[node] = domain;
        return node;
      },
      domainBelow: (parent, domain) => {
        const node = child(parent, frames + domain);
        made.domain[node] = domain;
        return node;
      },
      reasonBelow: (parent, reason) => {
        const node = child(parent, -2 - reason);
        made.reason[node] = reason;
        return node;
      },
    };
  }

  // Adds to each node of a column what is below it.
  function addUp({ parent, count }, column) {
    for (let i = count - 1; i > 0; i--)
      column[parent[i]] += column[i];
    return column;
  }

  // The frame of that function on the way to a node, or -1.
  function onPath({ parent, frame }, node, wanted) {
    for (let i = node; i > 0; i = parent[i])
      if (frame[i] === wanted)
        return i;
    return NONE;
  }

  // Where each node's time goes, below the node top; need says which have any.
  function placeAll(tree, { overAll, recursion, hidden, focus }, { made, share, frameBelow, domainBelow }, top, need) {
    const places = new Int32Array(tree.count).fill(NONE), { parent, frame, domain, mode, end } = tree;
    const inside = new Uint32Array(recursion ? most(frame) + 1 : 0); // where what a function called ends
    let group = share(top);
    places[0] = focus < 0 ? top : NONE;
    for (let i = 1; i < tree.count; i++) {
      const wanted = frame[i], above = places[parent[i]];
      if (need && !(need[i] > 0))
        continue;
      if (wanted < 0) { // idle time stays apart
        group = overAll && mode[i] === mode[0] ? top : NONE;
        places[i] = focus >= 0 ? NONE : group < 0 ? group = domainBelow(top, domain[i]) : group;
        continue;
      }
      const isFocus = above < 0 && wanted === focus;
      if (above < 0 && !isFocus)
        continue;
      if (isFocus)
        places[i] = frameBelow(share(group < 0 ? domainBelow(top, domain[i]) : group), wanted, domain[i]);
      else if (hidden?.[wanted])
        places[i] = share(above);
      else {
        const again = recursion && i < inside[wanted] ? onPath(made, above, wanted) : NONE;
        places[i] = again < 0 ? frameBelow(above, wanted, domain[i]) : share(again);
      }
      if (recursion)
        inside[wanted] = Math.max(inside[wanted], end[i]);
    }
    return places;
  }

  // Sorts the first of a list by what they have, the least first.
  function sort(list, count, total) {
    if (count > FEW) {
      list.set(Array.from(list.subarray(0, count)).sort((a, b) => total[a] - total[b] || b - a));
      return;
    }
    for (let i = 1; i < count; i++) {
      const one = list[i];
      let at = i;
      for (; at > 0 && (total[list[at - 1]] > total[one] || (total[list[at - 1]] === total[one] && list[at - 1] < one)); at--)
        list[at] = list[at - 1];
      list[at] = one;
    }
  }

  // Numbers of nodes in the order of a walk, the largest child first.
  function walk({ parent, first, next, time, count }) {
    const total = addUp({ parent, count }, time.slice(0, count));
    const order = new Int32Array(count), waiting = new Int32Array(count), below = new Int32Array(count);
    for (let done = 0, left = 1; left > 0;) {
      const node = waiting[--left];
      let found = 0;
      order[done++] = node;
      for (let i = first[node]; i >= 0; i = next[i])
        below[found++] = i;
      if (found > 1)
        sort(below, found, total);
      for (let i = 0; i < found; i++)
        waiting[left++] = below[i];
    }
    return order;
  }

  function number(tree, made, places) {
    const order = walk(made), { count } = made, numbers = new Int32Array(count);
    for (let i = 0; i < count; i++)
      numbers[order[i]] = i;
    const column = () => new Int32Array(count);
    const shape = { count, places, parent: column(), frame: column(), domain: column(), reason: column(), end: column(), row: column(),
                    absent: new Uint8Array(count) };
    for (let i = 0; i < count; i++) {
      const from = order[i];
      shape.parent[i] = i ? numbers[made.parent[from]] : 0;
      shape.frame[i] = made.frame[from];
      shape.domain[i] = made.domain[from];
      shape.reason[i] = made.reason[from];
    }
    for (let i = count - 1; i >= 0; i--) {
      shape.end[i] = Math.max(shape.end[i], i + 1);
      shape.end[shape.parent[i]] = Math.max(shape.end[shape.parent[i]], shape.end[i]);
    }
    for (const list of places)
      for (let i = 0; i < list.length; i++)
        list[i] = list[i] < 0 ? NONE : numbers[list[i]];
    placeRows(tree, shape);
    return shape;
  }

  // Callers that are not known have no row if there is any below them, as in the tree.
  function placeRows(tree, { count, parent, frame, end, row, absent, places }) {
    for (const list of places)
      for (let i = 1; i < list.length; i++)
        if (tree.mode[i] === tree.mode[0] && tree.frame[i] >= 0 && list[i] > 0 && frame[list[i]] === tree.frame[i] &&
            end[list[i]] > list[i] + 1)
          absent[list[i]] = 1;
    for (let i = 1; i < count; i++)
      row[i] = row[parent[i]] + (absent[i] ? 0 : 1);
  }

  // What has any time of a reason.  Time without a sample is of none, and may be any
  // domain's.
  function needOf(tree, use, reason) {
    const need = Float64Array.from(use);
    for (let i = 0; reason === 0 && i < tree.count; i = i ? tree.end[i] : 1)
      need[i] += Number.MIN_VALUE;
    return addUp(tree, need);
  }

  function countOf(need) {
    let count = 0;
    for (let i = 0; i < need.length; i++)
      count += need[i] > 0 ? 1 : 0;
    return count;
  }

  function make(tree, wishes) {
    const { uses } = wishes, needs = uses?.map((use, reason) => needOf(tree, use, reason));
    const room = needs ? needs.reduce((sum, need) => sum + 1 + countOf(need), 1) : tree.count;
    const shape = begin(tree, room + tree.domainNode.length), { made } = shape, places = [];
    for (const [reason, use] of (uses ?? [tree.ownTime]).entries()) {
      const top = needs && needs[reason][0] > 0 ? shape.reasonBelow(0, reason) : 0;
      const to = placeAll(tree, wishes, shape, top, needs?.[reason]);
      for (let i = 0; i < tree.count; i++)
        if (to[i] >= 0)
          made.time[to[i]] += use[i];
      places.push(to);
    }
    return number(tree, made, places);
  }

  // What the nodes of a shape have of a column of the tree's, each its own.
  function own({ count, places }, column, reason = 0) {
    const sums = new Float64Array(count), to = places[reason];
    for (let i = 0; i < column.length; i++)
      if (to[i] >= 0)
        sums[to[i]] += column[i];
    return sums;
  }

  return { make, own, addUp };
})();
