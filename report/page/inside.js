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
  function byDomain(model, { own, total }, frame) {
    const { tree } = model, sums = new Map();
    let end = 0; // of the outermost one
    for (const i of Model.nodesOf(model, frame)) {
      if (!total[i])
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

  // Its samples' time by reason (0: of none), and in equal bars of the selected time, each
  // so many bins.
  function bySample(model, brush, selection, frame) {
    const { runs, tracks, account, tree: { kinds } } = model, { from, to } = selection;
    const taken = Model.takeKinds(kinds, selection), mask = Model.trackMask(model, selection), each = Math.ceil((to - from) / BARS) || 1;
    const bars = new Float64Array(Math.ceil((to - from) / each)), reasons = new Float64Array((model.info.why ?? []).length + 1);
    const { run, first, kind, count, time } = Model.runsInside(model, frame);
    for (let at = 0; at < run.length; at++) {
      const one = run[at];
      if (one < brush.first || one >= brush.last || !mask[runs.lane[one]])
        continue;
      const rate = account ? brush.rates[account.cellOfRun[one]] : 0;
      let sum = 0;
      for (let i = first[at]; i < first[at + 1]; i++)
        sum += taken[kind[i]] * (account ? count[i] * rate : time[i]);
      reasons[tracks[runs.lane[one]].reason] += sum;
      bars[Math.floor((runs.bin[one] - from) / each)] += sum;
    }
    return { reasons, bars, each };
  }

  return { side, byDomain, bySample };
})();
