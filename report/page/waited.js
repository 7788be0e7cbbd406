// SPDX-License-Identifier: GPL-2.0-or-later
// How long each vCPU ran, and what it waited for, in a part of the time, by Xen's own
// account: xenopreport --waits has the same.  Times are us.
const Waited = (() => {
  const MARKED = 0.05; // of its time that a vCPU waits for a pCPU: report/waits/waits.h
  const SECONDS = 10, SURE = 29; // of each of two times, at least; a distance that no chance has
  const KINDS = ["known", "runnable", "capped", "halted", "device", "paused"];

  function none() {
    return Object.fromEntries(KINDS.map((kind) => [kind, 0]));
  }

  // Names of times that follow from others.
  function complete(times) {
    const { known, runnable, capped, halted, device, paused } = times;
    return { ...times, ready: runnable + capped, running: Math.max(0, known - runnable - capped - halted - device - paused) };
  }

  function ofWhole(row) {
    return complete({ known: row.known_ns / 1e3, runnable: row.runnable_ns / 1e3, capped: row.capped_ns / 1e3,
                      halted: row.blocked_ns / 1e3, device: row.device_ns / 1e3, paused: row.paused_ns / 1e3 });
  }

  // Informs of each bin of a vCPU's that is in a part of the time, and how much of it is.
  function forBins({ width, over }, { bin }, { from, to }, each) {
    for (let i = 0; i < bin.length; i++) {
      const begin = bin[i] * width - over, part = (Math.min(to, begin + width) - Math.max(from, begin)) / width;
      if (part > 0)
        each(i, part);
    }
  }

  function ofPart({ waits }, group, part) {
    const sums = none();
    forBins(waits, group, part, (i, share) => {
      for (const kind of KINDS)
        sums[kind] += share * group[kind][i];
    });
    return complete(sums);
  }

  function isPart({ bins }, { from, to }) {
    return from > 0 || to < bins;
  }

  // Whether times of a part are known: they are not of a page without samples of time.
  function follows(model) {
    return model.waits.groups.length > 0;
  }

  // Whether the part begins and ends with seconds of the account, and so is exact.
  function isExact({ waits: { width, over }, binTime, bins }, { from, to }) {
    const fits = (bin) => bin === 0 || bin >= bins || (bin * binTime + over) % width === 0;
    return fits(from) && fits(to);
  }

  // A vCPU that never ran is no lane of the model's.
  function taken(model, { domains, lanes }) {
    const off = new Set(model.lanes.filter((lane, i) => !lanes[i]).map(({ domain, vcpu }) => domain + "/" + vcpu));
    return ({ of, vcpu }) => domains[of] && !off.has(of + "/" + vcpu);
  }

  function sumDomains(rows) {
    const sums = new Map();
    for (const { domain, times } of rows) {
      const sum = sums.get(domain) ?? { ready: 0, known: 0 };
      sum.ready += times.ready;
      sum.known += times.known;
      sums.set(domain, sum);
    }
    return sums;
  }

  const share = ({ ready, known }) => known > 0 ? ready / known : 0;

  // Those of a domain stand together; the domain that waited longest for a pCPU, by its
  // share, is first, and so in a domain.
  function sort(rows) {
    const sums = sumDomains(rows), names = [...sums.keys()];
    return rows.sort((a, b) => share(sums.get(b.domain)) - share(sums.get(a.domain)) ||
      names.indexOf(a.domain) - names.indexOf(b.domain) || share(b.times) - share(a.times));
  }

  // A row for each vCPU of the selected domains that was there in the selected time:
  // { domain, vcpu, of, group, times }.  Of a page that has no parts it is the whole time.
  function rows(model, selection) {
    const { info: { waits = [] }, binTime } = model, takes = taken(model, selection);
    const whole = !isPart(model, selection) || !follows(model);
    const part = { from: selection.from * binTime, to: selection.to * binTime };
    return sort(waits.filter(takes).map((row) =>
      ({ ...row, times: whole ? ofWhole(row) : ofPart(model, model.waits.groups[row.group], part) }))
      .filter(({ times }) => times.known > 0));
  }

  // What seconds say of how long a vCPU waited: those that are known for half at least.
  function secondsOf({ waits, binTime }, group, { from, to }) {
    const sums = { count: 0, sum: 0, squares: 0 };
    forBins(waits, group, { from: from * binTime, to: to * binTime }, (i, part) => {
      const known = group.known[i], ready = known > 0 ? group.waiting[i] / known : 0;
      if (part * known < waits.width / 2)
        return;
      sums.count++;
      sums.sum += ready;
      sums.squares += ready * ready;
    });
    return sums;
  }

  // Of the mean of so many seconds.
  function variance({ count, sum, squares }) {
    return Math.max(0, squares / count - (sum / count) ** 2) / (count - 1);
  }

  // Rows of two times, the largest change first: report/changes/view-diff-waits.c, where
  // the test is explained.  was or is may be null: it was not there.
  function changes(model, selection, base) {
    const [was, is] = [{ ...selection, ...base }, selection].map((one) => rows(model, one));
    const made = model.info.waits.flatMap(({ group, domain, vcpu }) => {
      const [before, after] = [was, is].map((list) => list.find((row) => row.group === group)?.times ?? null);
      if (!before && !after)
        return [];
      const seconds = [base, selection].map((time) => secondsOf(model, model.waits.groups[group], time));
      const tested = before !== null && after !== null && seconds.every(({ count }) => count >= SECONDS);
      const spread = tested ? variance(seconds[0]) + variance(seconds[1]) : 0;
      const change = (after ? share(after) : 0) - (before ? share(before) : 0);
      return [{ domain, vcpu, was: before, is: after, tested, change, error: Noise.QUANTILE * Math.sqrt(spread),
                far: !tested || !change ? 0 : spread > 0 ? Math.abs(change) / Math.sqrt(2 * spread) : SURE }];
    });
    const beyond = Noise.markDistances(made.map(({ far }) => far));
    return made.map((row, i) => ({ ...row, beyond: beyond[i] === 1 })).sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  }

  function isMarked(times) {
    return share(times) > MARKED;
  }

  return { rows, changes, share, isMarked, isPart, isExact, follows, forBins };
})();
