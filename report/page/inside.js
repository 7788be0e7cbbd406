// SPDX-License-Identifier: GPL-2.0-or-later
// What is inside a function and what it called, of what is selected: by domain, by
// reason, and by time.  Times are us.
const Inside = (() => {
  const BARS = 120;

  // What is summed: of two times the one after, whose nodes have shares.
  function side(app) {
    const { result } = app, { sides } = result, one = sides ? sides.after : result;
    return { result: one, brush: result.brush, whole: sides ? Compare.WHOLE : result.all, all: one.all };
  }

  // Own and total amounts of a function in each domain that has any, largest first.
  function byDomain({ tree }, { own, total }, frame) {
    const sums = new Map();
    let end = 0; // of the outermost one
    for (let i = 1; i < tree.count; i++) {
      if (tree.frame[i] !== frame || !total[i])
        continue;
      const domain = tree.domain[i], sum = sums.get(domain) ?? { domain, own: 0, total: 0 };
      sums.set(domain, sum);
      sum.own += own[i];
      if (i < end)
        continue;
      end = tree.end[i];
      sum.total += total[i];
    }
    return [...sums.values()].sort((a, b) => b.total - a.total);
  }

  function nodesInside({ tree }, frame) {
    const inside = new Uint8Array(tree.count);
    for (let i = 1; i < tree.count; i++)
      if (tree.frame[i] === frame && !inside[i])
        inside.fill(1, i, tree.end[i]);
    return inside;
  }

  // Its samples' time by reason (0: of none), and in equal bars of the selected time, each
  // so many bins.
  function bySample(model, brush, selection, frame) {
    const { runs, samples, tracks, columns: { taken } } = model, { from, to } = selection;
    const inside = nodesInside(model, frame), mask = Model.trackMask(model, selection), each = Math.ceil((to - from) / BARS) || 1;
    const bars = new Float64Array(Math.ceil((to - from) / each)), reasons = new Float64Array((model.info.why ?? []).length + 1);
    for (let run = brush.first; run < brush.last; run++) {
      if (!mask[runs.lane[run]])
        continue;
      let time = 0;
      for (let i = runs.start[run]; i < runs.start[run + 1]; i++)
        if (inside[samples.node[i]] & taken[samples.node[i]])
          time += samples.count[i] * Account.rateOf(model, brush, run, i);
      reasons[tracks[runs.lane[run]].reason] += time;
      bars[Math.floor((runs.bin[run] - from) / each)] += time;
    }
    return { reasons, bars, each };
  }

  return { side, byDomain, bySample };
})();
