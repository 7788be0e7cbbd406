// SPDX-License-Identifier: GPL-2.0-or-later
// Time of what is selected: what vCPUs ran, waited and where, cut to the selected time.  Of
// owners that nothing is selected of, one row a slot says how much they ran together.
const CutTime = (() => {
  const RAN = 0, STANDS = 1, GAP = 2, HOST = 3; // kinds of rows: doc/page.md
  const OTHERS = 0xffffffff; // no vCPU has this number

  // How much of a row's time is between two times.
  function between(rows, row, from, to) {
    const wide = Math.min(to, rows.to[row]) - Math.max(from, rows.from[row]);
    return wide > 0 ? rows.time[row] * wide / (rows.to[row] - rows.from[row]) : 0;
  }

  // Rows of a group of the new page's, from its begin on; those without time are left out.
  function makeGroup({ begin }, head, rows) {
    const kept = rows.filter(({ time }) => Math.round(time) > 0).sort((a, b) => a.from - b.from);
    const at = (time) => Math.max(0, Math.round(time - begin));
    return { ...head, from: kept.map(({ from }) => at(from)), to: kept.map(({ from, to }) => Math.max(at(from) + 1, at(to))),
             time: kept.map(({ time }) => Math.round(time)) };
  }

  // Of an owner in the selected time, what it ran, and what its samples stand for.
  function ranRows({ model: { account: { ran } }, begin, finish }, owner) {
    const rows = [];
    for (let row = 0; row < ran.owner.length; row++)
      if (ran.owner[row] === owner)
        rows.push({ from: Math.max(begin, ran.from[row]), to: Math.min(finish, ran.to[row]), time: between(ran, row, begin, finish) });
    return rows;
  }

  function standRows({ model: { account }, begin, finish }, counts, owner) {
    const { stand, base, slotAt, slotBegin } = account, rows = [];
    for (let row = 0; row < stand.owner.length; row++) {
      if (stand.owner[row] !== owner)
        continue;
      const slot = slotAt((stand.from[row] + stand.to[row]) / 2), cell = base[owner] + slot;
      if (counts[cell])
        rows.push({ from: Math.max(begin, slotBegin(slot)), to: Math.min(finish, slotBegin(slot + 1)),
                    time: stand.time[row] * counts[cell] / account.counts[cell] });
    }
    return rows;
  }

  // Samples of each cell in the selected time.
  function countCells({ model: { account }, brush }) {
    const counts = new Float64Array(account.counts.length);
    for (let run = brush.first; run < brush.last; run++)
      counts[account.cellOfRun[run]] += account.inRun[run];
    return counts;
  }

  // Whether time of an owner that has no sample is of what is selected.
  function showsRest({ model: { tree }, selection, takes }, { domain, lane, shown }) {
    const node = tree.domainNode[domain];
    return Boolean(shown && node && takes(node) && Model.takesUnsampled(selection) && (lane < 0 || selection.lanes[lane]));
  }

  // Time of those that are not kept, slot by slot.
  function sumSlots({ slotAt, slotBegin }, rows) {
    const sums = new Map();
    for (const { from, to, time } of rows)
      for (let slot = slotAt(from); slotBegin(slot) < to; slot++) {
        const wide = Math.min(to, slotBegin(slot + 1)) - Math.max(from, slotBegin(slot));
        sums.set(slot, (sums.get(slot) ?? 0) + time * wide / (to - from));
      }
    return sums;
  }

  // Idle time that samples stand for, and that is not selected, is of all time, too.
  function idleRows({ model: { account, tree }, brush, takes, begin, finish }) {
    const time = account.pcpusKnown ? 0 : tree.idle.reduce((sum, node) => sum + (takes(node) ? 0 : brush.times[node]), 0);
    return time ? [{ from: begin, to: finish, time }] : [];
  }

  function othersGroup(scope, rows) {
    const { model: { account }, begin, finish } = scope, { slotBegin } = account;
    const made = [...sumSlots(account, rows)].map(([slot, time]) =>
      ({ from: Math.max(begin, slotBegin(slot)), to: Math.min(finish, slotBegin(slot + 1)), time }));
    return makeGroup(scope, { kind: RAN, domain: Model.OTHER_DOMAIN, vcpu: OTHERS, shown: 0 }, made);
  }

  function hostGroup(scope) {
    const { model: { account, tree }, takes, begin, finish } = scope, { host } = account;
    const rows = Array.from(host.time, (none, row) => ({ from: Math.max(begin, host.from[row]), to: Math.min(finish, host.to[row]),
                                                         time: between(host, row, begin, finish) }));
    const shown = account.idleShown && tree.idle.length && takes(tree.idle[0]) ? 1 : 0;
    return makeGroup(scope, { kind: HOST, domain: Model.OTHER_DOMAIN, vcpu: 0, shown }, rows);
  }

  function cutOwners(scope, live, numbers) {
    const { model: { account, lanes }, brush } = scope, groups = [], others = [];
    if (!account)
      return [];
    const counts = countCells(scope);
    account.owners.forEach((owner, index) => {
      const { lane, key, domain } = owner, ran = ranRows(scope, index), stand = standRows(scope, counts, index), shown = showsRest(scope, owner);
      if (!(lane >= 0 && live[lane]) && !(shown && brush.unsampled[index] > 0)) {
        others.push(...ran, ...stand);
        return;
      }
      const [, number] = key.split("/"), vcpu = lane < 0 ? Number(number ?? 0) : lanes[lane].vcpu;
      const head = { domain: numbers.domain.number[domain], vcpu, shown: shown ? 1 : 0 };
      groups.push(makeGroup(scope, { ...head, kind: number === undefined ? GAP : RAN }, ran), makeGroup(scope, { ...head, kind: STANDS }, stand));
    });
    others.push(...idleRows(scope));
    return [...groups, othersGroup(scope, others.filter(({ time }) => time > 0)), hostGroup(scope)].filter(({ from }) => from.length);
  }

  // Which groups of rows are of vCPUs that are selected: the others never waited.
  function keptWaits({ model: { waits, lanes }, selection }, numbers) {
    const lane = (group) => lanes.findIndex(({ domain, vcpu }) => domain === group.domain && vcpu === group.vcpu);
    return [...waits.groups.keys()].filter((i) => {
      const group = waits.groups[i];
      return numbers.domain.number[group.domain] >= 0 && selection.domains[group.domain] && (selection.lanes[lane(group)] ?? 1);
    });
  }

  function cutWaits(scope, numbers) {
    const { model: { waits }, begin, finish } = scope, { width, over } = waits, skipped = width ? Math.floor((begin + over) / width) : 0;
    const groups = keptWaits(scope, numbers).map((index) => {
      const group = waits.groups[index];
      const rows = [...group.bin.keys()].filter((i) => group.bin[i] >= skipped && group.bin[i] * width - over < finish);
      const column = (values) => rows.map((i) => Math.round(values[i]));
      return { domain: numbers.domain.number[group.domain], vcpu: group.vcpu, bin: rows.map((i) => group.bin[i] - skipped),
               ...Object.fromEntries(Decode.WAITS.map((name) => [name, column(group[name])])) };
    });
    return { width, over: width ? Math.round(begin + over - skipped * width) : 0, groups };
  }

  // Spans of bins begin where the new page does: each gives to those that it lies in.
  function moveSpans(group, span, { from, to }) {
    const times = new Map();
    group.at.forEach((at, i) => {
      const first = at * span - from, last = first + span;
      for (let next = Math.max(0, Math.floor(first / span)); next * span < Math.min(last, to - from); next++) {
        const wide = Math.min(last, (next + 1) * span) - Math.max(first, next * span);
        times.set(next, (times.get(next) ?? 0) + group.time[i] * wide / span);
      }
    });
    const rows = [...times].filter(([, time]) => Math.round(time) > 0).sort(([a], [b]) => a - b);
    return { at: rows.map(([at]) => at), time: rows.map(([, time]) => Math.round(time)) };
  }

  function cutPcpus({ model: { ranOn }, selection }, numbers) {
    const groups = ranOn.groups.filter(({ domain, mode }) => numbers.domain.number[domain] >= 0 && selection.domains[domain] && selection.modes[mode])
      .map((group) => ({ ...group, domain: numbers.domain.number[group.domain], ...moveSpans(group, ranOn.span, selection) }));
    return { span: ranOn.span, groups: groups.filter(({ at }) => at.length) };
  }

  function make(scope, live, numbers) {
    return { owners: cutOwners(scope, live, numbers), waits: cutWaits(scope, numbers), ranOn: cutPcpus(scope, numbers) };
  }

  return { make, keptWaits };
})();
