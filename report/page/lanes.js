// SPDX-License-Identifier: GPL-2.0-or-later
// What lanes of the picture of time have in each of its bars.  A lane is a domain's, or
// a vCPU's, and is full where all of its vCPUs ran, waited or had nothing to do.
//
// A row has us: sums, of what is selected, in Model.COLUMNS for each bar; rest, in
// KINDS for each bar, of what else is known; shown, as sums, of the chosen function
// (null: there is none); most, what a bar can have.  Of events most is not known.
const Lanes = (() => {
  const ELSE = 0, WAITING = 1, BLOCKED = 2, KINDS = 3; // ran and is not selected; waited; had nothing to do
  const PCPUS = -1; // opens as a domain does
  const ROWS = 400; // of vCPUs and pCPUs in all: a canvas has an end
  const REST_NAMES = ["not selected", "waiting", "blocked"];

  // Bins of the first bar that are over when the page begins.
  function barShift({ account }, each) {
    return account ? account.over % each : 0;
  }

  function countBars(model, each) {
    return Math.ceil((model.bins + barShift(model, each)) / each);
  }

  function makeColumn(model, each) {
    return new Float64Array(countBars(model, each) * Model.COLUMNS);
  }

  // The same in bars of so many bins; bars and slots begin together.
  function makeBars(model, bins, each) {
    const bars = new Map(), shift = barShift(model, each);
    for (const [domain, { bin, times, spans }] of bins) {
      const sums = makeColumn(model, each);
      for (let row = 0; row < bin.length; row++) {
        const at = Math.floor((bin[row] + shift) / each) * Model.COLUMNS;
        for (let mode = 0; mode < Model.MODES; mode++)
          sums[at + mode] += times[row * Model.MODES + mode];
      }
      for (const span of spans)
        spread(model, sums, Model.NO_SAMPLE, span.time, each, span);
      bars.set(domain, sums);
    }
    return bars;
  }

  // Work in a bar.
  function workIn(sums, bar) {
    let work = 0;
    for (let mode = 0; mode < Model.COLUMNS; mode++)
      work += mode === Model.IDLE ? 0 : sums[bar * Model.COLUMNS + mode];
    return work;
  }

  // Bars of whole slots have the time that there was.  In a part of a slot samples can by
  // chance have more than there was then: of such a bar all is scaled down, and what
  // that leaves of each mode goes to the bars of the same slot that have room,
  // by how much they have, and no more than that.  So a slot's sums are as before.
  // Without owners of time it goes nowhere.  Returns that for each bar; whatever is
  // selected, it is the same.
  function makeFit(model, columns, each, most) {
    const count = countBars(model, each);
    const scale = new Float64Array(count).fill(1), room = new Float64Array(count), over = new Float64Array(count);
    for (let bar = 0; bar < count; bar++) {
      const work = columns.reduce((sum, sums) => sum + workIn(sums, bar), 0);
      scale[bar] = work > most ? most / work : 1;
      room[bar] = Math.max(0, most - work);
      over[bar] = Math.max(0, work - most);
    }
    return { scale, room, over, ...barsOfSlots(model, each) };
  }

  // Of all lanes together: where Xen's account has more in a slot than pCPUs have time,
  // it stays what it is.
  function makeHostFit(model, columns, each) {
    const made = makeFit(model, columns, each, model.pcpus * each * model.binTime), { scale, room, over, ofSlot, ofFirst } = made;
    for (let begin = 0, end = ofFirst; ofSlot && begin < scale.length; begin = end, end += ofSlot)
      if (total(over, begin, end) > total(room, begin, end)) {
        scale.fill(1, begin, end);
        over.fill(0, begin, end);
      }
    return made;
  }

  function total(column, begin, end) {
    return column.subarray(begin, end).reduce((a, b) => a + b, 0);
  }

  // How many bars a slot has, and how many of the first one there are; 0, 1: bars are
  // slots, or there are none.
  function barsOfSlots({ account }, each) {
    if (!account || each >= account.slotBins)
      return { ofSlot: 0, ofFirst: 1 };
    return { ofSlot: account.slotBins / each, ofFirst: (account.slotBins - account.over + account.over % each) / each };
  }

  function fit({ scale, room, over, ofSlot, ofFirst }, sums) {
    for (let begin = 0, end = ofFirst; begin < scale.length; begin = end, end += ofSlot || 1) { // bars
      const free = total(room, begin, end), all = total(over, begin, end);
      if (!all)
        continue;
      for (let mode = 0; mode < Model.COLUMNS; mode++) {
        let rest = 0;
        for (let bar = begin; bar < Math.min(end, scale.length); bar++) {
          const at = bar * Model.COLUMNS + mode;
          rest += sums[at] * (1 - scale[bar]);
          sums[at] *= scale[bar];
        }
        for (let bar = begin; ofSlot && free > 0 && bar < Math.min(end, scale.length); bar++)
          sums[bar * Model.COLUMNS + mode] += rest * room[bar] / Math.max(free, all);
      }
    }
  }

  // What is selected of it.  Time without a sample has no mode.
  function chooseModes({ modes }, sums) {
    return sums.map((sum, i) => sum * modes[Math.min(i % Model.COLUMNS, Model.NO_MODE)]);
  }

  // us of a bar that lie between two times: the part of it.
  function partOfBar(model, each, bar, { from, to }) {
    const width = each * model.binTime, begin = (bar * each - barShift(model, each)) * model.binTime;
    return Math.max(0, Math.min(to, begin + width) - Math.max(from, begin)) / width;
  }

  function barsOver(model, each, { from, to }) {
    const width = each * model.binTime, shift = barShift(model, each) * model.binTime;
    return { first: Math.max(0, Math.floor((from + shift) / width)),
             end: Math.min(countBars(model, each), Math.ceil((to + shift) / width)) };
  }

  // Bars of vCPUs, by their number in model.lanes: those of some domains, and what is
  // selected; selection null: all.
  function barsOfVcpus(model, selection, domains, each) {
    const { runs, tracks, lanes } = model, shift = barShift(model, each), made = new Map();
    const whole = selection ?? Model.selectAll(model);
    const of = Model.runsOf(model, whole), mask = Model.trackMask(model, whole);
    lanes.forEach(({ domain }, lane) => domains.has(domain) && made.set(lane, makeColumn(model, each)));
    for (let run = 0; made.size && run < runs.bin.length; run++) {
      const to = made.get(tracks[runs.lane[run]].lane);
      if (!to || !mask[runs.lane[run]])
        continue;
      const at = Math.floor((runs.bin[run] + shift) / each) * Model.COLUMNS;
      for (let mode = 0; mode < Model.MODES; mode++)
        to[at + mode] += of.times[run * Model.MODES + mode];
    }
    if (made.size && model.account && Model.takesUnsampled(whole) && whole.images[0] && whole.parts[Subsystems.REST])
      Account.forUnsampled(model.account, ({ lane, shown }, time, from, to) => {
        if (shown && whole.lanes[lane] && made.has(lane))
          spread(model, made.get(lane), Model.NO_SAMPLE, time, each, { from, to });
      });
    return made;
  }

  // Adds time that lies in a span evenly.
  function spread(model, sums, mode, time, each, span) {
    const { first, end } = barsOver(model, each, span), width = each * model.binTime;
    for (let bar = first; bar < end; bar++)
      sums[bar * Model.COLUMNS + mode] +=
        time * partOfBar(model, each, bar, span) * width / (span.to - span.from);
  }

  // Bars of the chosen function and what it called, in what is selected: by domain,
  // and by vCPU of some domains.
  function barsOfFrame(model, { selection, frame }, domains, each) {
    const { tree: { kinds }, runs, tracks, lanes, account } = model, rates = account && Account.ownRates(account);
    const taken = Model.takeKinds(kinds, selection), mask = Model.trackMask(model, selection), shift = barShift(model, each);
    const made = { domains: new Map(), vcpus: new Map() };
    const at = (map, key) => map.get(key) ?? map.set(key, makeColumn(model, each)).get(key);
    const { run, first, kind, count, time } = Model.runsInside(model, frame);
    for (let index = 0; index < run.length; index++) {
      const one = run[index], { lane } = tracks[runs.lane[one]], { domain } = lanes[lane];
      if (!mask[runs.lane[one]])
        continue;
      const bar = Math.floor((runs.bin[one] + shift) / each) * Model.COLUMNS, rate = account ? rates[account.cellOfRun[one]] : 0;
      for (let i = first[index]; i < first[index + 1]; i++) {
        const { mode } = kinds[kind[i]];
        if (!taken[kind[i]])
          continue;
        const much = account && mode !== Model.IDLE ? count[i] * rate : time[i];
        at(made.domains, domain)[bar + mode] += much;
        if (domains.has(domain))
          at(made.vcpus, lane)[bar + mode] += much;
      }
    }
    return made;
  }

  // What vCPUs waited and had nothing to do in a bin of Xen's account.
  function sumWaits({ waits: { groups, width, over }, length }, takes) {
    const count = width ? Math.ceil((length + over) / width) + 1 : 0;
    const sums = { waiting: new Float64Array(count), blocked: new Float64Array(count) };
    for (const group of groups.filter(takes))
      for (let i = 0; i < group.bin.length; i++)
        if (group.bin[i] < count) {
          sums.waiting[group.bin[i]] += group.waiting[i];
          sums.blocked[group.bin[i]] += group.blocked[i];
        }
    return sums;
  }

  // That goes where vCPUs did not run, by how long they did not.
  function addWaits(model, rest, each, { all, most, takes }) {
    const { width, over } = model.waits, { waiting, blocked } = sumWaits(model, takes);
    const room = Float64Array.from({ length: countBars(model, each) }, (none, bar) => Math.max(0, most - workIn(all, bar)));
    for (let bin = 0; bin < waiting.length; bin++) {
      const time = waiting[bin] + blocked[bin];
      const span = { from: Math.max(0, bin * width - over), to: Math.min((bin + 1) * width - over, model.length) };
      const { first, end } = barsOver(model, each, span);
      let free = 0;
      for (let bar = first; bar < end; bar++)
        free += room[bar] * partOfBar(model, each, bar, span);
      for (let bar = first; time && free && bar < end; bar++) {
        const part = room[bar] * partOfBar(model, each, bar, span) / free * Math.min(1, free / time);
        rest[bar * KINDS + WAITING] += waiting[bin] * part;
        rest[bar * KINDS + BLOCKED] += blocked[bin] * part;
      }
    }
  }

  // What a lane has: its bars of all, of what is selected, and of the chosen function;
  // and which of Xen's accounts are of it.
  function makeRow(model, row, each, { all, sums, shown, modes }) {
    const count = countBars(model, each), made = { ...row, sums, shown, rest: new Float64Array(count * KINDS) };
    if (!model.type.isTime)
      return { ...made, sums: chooseModes({ modes }, sums), most: 0 };
    made.most = row.vcpus * each * model.binTime;
    const fitting = makeFit(model, [all], each, made.most);
    const fitted = all.slice();
    for (const column of [fitted, sums, ...(shown ? [shown] : [])])
      fit(fitting, column);
    made.sums = chooseModes({ modes }, sums);
    shown?.forEach((time, i) => { shown[i] = Math.min(time, made.sums[i]); });
    for (let bar = 0; bar < count; bar++)
      made.rest[bar * KINDS + ELSE] = Math.max(0, workIn(fitted, bar) - workIn(made.sums, bar));
    addWaits(model, made.rest, each, { all: fitted, most: made.most, takes: row.takes });
    return made;
  }

  // Lanes of pCPUs, of what is selected by domain and mode alone: what samples there
  // stand for.  by is of each domain, for words.
  function pcpuRows(model, { domains, modes }, each) {
    const { groups, span } = model.ranOn, made = new Map();
    for (const group of groups) {
      if (!made.has(group.pcpu))
        made.set(group.pcpu, { kind: "pcpu", pcpu: group.pcpu, vcpus: 1, takes: () => false,
                               all: makeColumn(model, each), sums: makeColumn(model, each), by: new Map() });
      const row = made.get(group.pcpu), chosen = domains[group.domain] && modes[group.mode];
      if (chosen && !row.by.has(group.domain))
        row.by.set(group.domain, makeColumn(model, each));
      for (let i = 0; i < group.at.length; i++) {
        const from = group.at[i] * span * model.binTime, part = { from, to: from + span * model.binTime };
        for (const column of chosen ? [row.all, row.sums, row.by.get(group.domain)] : [row.all])
          spread(model, column, group.mode, group.time[i], each, part);
      }
    }
    return [...made.values()].sort((a, b) => a.pcpu - b.pcpu)
      .map(({ all, sums, ...row }) => makeRow(model, row, each, { all, sums, shown: null, modes }));
  }

  // How many vCPUs a domain has: those that are known of.
  function countVcpus(model, domain) {
    const known = new Set();
    if (domain === Model.IDLE_DOMAIN)
      return model.pcpus;
    if (domain === Model.OTHER_DOMAIN)
      return model.waits.groups.filter((group) => group.domain === domain).length || Math.ceil(model.pcpus);
    for (const list of [model.waits.groups, model.lanes])
      list.filter((one) => one.domain === domain).forEach(({ vcpu }) => known.add(vcpu));
    return Math.max(1, known.size);
  }

  // Selected domains that have anything selected: those with the most first; groups that
  // are not domains last.
  function chooseDomains({ domains, modes }, sums) {
    const weights = new Map();
    for (const [domain, column] of sums)
      weights.set(domain, !domains[domain] ? 0 : chooseModes({ modes }, column).reduce((sum, time) => sum + time, 0));
    const weight = (domain) => domain <= Model.IDLE_DOMAIN ? -1 - domain : weights.get(domain);
    return [...sums.keys()].filter((domain) => weights.get(domain) > 0).sort((a, b) => weight(b) - weight(a));
  }

  // Those that never ran are no lane of the model's.
  function vcpuRows(model, domain) {
    const known = new Map();
    for (const [list, isLane] of [[model.waits.groups, false], [model.lanes, true]])
      list.forEach((one, lane) => one.domain === domain && known.set(one.vcpu, isLane ? lane : -1));
    return [...known].sort(([a], [b]) => a - b).map(([vcpu, lane]) =>
      ({ kind: "vcpu", domain, lane, vcpus: 1, vcpu, takes: (group) => group.domain === domain && group.vcpu === vcpu }));
  }

  // Of all domains, and what is selected of them: bars that are no more than all pCPUs.
  function barsOfDomains(app, each) {
    const { model } = app, all = makeBars(model, Model.allBins(model), each), sums = makeBars(model, app.bins, each);
    if (model.type.isTime) {
      const fitting = makeHostFit(model, [...all.values()], each);
      for (const column of [...all.values(), ...sums.values()])
        fit(fitting, column);
    }
    return { of: app.bins, each, all, sums };
  }

  // The rows of what is selected: a domain each, and below those that are open their
  // vCPUs, most domains at most; then the pCPUs, if these are open.  known is what
  // barsOfDomains() returned.
  function make(app, known, { open, most, pcpus }) {
    const { model, state } = app, { selection, frame } = state, { each } = known, { modes } = selection;
    const chosen = chooseDomains(selection, known.sums);
    const domains = chosen.slice(0, most), opened = new Set(domains.filter((domain) => open.has(domain)));
    const frameBars = frame < 0 ? null : barsOfFrame(model, state, opened, each);
    const all = barsOfVcpus(model, null, opened, each), some = barsOfVcpus(model, selection, opened, each);
    let left = ROWS;
    const few = (list, make) => {
      const shown = list.slice(0, left);
      left -= shown.length;
      return [...shown.map(make), ...(list.length > shown.length ? [{ kind: "more", count: list.length - shown.length }] : [])];
    };
    const rows = domains.flatMap((domain) => {
      const row = { kind: "domain", domain, vcpus: countVcpus(model, domain), takes: (group) => group.domain === domain,
                    opens: domain !== Model.OTHER_DOMAIN && vcpuRows(model, domain).length > 1 };
      return [makeRow(model, row, each, { all: known.all.get(domain), sums: known.sums.get(domain).slice(),
                                          shown: frameBars?.domains.get(domain), modes }),
              ...few(opened.has(domain) ? vcpuRows(model, domain) : [], (one) =>
                makeRow(model, one, each, { all: all.get(one.lane) ?? makeColumn(model, each), sums: some.get(one.lane) ?? makeColumn(model, each),
                                            shown: frameBars?.vcpus.get(one.lane), modes }))];
    });
    const host = new Set(model.ranOn.groups.map(({ pcpu }) => pcpu)).size;
    return { rows: rows.concat(host ? [{ kind: "pcpus", count: host, opens: true }] : [],
                               pcpus ? few(pcpuRows(model, selection, each), (row) => row) : []),
             more: chosen.length - domains.length };
  }

  return { PCPUS, barShift, countBars, makeBars, barsOfDomains, make, ELSE, WAITING, BLOCKED, KINDS, REST_NAMES };
})();
