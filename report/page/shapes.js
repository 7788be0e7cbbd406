// SPDX-License-Identifier: GPL-2.0-or-later
// Other shapes of the tree of call chains.  All time of the chains that are kept is
// kept.  A wish is one of:
//
//   overAll    domains have no frames of their own: chains of all are taken together
//   recursion  a function that is called again, also by way of others, is one frame
//   hidden     by frame, 1: it has no frame, and its time is its caller's; null: none
//   focus      a frame: only chains with it, from there on; -1: all
//
// Chains that begin with their reason are another tree, in columns as model.js has it
// (byReason), and so are those of a focus (fromFocus).  What recursion and hidden do to single
// nodes is in columns, too (collapse).  A node of a shape is a list of the tree's nodes, its members, which have
// the same path: that list, and what is below it, is made when somebody asks for it,
// since a tree has hundreds of thousands of nodes and a picture a few thousand.
const Shapes = (() => {
  const NONE = -1;
  const NOTHING = [];
  const STAND = 8; // members at most that stand for all of what is narrower than a pixel
  const MANY = 20000; // nodes in a piece of what is made later

  // Adds to each node of a column what is below it.
  function addUp({ parent, count }, column) {
    for (let i = count - 1; i > 0; i--)
      column[parent[i]] += column[i];
    return column;
  }

  function mostOf(column) {
    let most = NONE;
    for (let i = 0; i < column.length; i++)
      if (column[i] > most)
        most = column[i];
    return most;
  }

  function sumsOf({ count }) {
    const column = () => new Float64Array(count);
    return { own: column(), total: column(), ownCount: column(), totalCount: column() };
  }

  // What nodes have; their samples are counted when somebody asks for them.  take(own,
  // total, counting) fills such columns.
  function fillSums({ own, total, ownCount, totalCount }, take) {
    let isCounted = false;
    const count = () => {
      if (!isCounted)
        take(ownCount, totalCount, true);
      isCounted = true;
    };
    take(own, total, false);
    return {
      own, total,
      get ownCount() { count(); return ownCount; },
      get totalCount() { count(); return totalCount; },
    };
  }

  // Says where what is below each node ends.
  function endNodes(tree) {
    const { parent, end, count } = tree;
    for (let i = count - 1; i >= 0; i--) {
      end[i] = Math.max(end[i], i + 1);
      end[parent[i]] = Math.max(end[parent[i]], end[i]);
    }
    return tree;
  }

  // Copies the nodes of a part below a node of its reason, from a place on.
  function copyPart(tree, to, begin, { reason, nodes, own }, place) {
    place.fill(NONE);
    for (let k = 0; k < nodes.length; k++) {
      const i = nodes[k], at = begin + k;
      place[i] = at;
      to.parent[at] = k ? place[tree.parent[i]] : 0;
      to.frame[at] = tree.frame[i];
      to.domain[at] = tree.domain[i];
      to.mode[at] = tree.mode[i];
      to.nodes[at] = i;
      to.ownTime[at] = own[k];
    }
    to.reason[begin] = reason;
  }

  // A part of the tree below each reason: parts are { reason, nodes, own }, nodes in their
  // order, with all that are above them, and what each has; the first is of no reason, and
  // ends at the node ofNone.  In nodes is which each node was; in places, for each reason, at
  // which node the time of a tree's node is, or -1.
  function* byReason(tree, parts) {
    const count = 1 + parts.reduce((sum, { nodes }) => sum + nodes.length, 0), column = () => new Int32Array(count);
    const made = { count, places: [], ofNone: 1 + parts[0].nodes.length, nodes: column(), parent: new Uint32Array(count), frame: column(), domain: column(), reason: column().fill(NONE), end: new Uint32Array(count),
                   mode: new Uint8Array(count), ownTime: new Float64Array(count) };
    made.frame[0] = made.domain[0] = NONE;
    made.mode[0] = tree.mode[0];
    let begin = 1;
    for (const part of parts) {
      copyPart(tree, made, begin, part, made.places[part.reason] = new Int32Array(tree.count));
      begin += part.nodes.length;
      yield;
    }
    return endNodes(made);
  }

  // The node with that function on the way to one, or -1.
  function onPath({ frame }, up, node, wanted) {
    for (let i = node; i > 0; i = up[i])
      if (frame[i] === wanted)
        return i;
    return NONE;
  }

  // The outermost nodes of a function, and in their order all nodes without a frame that
  // these are below.
  function findFocus({ frame, parent, end }, focus) {
    const tops = [], groups = new Set();
    for (let i = frame.indexOf(focus); i > 0; i = frame.indexOf(focus, end[i])) {
      const above = [];
      for (let up = parent[i]; up > 0; up = parent[up])
        if (frame[up] < 0)
          above.unshift(up);
      above.forEach((group) => groups.add(group));
      tops.push(i);
    }
    return { tops, groups: [...groups] };
  }

  // The chains with a function, from there on, below their reasons and domains; nodes says
  // which each was.
  function fromFocus(tree, focus) {
    const { tops, groups } = findFocus(tree, focus), { parent, end } = tree;
    const count = 1 + groups.length + tops.reduce((sum, top) => sum + end[top] - top, 0), column = () => new Int32Array(count);
    const made = { count, isFocus: true, nodes: column(), parent: new Uint32Array(count), frame: column(), domain: column(), reason: column().fill(NONE), end: new Uint32Array(count),
                   mode: new Uint8Array(count), ownTime: new Float64Array(count) };
    const places = new Map([[0, 0]]);
    let at = 1, next = 0;
    const copy = (i, above) => {
      made.nodes[at] = i;
      made.parent[at] = above;
      made.ownTime[at] = tree.frame[i] < 0 ? 0 : tree.ownTime[i];
      at++;
    };
    for (const top of tops) {
      for (; next < groups.length && groups[next] < top; next++) {
        places.set(groups[next], at);
        copy(groups[next], places.get(parent[groups[next]]));
      }
      const shift = at - top;
      for (let i = top; i < end[top]; i++)
        copy(i, i > top ? parent[i] + shift : places.get(groups[next - 1]));
    }
    for (let i = 0; i < count; i++) {
      made.frame[i] = tree.frame[made.nodes[i]];
      made.domain[i] = tree.domain[made.nodes[i]];
      made.mode[i] = tree.mode[made.nodes[i]];
      made.reason[i] = tree.reason?.[made.nodes[i]] ?? NONE;
    }
    return endNodes(made);
  }

  // Where each node's time goes: to a node of the same tree, rep; of those to which their
  // own goes, which are kept, the one above each, and the first and next one below.
  function* collapse(tree, { recursion, hidden }) {
    const { count, parent, frame, end } = tree, column = () => new Int32Array(count).fill(NONE);
    const rep = column(), up = column(), first = column(), next = column();
    const inside = new Uint32Array(recursion ? mostOf(frame) + 1 : 0); // where what a function called ends
    rep[0] = 0;
    for (let i = 1; i < count; i++) {
      const wanted = frame[i], above = rep[parent[i]];
      if (wanted >= 0 && hidden?.[wanted] && !isTop(tree, i))
        rep[i] = above;
      else {
        const again = recursion && i < inside[wanted] ? onPath(tree, up, above, wanted) : NONE; // no frame: undefined
        rep[i] = again < 0 ? i : again;
        up[i] = above;
      }
      if (recursion && wanted >= 0 && end[i] > inside[wanted])
        inside[wanted] = end[i];
      if (i % MANY === 0)
        yield;
    }
    for (let i = count - 1; i > 0; i--)
      if (rep[i] === i) {
        next[i] = first[up[i]];
        first[up[i]] = i;
      }
    yield;
    return { rep, up, first, next, sums: sumsOf(tree) };
  }

  // Whether a focus begins there: that is never hidden.
  function isTop({ isFocus, parent, frame }, i) {
    return isFocus && frame[parent[i]] < 0;
  }

  // What the nodes that are kept have of a column of the tree's, with what is below them.
  function collapseColumn({ count }, { rep, up }, column) {
    const total = new Float64Array(count);
    for (let i = count - 1; i >= 0; i--) {
      total[rep[i]] += column[i];
      if (rep[i] === i && i > 0)
        total[up[i]] += total[i];
    }
    return total;
  }

  // What is selected, of the nodes that are kept.
  function collapseSums({ count }, { rep, up, sums }, all) {
    return fillSums(sums, (own, total, counting) => {
      const from = counting ? all.ownCount : all.own;
      own.fill(0);
      total.fill(0);
      for (let i = count - 1; i >= 0; i--) {
        const to = rep[i], much = from[i];
        own[to] += much;
        total[to] += much;
        if (to === i && i > 0)
          total[up[i]] += total[i];
      }
    });
  }

  // In which rows nodes are drawn, and which have none: callers that are not known, if
  // there is any below them.
  function rowsOf({ count, mode, frame, parent, end, row, absent }, collapsed) {
    if (row && !collapsed)
      return { row, absent };
    const rows = new Uint16Array(count), none = new Uint8Array(count);
    for (let i = 1; i < count; i++) {
      if (collapsed && collapsed.rep[i] !== i)
        continue;
      none[i] = mode[i] === mode[0] && frame[i] >= 0 && (collapsed ? collapsed.first[i] >= 0 : end[i] > i + 1) ? 1 : 0;
      rows[i] = rows[(collapsed?.up ?? parent)[i]] + 1 - none[i];
    }
    return { row: rows, absent: none };
  }

  // Whether a node has no frame of its own in chains of all domains: idle time has.
  function isFolded({ frame, domain, mode }, overAll, node) {
    return overAll && frame[node] < 0 && domain[node] >= 0 && mode[node] === mode[0];
  }

  // A shape, filled with sums of the tree's nodes, or of those that are kept.
  function create(tree, { overAll }, collapsed) {
    const { parent, end, frame, domain, reason } = tree, { row, absent } = rowsOf(tree, collapsed);
    const whole = collapsed ? collapseColumn(tree, collapsed, tree.ownTime)
      : tree.whole ??= addUp(tree, Float64Array.from(tree.ownTime));
    // A node's members are one of the tree's nodes, its source, or all of a list.
    const nodes = { parent: [0], source: [0], list: [null], folded: [NOTHING], below: [null], seen: [0], total: [0] };
    /** @type {any} */ // of what is selected
    let sums = null;
    let turn = 0;

    function each(member, inform) {
      if (collapsed)
        for (let i = collapsed.first[member]; i >= 0; i = collapsed.next[i])
          inform(i);
      else
        for (let i = member + 1; i < end[member]; i = end[i])
          inform(i);
    }

    const membersOf = (node) => nodes.list[node] ?? [nodes.source[node]];

    function keyOf(i) {
      return frame[i] >= 0 ? 2 * frame[i] : domain[i] >= 0 ? 2 * domain[i] + 1 : NONE - reason[i];
    }

    // The members of those below a node, each one or a list; domains without frames are
    // folded into it.
    function gather(node) {
      const found = [], places = new Map(), folded = [];
      const take = (i) => {
        if (isFolded(tree, overAll, i)) {
          folded.push(i);
          each(i, take);
          return;
        }
        const key = keyOf(i), at = places.get(key);
        if (at === undefined)
          places.set(key, found.push(i) - 1);
        else if (typeof found[at] === "number")
          found[at] = [found[at], i];
        else
          found[at].push(i);
      };
      if (!nodes.list[node] && !collapsed && frame[nodes.source[node]] >= 0) // all of them differ
        each(nodes.source[node], (i) => found.push(i));
      else
        membersOf(node).forEach((member) => each(member, take));
      if (folded.length)
        nodes.folded[node] = folded;
      return found;
    }

    // The largest first, of the page's whole time.
    function open(node) {
      const found = gather(node).map((of) => typeof of === "number" ? { source: of, list: null, much: whole[of] }
        : { source: of[0], list: of, much: of.reduce((all, i) => all + whole[i], 0) });
      if (found.length > 1)
        found.sort((a, b) => b.much - a.much || a.source - b.source);
      nodes.below[node] = found.map(({ source, list }) => {
        nodes.source.push(source);
        nodes.list.push(list);
        nodes.folded.push(NOTHING);
        nodes.below.push(null);
        nodes.seen.push(0);
        nodes.total.push(0);
        return nodes.parent.push(node) - 1;
      });
    }

    function children(node) {
      if (!nodes.below[node])
        open(node);
      return nodes.below[node];
    }

    function sum(column, list) {
      let all = 0;
      for (let k = 0; k < list.length; k++)
        all += column[list[k]];
      return all;
    }

    function total(node) {
      const list = nodes.list[node];
      if (!list)
        return sums.total[nodes.source[node]];
      if (nodes.seen[node] !== turn) {
        nodes.seen[node] = turn;
        nodes.total[node] = sum(sums.total, list);
      }
      return nodes.total[node];
    }

    function own(node) {
      children(node); // finds what is folded
      return sum(sums.own, membersOf(node)) + sum(sums.own, nodes.folded[node]);
    }

    // Some members of a node, with which part of all each stands for.
    function standing(node, least) {
      const list = nodes.list[node], stand = Math.max(1, Math.min(STAND, Math.floor(total(node) / least / 2)));
      if (!list || list.length <= stand)
        return { list: membersOf(node), scale: 1 };
      const some = list.filter((i) => sums.total[i] > 0).slice(0, stand);
      return { list: some, scale: total(node) / sum(sums.total, some) };
    }

    // Of what is much less than a member, the first stands for all: it is the largest.
    function forMember(member, inform, least, scale) {
      const rep = collapsed?.rep, top = isFolded(tree, overAll, member + 1) ? row[member] + 1 : row[member];
      for (let i = member + 1; i < end[member];) {
        if (rep && rep[i] < member) { // above the member
          i = end[i];
          continue;
        }
        const isKept = !rep || rep[i] === i, much = isKept ? sums.total[i] : least / scale;
        const isSeen = much > 0 && (much * scale >= least || i === parent[i] + 1);
        if (isSeen && isKept && !absent[i] && !isFolded(tree, overAll, i))
          inform(frame[i], row[i] - top, much * scale, i);
        i = isSeen ? i + 1 : end[i];
      }
    }

    function isAbsent(node) {
      const i = nodes.source[node];
      return tree.mode[i] === tree.mode[0] && frame[i] >= 0 && children(node).length ? 1 : 0;
    }

    return {
      callers: NONE, children, total, own, isAbsent,
      fill: (filled) => {
        sums = filled;
        turn++;
      },
      treeOf: () => tree, source: (node) => nodes.source[node], parent: (node) => nodes.parent[node],
      samples: (node) => sum(sums.totalCount, membersOf(node)), isTorn: (node) => isAbsent(nodes.parent[node]),
      forBelow: (node, inform, least) => {
        const { list, scale } = standing(node, least);
        list.forEach((member) => forMember(member, inform, least, scale));
      },
    };
  }

  // What is selected, of the chains of a focus.
  function focusSums(tree, result, sums) {
    const { nodes, frame } = tree;
    return fillSums(sums, (own, total, counting) => {
      const from = counting ? result.ownCount : result.own;
      for (let i = 0; i < nodes.length; i++)
        if (frame[i] >= 0)
          own[i] = from[nodes[i]];
      total.set(own);
      addUp(tree, total);
    });
  }

  return { byReason, fromFocus, focusSums, sumsOf, fillSums, collapse, collapseSums, create, addUp, isFolded };
})();
