// SPDX-License-Identifier: GPL-2.0-or-later
// How much time samples have: of any part of the page's time, what each vCPU ran by
// Xen's account, shared out among its samples.  The rule is report/time/slots.h's:
//
// - An owner of time is a vCPU.  Its time is cut into slots, of a second most often.
// - Its samples of a slot share what it ran there (rows of Xen's account are spread
//   evenly), each alike: a ring's samples of one second stand for the same time.
// - Where the account is not of it, and for Xen's work in idle vCPUs, the slot's
//   samples have what report/time/ found that they stand for.
// - Of what is selected, a slot without a sample gives its time to the nearest one
//   that has some, the earlier one of two.  Without any, time is the domain's own.
//
// Other pages have no owners: there a sample has its node's mean.  Times are us.
const Account = (() => {
  const STANDS = 1, HOST = 3; // what a row says; 0: a vCPU ran; what is between: a gap
  const NOBODY = "nobody"; // whose work of which nothing is known is

  // Owners by domain and vCPU: those of lanes first, so that these have their numbers.
  function makeOwners(model, groups) {
    const owners = model.lanes.map(({ domain, vcpu }, lane) => ({ domain, lane, shown: 1, key: domain + "/" + vcpu }));
    const known = new Map(owners.map(({ key }, index) => [key, index]));
    for (const group of groups) {
      if (group.kind === HOST)
        continue;
      const key = group.kind > STANDS ? NOBODY : group.domain + "/" + group.vcpu;
      if (!known.has(key))
        known.set(key, owners.push({ domain: group.domain, lane: -1, key }) - 1);
      group.owner = known.get(key);
      owners[group.owner].shown = group.shown;
    }
    return owners;
  }

  // Rows of all groups of some kinds as columns.
  function joinRows(groups) {
    const count = groups.reduce((sum, { from }) => sum + from.length, 0);
    const rows = { owner: new Uint32Array(count), from: new Float64Array(count), to: new Float64Array(count),
                   time: new Float64Array(count) };
    let at = 0;
    for (const { owner, from, to, time } of groups) {
      rows.owner.fill(owner, at, at + from.length);
      rows.from.set(from, at);
      rows.to.set(to, at);
      rows.time.set(time, at);
      at += from.length;
    }
    return rows;
  }

  // Each owner has cells for its slots, from the first one of which anything is known.
  function makeCells(account, { runs, tracks }) {
    const { owners, slotOf, slotAt } = account, first = owners.map(() => Infinity), last = owners.map(() => -1);
    const note = (owner, slot) => {
      first[owner] = Math.min(first[owner], slot);
      last[owner] = Math.max(last[owner], slot);
    };
    for (const { owner, from, to } of [account.ran, account.stand])
      for (let i = 0; i < owner.length; i++) {
        note(owner[i], slotAt(from[i]));
        note(owner[i], slotAt(Math.max(from[i], to[i] - 1)));
      }
    for (let run = 0; run < runs.bin.length; run++)
      note(tracks[runs.lane[run]].lane, slotOf(runs.bin[run]));
    account.base = new Float64Array(owners.length); // cell of slot 0, if it has one
    account.cells = new Uint32Array(owners.length + 1); // where each one's begin
    for (let owner = 0, at = 0; owner < owners.length; owner++) {
      account.base[owner] = at - (last[owner] < 0 ? 0 : first[owner]);
      at += Math.max(0, last[owner] - first[owner] + 1);
      account.cells[owner + 1] = at;
    }
    account.cellOfRun = Uint32Array.from(runs.bin, (bin, run) => {
      const owner = tracks[runs.lane[run]].lane;
      return account.base[owner] + slotOf(bin);
    });
  }

  // Samples of each run, but for those of nothing that ran; and those that are shown.
  function countRuns({ tree, runs, samples: { node, count } }) {
    const inRun = new Float64Array(runs.bin.length), shownInRun = new Float64Array(runs.bin.length);
    for (let run = 0; run < inRun.length; run++)
      for (let i = runs.start[run]; i < runs.start[run + 1]; i++) {
        const ran = tree.mode[node[i]] === Model.IDLE ? 0 : count[i];
        inRun[run] += ran;
        shownInRun[run] += node[i] ? ran : 0;
      }
    return { inRun, shownInRun };
  }

  // Adds what rows have between two times to cells; onPart is informed of each part.
  function addRows(account, rows, { from, to }, onPart) {
    const { base, slotAt, slotBegin } = account;
    for (let row = 0; row < rows.time.length; row++) {
      const end = Math.min(to, rows.to[row]), perTime = rows.time[row] / (rows.to[row] - rows.from[row]);
      let at = Math.max(from, rows.from[row]);
      for (let slot = slotAt(at); at < end; slot++) {
        const next = Math.min(end, slotBegin(slot + 1));
        onPart(base[rows.owner[row]] + slot, (next - at) * perTime, row, at, next);
        at = next;
      }
    }
  }

  function sumRows(account, rows, part) {
    const sums = new Float64Array(account.cells[account.owners.length]);
    addRows(account, rows, part, (cell, time) => { sums[cell] += time; });
    return sums;
  }

  function countCells({ cells, owners, cellOfRun, inRun }, first, last) {
    const counts = new Float64Array(cells[owners.length]);
    for (let run = first; run < last; run++)
      counts[cellOfRun[run]] += inRun[run];
    return counts;
  }

  // Of cells without account, what a sample stands for.
  function standFor(account, counts) {
    const rates = new Float64Array(counts.length), { base, stand, slotAt } = account;
    for (let row = 0; row < stand.time.length; row++) {
      const cell = base[stand.owner[row]] + slotAt((stand.from[row] + stand.to[row]) / 2);
      rates[cell] += counts[cell] ? stand.time[row] / counts[cell] : 0;
    }
    return rates;
  }

  // What makes the account of a page; null: it has no owners.
  function create(model, groups) {
    const { slot_bins: slotBins, slot_over: over, pcpus_known: pcpusKnown } = model.info.timeline;
    if (!groups.length)
      return null;
    const width = slotBins * model.binTime, lead = over * model.binTime;
    /** @type {any} */ // cells follow below
    const account = {
      owners: makeOwners(model, groups), slotBins, over, pcpusKnown,
      idleShown: groups.some(({ kind, shown }) => kind === HOST && shown),
      slotOf: (bin) => Math.floor((bin + over) / slotBins),
      slotAt: (time) => Math.floor((time + lead) / width),
      slotBegin: (slot) => slot * width - lead,
      ...countRuns(model),
      ran: joinRows(groups.filter(({ kind }) => kind !== HOST && kind !== STANDS)),
      stand: joinRows(groups.filter(({ kind }) => kind === STANDS)),
      host: joinRows(groups.filter(({ kind }) => kind === HOST).map((group) => ({ ...group, owner: 0 }))),
    };
    makeCells(account, model);
    account.counts = countCells(account, 0, model.runs.bin.length);
    account.standing = standFor(account, account.counts);
    return account;
  }

  // Cells from first to end without a sample give what they need to those beside them.
  function lend({ need, rates }, { first, end, begin, last }) {
    const before = first > begin, after = end < last;
    let borrowed = 0;
    for (let cell = first; cell < end; cell++) {
      if (!need[cell])
        continue;
      const earlier = before && (!after || cell - first + 1 <= end - cell);
      rates[earlier ? first - 1 : end] += need[cell];
      borrowed += need[cell];
    }
    return borrowed;
  }

  // Sets what samples of an owner are worth.  Returns what it borrowed, or less than
  // 0: it has no sample.
  function setRates(account, owner, { need, counts, rates }) {
    const begin = account.cells[owner], last = account.cells[owner + 1];
    let borrowed = 0, first = begin, any = false;
    for (let end = begin; end <= last; end++) {
      if (end < last && !counts[end])
        continue;
      any ||= end < last;
      if (any)
        borrowed += lend({ need, rates }, { first, end, begin, last });
      first = end + 1;
    }
    for (let cell = begin; cell < last; cell++)
      rates[cell] = counts[cell] ? (need[cell] + rates[cell]) / counts[cell] + account.standing[cell] : 0;
    return any ? borrowed : -1;
  }

  // What samples of each cell are worth in a part of the time, and what has none.
  function ratesIn(account, { from, to, first, last }) {
    const need = sumRows(account, account.ran, { from, to }), counts = countCells(account, first, last);
    const rates = new Float64Array(need.length), unsampled = new Float64Array(account.owners.length);
    const sums = { given: 0, borrowed: 0, sampled: 0, square: 0 };
    for (let owner = 0; owner < account.owners.length; owner++) {
      const borrowed = setRates(account, owner, { need, counts, rates });
      if (borrowed >= 0) {
        sums.borrowed += borrowed;
        continue;
      }
      for (let cell = account.cells[owner]; cell < account.cells[owner + 1]; cell++)
        unsampled[owner] += need[cell];
      sums.given += unsampled[owner];
    }
    for (let cell = 0; cell < rates.length; cell++) {
      sums.sampled += rates[cell] * counts[cell];
      sums.square += rates[cell] * rates[cell] * counts[cell];
    }
    sums.given += sums.sampled;
    return { rates, unsampled, ...sums };
  }

  // All time of pCPUs between two times.
  function hostTime({ host }, from, to) {
    let sum = 0;
    for (let row = 0; row < host.time.length; row++)
      sum += host.time[row] * Math.max(0, Math.min(to, host.to[row]) - Math.max(from, host.from[row])) /
        (host.to[row] - host.from[row]);
    return sum;
  }

  // Adds samples of runs, and what they are worth, to their nodes; mask says of which
  // tracks, null: of all.
  function addRuns({ runs: { lane, start }, account, tree, samples }, { first, last, mask, rates }, to) {
    const { node, count } = samples, { times, counts } = to; // the loop is most of a selection
    times.fill(0);
    counts.fill(0);
    for (let run = first; run < last; run++) {
      if (mask && !mask[lane[run]])
        continue;
      const rate = account ? rates[account.cellOfRun[run]] : 1;
      for (let i = start[run], end = start[run + 1]; i < end; i++) {
        const at = node[i], more = count[i];
        counts[at] += more;
        times[at] += more * rate;
      }
    }
    if (!account)
      takeMeans(tree, to);
  }

  function takeMeans({ perSample }, { times, counts }) {
    for (let at = 0; at < times.length; at++)
      times[at] = counts[at] * perSample[at];
  }

  function isIn({ first, last }, run) {
    return run >= first && run < last ? 1 : 0;
  }

  // What a sample of a run has in a time; without owners that is its node's mean.
  function rateIn({ account }, brush, run) {
    return !isIn(brush, run) ? 0 : account ? brush.rates[account.cellOfRun[run]] : 1;
  }

  // Samples of which another time makes something else.
  function countMoved(model, was, is) {
    const { start } = model.runs;
    let moved = 0;
    for (let run = Math.min(was.first, is.first), end = Math.max(was.last, is.last); run < end; run++)
      if (rateIn(model, was, run) !== rateIn(model, is, run) || isIn(was, run) !== isIn(is, run))
        moved += start[run + 1] - start[run];
    return moved;
  }

  // From what a time had to what another has: of most samples that is the same.
  function moveRuns(model, was, is, to) {
    const { runs: { start }, samples: { node, count } } = model, { times, counts } = to;
    for (let run = Math.min(was.first, is.first), end = Math.max(was.last, is.last); run < end; run++) {
      const more = rateIn(model, is, run) - rateIn(model, was, run), come = isIn(is, run) - isIn(was, run);
      for (let i = start[run], last = more || come ? start[run + 1] : 0; i < last; i++) {
        const at = node[i], all = counts[at] += come * count[i];
        times[at] = all > 0 ? times[at] + more * count[i] : 0; // else rounding would leave some
      }
    }
    if (!model.account)
      takeMeans(model.tree, to);
  }

  // What samples of all tracks have, in the columns that have those of another time, if
  // any; others than samples' is taken away again before the next time.
  function takeRuns(model, brush, columns) {
    const { all, kept } = columns;
    if (kept) {
      for (const [node, time, samples] of kept.samples) {
        all.times[node] = time;
        all.counts[node] = samples;
      }
      const { start } = model.runs;
      if (2 * countMoved(model, kept.brush, brush) < start[brush.last] - start[brush.first]) {
        moveRuns(model, kept.brush, brush, all);
        return;
      }
    }
    addRuns(model, { ...brush, mask: null }, all);
  }

  // What is of no run: idle time, by Xen's account what is left, else what its samples
  // stand for; and time without a sample, of the owners that are taken.
  function addRest({ account, tree }, brush, taken, to) {
    to.times[0] = to.counts[0] = 0; // a filter turned these down
    for (const node of tree.idle)
      to.times[node] = account.pcpusKnown ? 0 : to.counts[node] * tree.perSample[node];
    if (tree.idle.length && account.pcpusKnown && account.idleShown)
      to.times[tree.idle[0]] = brush.rest;
    account.owners.forEach(({ domain, shown, lane }, owner) => {
      const node = tree.domainNode[domain];
      if (shown && node && taken(lane))
        to.times[node] += brush.unsampled[owner];
    });
  }

  // Without owners, time of nodes that have no sample is spread evenly.
  function addSpread({ tree: { spread } }, { part }, to) {
    for (let i = 0; i < spread.length; i++)
      to.times[i] += spread[i] * part;
  }

  // The first run of samples in that bin or after it.
  function runAt({ bin }, wanted) {
    let low = 0, high = bin.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (bin[middle] < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  function makeBrush(model, { from, to }) {
    const { account, runs } = model, part = model.info.diff ? 1 : (to - from) / model.bins;
    /** @type {any} */ // rates follow below
    const brush = { from: from * model.binTime, to: to * model.binTime, part,
                    first: runAt(runs, from), last: runAt(runs, to), all: model.allTime * part };
    if (!account)
      return brush;
    Object.assign(brush, ratesIn(account, brush));
    const host = hostTime(account, brush.from, brush.to);
    brush.rest = Math.max(0, host - brush.given);
    brush.all = Math.max(host, brush.given);
    return brush;
  }

  // Times and samples of each node in the selected time, of all tracks, and how much
  // time that is; kept, since most selections are of something else than time.
  function inTime(model, selection, columns) {
    const { from, to } = selection, { all } = columns;
    if (columns.kept?.from === from && columns.kept.to === to)
      return columns.kept.brush;
    const brush = makeBrush(model, selection);
    takeRuns(model, brush, columns);
    const samples = [0, ...model.tree.idle, ...model.tree.domainNode.filter(Boolean)].map((node) => [node, all.times[node], all.counts[node]]);
    if (model.account)
      addRest(model, brush, () => true, all);
    else
      addSpread(model, brush, all);
    brush.samples = 0;
    for (let node = 0; node < all.counts.length; node++)
      brush.samples += all.counts[node];
    if (model.account && !model.account.pcpusKnown)
      brush.all += model.tree.idle.reduce((sum, node) => sum + all.times[node], 0);
    Object.assign(brush, all);
    columns.kept = { from, to, brush, samples };
    return brush;
  }

  // The same of some tracks: what samples are worth is not changed by that.
  function ofTracks(model, brush, selection, mask, { some }) {
    addRuns(model, { ...brush, mask }, some);
    if (model.account)
      addRest(model, brush, (lane) => (lane < 0 || selection.lanes[lane]) && Model.takesUnsampled(selection), some);
    else
      addSpread(model, brush, some);
    return some;
  }

  // What one sample of a run is worth in a part of the time.
  function rateOf({ account, tree, samples }, { rates }, run, at) {
    return account ? rates[account.cellOfRun[run]] : tree.perSample[samples.node[at]];
  }

  // What the samples of a run have in a part of the time.
  function ofRun({ account, tree, runs, samples }, { rates }, run) {
    if (account)
      return account.shownInRun[run] * rates[account.cellOfRun[run]];
    let time = 0;
    for (let i = runs.start[run]; i < runs.start[run + 1]; i++)
      time += samples.count[i] * tree.perSample[samples.node[i]];
    return time;
  }

  // What a sample of each cell has of its own slot: nothing is borrowed.
  function ownRates(account) {
    const need = sumRows(account, account.ran, { from: -Infinity, to: Infinity });
    return need.map((time, cell) => account.counts[cell] ? time / account.counts[cell] + account.standing[cell] : 0);
  }

  // Informs of time that has no sample in its slot: of which owner, and from when on.
  function forUnsampled(account, onPart) {
    addRows(account, account.ran, { from: 0, to: Infinity }, (cell, time, row, from, to) => {
      if (!account.counts[cell])
        onPart(account.owners[account.ran.owner[row]], time, from, to);
    });
  }

  return { create, inTime, ofTracks, rateOf, ofRun, ownRates, forUnsampled };
})();
