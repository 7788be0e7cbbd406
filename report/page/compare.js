// SPDX-License-Identifier: GPL-2.0-or-later
// Two sessions, or two times of one: shares before and after, and which changes are
// beyond noise.  A frame is as wide as the larger share.
const Compare = (() => {
  const WHOLE = 1e9; // what shares are of
  // What is compared before somebody asks: times of so many parts of all, and of so many nodes.
  const PARTS = 20, FIRST = 2, TURNS = 4, PART = 50000;

  function percent(share) {
    return (100 * share / WHOLE).toFixed(2) + " %";
  }

  function both(was, is) {
    return (100 * was / WHOLE).toFixed(2) + " \u2192 " + percent(is);
  }

  function signed(share) {
    return (share > 0 ? "+" : share < 0 ? "\u2212" : "") + (100 * Math.abs(share) / WHOLE).toFixed(2) + " %";
  }

  // Own and total shares of the selected nodes, for both sides.
  function totals(model, taken) {
    const { tree } = model;
    const sides = { beyond: model.beyond };
    for (const [side, column] of [["before", model.before], ["after", model.after]]) {
      const own = new Float64Array(tree.count), total = new Float64Array(tree.count);
      for (let i = 1; i < tree.count; i++)
        own[i] = total[i] = taken[i] ? column[i - 1] : 0;
      Model.addUp(tree, total);
      sides[side] = { own, total };
    }
    return sides;
  }

  // How many samples all of a time would have had, as good as those that there are:
  // report/model/diff.c.
  function looks({ account, type, tree }, { samples, counts, all, ...brush }) {
    let { sampled = 0, square = 0 } = brush;
    for (let i = 0; !account && i < tree.count; i++) {
      sampled += counts[i] * tree.perSample[i];
      square += counts[i] * tree.perSample[i] ** 2;
    }
    const alike = !type.isTime ? samples : square > 0 ? sampled * sampled / square : 0;
    return sampled > 0 ? alike * all / sampled : 0;
  }

  function toShares({ own, total, all }) {
    const part = all > 0 ? WHOLE / all : 0;
    for (let i = 0; i < own.length; i++) {
      own[i] *= part;
      total[i] *= part;
    }
  }

  // Makes shares of the time after, and both sides' larger share of each node, all in one
  // pass.  Returns how many nodes have any share.
  function takeShares({ tree: { parent } }, { own, total }, was, is) {
    const { own: wasOwn, total: wasTotal } = was, { own: isOwn, total: isTotal } = is, part = is.all > 0 ? WHOLE / is.all : 0;
    let shared = 0;
    total.fill(0);
    for (let i = own.length - 1; i >= 0; i--) {
      const after = isOwn[i] *= part, before = wasOwn[i], most = own[i] = before > after ? before : after;
      isTotal[i] *= part;
      total[i] += most;
      if (i > 0) {
        total[parent[i]] += total[i];
        shared += wasTotal[i] || isTotal[i] ? 1 : 0;
      }
    }
    return shared;
  }

  function pairOf(model) {
    const column = () => Model.makeColumns(model.tree.count);
    return model.pair ??= { base: column(), both: column(), key: "" };
  }

  // Makes the columns, and has the code run, until somebody compares two times.
  function* warm(model) {
    const pair = pairOf(model), { base, both } = pair, all = Model.selectAll(model);
    const some = { own: both.own.subarray(0, PART), total: both.total };
    let was = null, n = [];
    const take = (to) => {
      was = Model.select(model, { ...all, to }, base);
      n = [looks(model, was.brush), looks(model, was.brush)];
    };
    for (let part = FIRST; part < FIRST + TURNS; part++)
      for (const step of [() => take(Math.ceil(model.bins * part / PARTS)), () => takeShares(model, some, was, was), () => takeShares(model, both, was, was),
                          () => Noise.mark(some.own, both.total.subarray(0, PART), n, WHOLE)]) {
        yield;
        if (pair.key)
          return;
        step();
      }
  }

  // What is selected in the time before: kept, since most often the other one changes.
  function selectBefore(model, selection) {
    const pair = pairOf(model), key = Object.values(selection).join("/");
    if (pair.key !== key) {
      pair.was = Model.select(model, selection, pair.base);
      toShares(pair.was);
      pair.key = key;
    }
    return pair;
  }

  // What is selected in a time and was in another: a result as Model.select() has it, and
  // both sides', of which nodes have shares.
  function ofTimes(model, selection, { from, to }) {
    const { was, both } = selectBefore(model, { ...selection, from, to }), is = Model.select(model, selection);
    const n = [looks(model, was.brush), looks(model, is.brush)];
    const shared = takeShares(model, both, was, is), beyond = Noise.mark(was.total.subarray(1), is.total.subarray(1), n, WHOLE);
    return Object.assign(Object.create(is), { own: both.own, total: both.total, all: WHOLE,
                                             sides: { before: was, after: is, beyond, n, shared } });
  }

  // Whether two times are compared: else the first of them waits for the other.
  function isActive({ selection: { from, to }, base }) {
    return base !== null && (base.from !== from || base.to !== to);
  }

  function select(model, state) {
    return isActive(state) ? ofTimes(model, state.selection, state.base) : Model.select(model, state.selection);
  }

  // A function of a node: index of its colour, 0 within noise, 1 to 3 more, 4 to 6 less.
  function steps({ sides: { before, after, beyond } }) {
    const wasTotal = before.total, isTotal = after.total;
    return (node) => {
      if (node === 0 || !beyond[node - 1])
        return 0;
      const was = wasTotal[node], is = isTotal[node], part = Math.abs(is - was) / Math.max(is, was, 1);
      return (is > was ? 1 : 4) + (part < 0.25 ? 0 : part < 0.6 ? 1 : 2);
    };
  }

  function lines(app, node) {
    const { before, after, beyond } = app.result.sides;
    const change = after.total[node] - before.total[node];
    return ["before " + percent(before.total[node]) + ", after " + percent(after.total[node]) +
            ", change " + signed(change) + (node && beyond[node - 1] ? ", beyond noise" : ", within noise"),
            "itself before " + percent(before.own[node]) + ", after " + percent(after.own[node])];
  }

  // Own shares of each function on both sides: several views ask for them.
  function functions({ model, result: { sides } }) {
    sides.functions ??= sumFunctions(model, sides);
    return sides.functions;
  }

  function sumFunctions({ tree: { frame, count: nodes }, info }, { before: { own: before }, after: { own: after }, n }) {
    const count = info.frame_names.length, was = new Float64Array(count), is = new Float64Array(count), change = new Float64Array(count);
    for (let i = 1; i < nodes; i++) {
      const wasOwn = before[i], isOwn = after[i];
      if ((!wasOwn && !isOwn) || frame[i] < 0)
        continue;
      was[frame[i]] += wasOwn;
      is[frame[i]] += isOwn;
    }
    for (let at = 0; at < count; at++)
      change[at] = is[at] - was[at];
    return { was, is, change, n, beyond: n && Noise.mark(was, is, n, WHOLE) };
  }

  function linesOfFunction(app, frame) {
    const { was, is, change } = functions(app);
    return ["itself before " + percent(was[frame]) + ", after " + percent(is[frame]) + ", change " + signed(change[frame])];
  }

  function errorText(error, beyond) {
    return "\u00b1" + (100 * error / WHOLE).toFixed(2) + (beyond ? " *" : "  ");
  }

  // What the change of a function can be by chance; a star if it is more.  Of two
  // sessions known of whole functions only: whole says what they are if nothing is left
  // out.
  function error(app, sums, whole, frame) {
    const { info } = app.model, { was, is, n } = sums;
    if (n)
      return errorText(WHOLE * Noise.error(was[frame] / WHOLE, is[frame] / WHOLE, n), sums.beyond[frame]);
    if (sums.was[frame] !== whole.was[frame] || sums.is[frame] !== whole.is[frame])
      return "";
    return errorText(info.frame_errors[frame], info.frame_beyond[frame]);
  }

  // What functions() returns when all is selected.
  function whole(model) {
    const all = new Uint8Array(model.tree.count).fill(1);
    return functions({ model, result: { sides: totals(model, all) } });
  }

  function info(model) {
    const { diff } = model.info;
    const side = (name, one) => [name, one.name + ", " + (one.time === null ? "" : one.time + " of its ") + Text.time(one.duration_ns / 1e3) + ", " +
      Text.count(one.read) + " samples read, " + Text.count(one.lost) + " lost", one.lost > 0];
    return [side("before", diff.before), side("after", diff.after), ["shares of", diff.normalize],
            ["beyond noise", Text.count(diff.beyond) + " of " + Text.count(diff.tested) + " changes", false,
             "two-proportion z-test of samples, Benjamini-Hochberg at 5 %"]];
  }

  return { WHOLE, totals, isActive, select, warm, steps, lines, functions, linesOfFunction, error, whole, info, percent, both, signed };
})();
