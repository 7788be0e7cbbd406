// SPDX-License-Identifier: GPL-2.0-or-later
// How long each vCPU ran, and what it waited for, in a part of the time, by Xen's own
// account: xenopreport --waits has the same.  Times are us.
const Waited = (() => {
  const MARKED = 0.05; // of its time that a vCPU waits for a pCPU: report/waits/waits.h
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

  function isMarked(times) {
    return share(times) > MARKED;
  }

  return { rows, share, isMarked, isPart, isExact, follows, forBins };
})();
