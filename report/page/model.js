// SPDX-License-Identifier: GPL-2.0-or-later
// The tree and its samples, and the part of them that is selected.  Times are us.
const Model = (() => {
  const IDLE = 3, NO_MODE = 4, MODES = 5;
  const MODE_NAMES = ["Xen", "kernel", "user", "idle", "not known"];
  const LANE_NUMBERS = 5; // of a row of info.lanes
  const NO_SAMPLE = MODES, COLUMNS = MODES + 1; // of pictures of time: what no sample is of
  const OTHER_DOMAIN = 0, IDLE_DOMAIN = 1;
  const RUNS = 2000; // in a piece of what is made later

  // Node 0 is the root.  The nodes below node i follow it, up to node end[i].
  function makeTree(data) {
    const count = data.nodes.up.length + 1;
    const tree = {
      count,
      parent: new Uint32Array(count), depth: new Uint16Array(count), end: new Uint32Array(count),
      frame: new Int32Array(count).fill(-1), domain: new Int32Array(count).fill(-1),
      row: new Uint16Array(count), absent: new Uint8Array(count), // as it is drawn
      mode: new Uint8Array(count).fill(NO_MODE), image: new Uint32Array(count), part: new Uint8Array(count),
      ownTime: new Float64Array(count), ownCount: new Float64Array(count), perSample: new Float64Array(count),
      spread: new Float64Array(count), // us of nodes without samples
      kind: new Uint32Array(count), idle: [], domainNode: [],
    };
    for (let i = 1, above = 0; i < count; above = i++) {
      for (let up = data.nodes.up[i - 1]; up > 0; up--)
        above = tree.parent[above];
      addNode(tree, data, i, above);
    }
    for (let i = count - 1; i > 0; i--) {
      tree.end[i] = Math.max(tree.end[i], i + 1);
      tree.end[tree.parent[i]] = Math.max(tree.end[tree.parent[i]], tree.end[i]);
    }
    tree.end[0] = count;
    placeRows(tree);
    makeKinds(tree, data.frames.mode.length);
    tree.idle = [];
    for (let i = tree.mode.indexOf(IDLE); i >= 0; i = tree.mode.indexOf(IDLE, i + 1))
      tree.idle.push(i);
    tree.domainNode = [];
    for (let i = 1; i < count; i = tree.end[i])
      tree.domainNode[tree.domain[i]] = i;
    return tree;
  }

  function addNode(tree, data, i, parent) {
    const value = data.nodes.value[i - 1];
    tree.parent[i] = parent;
    tree.depth[i] = tree.depth[parent] + 1;
    tree.ownTime[i] = data.nodes.time[i - 1];
    if (parent === 0) {
      tree.domain[i] = value;
      tree.mode[i] = value === IDLE_DOMAIN ? IDLE : NO_MODE;
      return;
    }
    tree.domain[i] = tree.domain[parent];
    tree.frame[i] = value;
    tree.mode[i] = data.frames.mode[value];
    tree.image[i] = data.frames.image[value];
    tree.part[i] = data.frames.part[value];
    tree.absent[i] = tree.mode[i] === NO_MODE ? 1 : 0;
  }

  // What stands for callers that are not known has no row of its own: those below
  // it are drawn in its place.  Without any below it, it stands for itself.
  function placeRows(tree) {
    for (let i = 1; i < tree.count; i++) {
      tree.absent[i] &= tree.end[i] > i + 1 ? 1 : 0;
      tree.row[i] = tree.row[tree.parent[i]] + (tree.absent[i] ? 0 : 1);
    }
  }

  // What nodes are selected by: those alike are of one kind.
  function makeKinds(tree, frames) {
    const known = new Map();
    tree.kinds = [];
    const find = (i) => {
      const domain = tree.domain[i], mode = tree.mode[i], image = tree.image[i], part = tree.part[i];
      const key = ((image * MODES + mode) * Subsystems.NAMES.length + part) * 0x10000 + domain;
      if (!known.has(key))
        known.set(key, tree.kinds.push({ domain, mode, image, part }) - 1);
      return known.get(key);
    };
    // Nodes of a frame and a domain are alike; those of a domain follow each other.
    const kindOf = new Uint32Array(frames), domainOf = new Int32Array(frames).fill(-1);
    for (let i = 1; i < tree.count; i++) {
      const frame = tree.frame[i];
      if (frame >= 0 && domainOf[frame] === tree.domain[i])
        tree.kind[i] = kindOf[frame];
      else {
        const kind = tree.kind[i] = find(i);
        if (frame >= 0) {
          kindOf[frame] = kind;
          domainOf[frame] = tree.domain[i];
        }
      }
    }
  }

  // Each sample has the kind of its node beside it: a look at the node takes longer.
  function countSamples(tree, samples) {
    const { ownCount, ownTime, perSample, spread, kind } = tree, { node, count } = samples, kinds = new Uint32Array(node.length);
    for (let i = 0; i < node.length; i++) {
      const at = node[i];
      ownCount[at] += count[i];
      kinds[i] = kind[at];
    }
    samples.kind = kinds;
    let sum = -ownCount[0]; // those that a filter turned down
    for (let i = 0; i < tree.count; i++) {
      const samples = ownCount[i], time = ownTime[i];
      if (samples > 0) {
        perSample[i] = time / samples;
        sum += samples;
      } else
        spread[i] = time;
    }
    return sum;
  }

  // What samples come from: a vCPU (a lane), why its guest had entered Xen, who ran
  // on it, and what Xen ran for; each is 0 where it is not known, or was not in Xen.
  // A vCPU that ran without a sample is a lane, too.
  function makeTracks(info, owners) {
    const lanes = [], tracks = [], known = new Map();
    for (let i = 0; i < info.lanes.length; i += LANE_NUMBERS) {
      const [domain, vcpu, entry, comm, reason] = info.lanes.slice(i, i + LANE_NUMBERS);
      const key = domain + "/" + vcpu;
      if (!known.has(key))
        known.set(key, lanes.push({ domain, vcpu }) - 1);
      tracks.push({ lane: known.get(key), entry, comm, reason });
    }
    for (const { kind, domain, vcpu, shown } of owners)
      if (kind === 0 && shown && !known.has(domain + "/" + vcpu))
        known.set(domain + "/" + vcpu, lanes.push({ domain, vcpu }) - 1);
    return { lanes, tracks };
  }

  // Which tracks are selected.
  function trackMask(model, { lanes, entries, comms, reasons }) {
    return Uint8Array.from(model.tracks, (track) =>
      lanes[track.lane] & entries[track.entry] & comms[track.comm] & reasons[track.reason]);
  }

  // Whether time of which there is no sample is of what is selected: it is of no
  // entry and of no reason, and nobody's.
  function takesUnsampled({ entries, comms, reasons }) {
    return entries[0] && comms[0] && reasons[0];
  }

  function create(data) {
    const { info, frames } = data;
    frames.part = Subsystems.ofFrames(info, frames.mode);
    const tree = makeTree(data), type = Types.of(info);
    const binTime = info.timeline.bin_ns / 1e3 || 1e6; // without samples there is none
    const length = Math.max(info.timeline.length_ns / 1e3, binTime);
    const sampleCount = countSamples(tree, data.samples);
    const model = {
      info, frames, tree, columns: makeColumns(tree.count), runs: data.runs, samples: data.samples, sampleCount,
      ...makeTracks(info, data.owners),
      binTime, length, since: (info.timeline.since_ns ?? 0) / 1e3,
      over: (info.timeline.over_ns ?? 0) / 1e3, // us of the first bin before the page's time begins
      sampled: info.timeline.bins, // bins; none of those after it has a sample
      pcpus: info.session.pcpus ?? info.session.pcpu_time_ns / 1e3 / length,
      bins: Math.max(info.timeline.bins, Math.ceil(length / binTime)),
      type, allTime: info.diff ? Compare.WHOLE : type.all,
      waits: data.waits, ranOn: data.ranOn, code: data.code,
      before: data.before, after: data.after, beyond: data.beyond,
      frameName: (frame) => info.frame_names[frame],
      imageName: (image) => image ? info.image_names[image - 1] : "",
    };
    /** @type {any} */ (model).account = Account.create(model, data.owners);
    return model;
  }

  // Other data of the same session.  The model, its tree and its type stay the objects
  // that they are: views know these.
  function renew(model, data) {
    const { tree, type } = model, fresh = create(data);
    Object.keys(model).forEach((key) => { model[key] = undefined; }); // also what is kept of these data
    Object.assign(model, fresh, { tree: Object.assign(tree, fresh.tree), type: Object.assign(type, fresh.type) });
  }

  // When a bin begins: us since the page's time does.
  function timeOf({ binTime, over, length }, bin) {
    return Math.max(0, Math.min(bin * binTime, length) - over);
  }

  // Everything but idle time.
  function selectAll(model) {
    const modes = new Uint8Array(MODES).fill(1);
    modes[IDLE] = 0;
    return {
      modes,
      lanes: new Uint8Array(model.lanes.length).fill(1),
      entries: new Uint8Array((model.info.entry_names ?? []).length + 1).fill(1),
      comms: new Uint8Array((model.info.comm_names ?? []).length + 1).fill(1),
      reasons: new Uint8Array((model.info.why ?? []).length + 1).fill(1),
      domains: new Uint8Array(model.info.domain_names.length).fill(1),
      images: new Uint8Array(model.info.image_names.length + 1).fill(1),
      parts: new Uint8Array(Subsystems.NAMES.length).fill(1),
      from: 0, to: model.bins,
    };
  }

  // Columns that each selection fills in anew: to make them takes longer.
  function makeColumns(count) {
    const column = () => new Float64Array(count);
    return { taken: new Uint8Array(count), own: column(), total: column(), ownCount: column(), totalCount: column(),
             all: { times: column(), counts: column() }, some: { times: column(), counts: column() } };
  }

  function takeKinds(kinds, { domains, modes, images, parts }) {
    return Uint8Array.from(kinds, (one) => domains[one.domain] & modes[one.mode] & images[one.image] & parts[one.part]);
  }

  // Marks the nodes whose own samples are selected, apart from time and vCPUs.
  function takeNodes({ tree: { kind, kinds } }, selection, taken) {
    const selected = takeKinds(kinds, selection);
    for (let i = 1; i < taken.length; i++)
      taken[i] = selected[kind[i]];
  }

  // Of what is in the selected time, what is of the selected tracks.
  function ofTracks(model, selection, brush, columns) {
    const mask = trackMask(model, selection);
    return mask.every((value) => value === 1) && selection.lanes.every((value) => value === 1) ? brush
      : Account.ofTracks(model, brush, selection, mask, columns);
  }

  // Sums of a column by kind of nodes; first is the node that it begins with.
  function sumKinds({ tree: { kind, kinds } }, column, first) {
    const sums = new Float64Array(kinds.length);
    for (let i = 0; i < column.length; i++)
      sums[kind[first + i]] += column[i];
    return sums;
  }

  // us of each kind of nodes in the selected time: kept with it.
  function kindsInTime({ tree: { kind, kinds } }, { brush }) {
    if (brush.kinds)
      return brush.kinds;
    const { times } = brush, sums = new Float64Array(kinds.length);
    for (let i = 1; i < times.length; i++)
      sums[kind[i]] += times[i];
    brush.kinds = sums;
    return sums;
  }

  // Each node's own amount, and with what is below it: all in one pass.
  function takeOwn({ parent }, taken, amounts, own, total) {
    total.fill(0);
    for (let i = own.length - 1; i > 0; i--) {
      const much = own[i] = taken[i] * amounts[i], all = total[i] += much;
      total[parent[i]] += all;
    }
    total[0] += own[0] = taken[0] * amounts[0];
  }

  // Adds to each node what is below it.
  function addUp({ parent }, column) {
    for (let i = column.length - 1; i > 0; i--)
      column[parent[i]] += column[i];
  }

  // What it returns is good until it is called again with the same columns.  Few ask for
  // the samples of each node: these are counted when somebody does.
  function select(model, selection, columns = model.columns) {
    const { tree, info } = model, { taken, own, total, ownCount, totalCount } = columns;
    const brush = Account.inTime(model, selection, columns);
    takeNodes(model, selection, taken);
    const { times, counts } = ofTracks(model, selection, brush, columns);
    takeOwn(tree, taken, times, own, total);
    const sides = info.diff ? Compare.totals(model, taken) : null;
    let isCounted = false;
    const count = () => {
      if (!isCounted)
        takeOwn(tree, taken, counts, ownCount, totalCount);
      isCounted = true;
      return columns;
    };
    return {
      brush, own, total, sides, all: brush.all,
      get ownCount() { return count().ownCount; },
      get totalCount() { return count().totalCount; },
      samplesBelow: (node) => { // and its own
        let sum = 0;
        for (let i = node; i < tree.end[node]; i++)
          sum += taken[i] * counts[i];
        return sum;
      },
    };
  }

  // Of each run its us and samples by mode, of the nodes of these images and
  // subsystems; null: all.  In pictures of time each slot has its own.
  function sumRuns({ tree, runs, samples, account }, some) {
    const { bin: { length }, start } = runs, { node, count, kind } = samples, { kinds, perSample } = tree;
    const times = new Float64Array(length * MODES), counts = new Float64Array(length * MODES);
    // Of each kind of nodes its mode, MODES: it is none of those; the root is another kind.
    const modes = Uint8Array.from(kinds, (one) => some && !(some.images[one.image] & some.parts[one.part]) ? MODES : one.mode);
    const rates = account && Account.ownRates(account);
    for (let run = 0; run < length; run++) {
      const to = run * MODES, rate = account ? rates[account.cellOfRun[run]] : 0;
      for (let i = start[run], end = start[run + 1]; i < end; i++) {
        const at = node[i], mode = modes[kind[i]];
        if (at === 0 || mode === MODES)
          continue;
        counts[to + mode] += count[i];
        if (!account || mode === IDLE)
          times[to + mode] += count[i] * perSample[at];
      }
      for (let mode = 0; account && mode < MODES; mode++)
        if (mode !== IDLE)
          times[to + mode] = counts[to + mode] * rate;
    }
    return { times, counts };
  }

  function allRuns(model) {
    model.keptRuns ??= sumRuns(model, null);
    return model.keptRuns;
  }

  // Those of the selected images and subsystems.
  function runsOf(model, selection) {
    return [selection.images, selection.parts].every((list) => list.every((value) => value)) ? allRuns(model)
      : sumRuns(model, selection);
  }

  // us and samples by domain: in each a row of modes for each bin that has any, and
  // spans of time without a sample.  Selections of domains and modes choose among them,
  // and are most: so the rows are kept.
  function binsOf(model, selection) {
    const { images, parts, lanes, entries, comms, reasons } = selection;
    const key = [images, parts, lanes, entries, comms, reasons].join("/");
    if (model.keptBins?.key !== key)
      model.keptBins = { key, domains: sumBins(model, selection) };
    return model.keptBins.domains;
  }

  // The same of all there is.
  function allBins(model) {
    model.keptAll ??= binsOf(model, selectAll(model));
    return model.keptAll;
  }

  // Rows of bins for each domain; runs are in the order of bins.
  function makeBins(model, mask) {
    const { runs: { bin, lane } } = model, domains = new Map();
    const domainOf = Uint32Array.from(model.tracks, (track) => model.lanes[track.lane].domain);
    const { length } = model.info.domain_names, counts = new Uint32Array(length), last = new Int32Array(length).fill(-1);
    const rowOf = new Uint32Array(bin.length);
    for (let run = 0; run < bin.length; run++) {
      const domain = domainOf[lane[run]];
      if (!mask[lane[run]])
        continue;
      if (last[domain] !== bin[run])
        counts[domain]++;
      last[domain] = bin[run];
      rowOf[run] = counts[domain] - 1;
    }
    counts.forEach((count, domain) => count && domains.set(domain, emptyBins(count)));
    return { domains, rowOf, domainOf };
  }

  function emptyBins(count) {
    return { bin: new Uint32Array(count), times: new Float64Array(count * MODES), counts: new Float64Array(count * MODES), spans: [] };
  }

  function sumBins(model, selection) {
    const { runs } = model, mask = trackMask(model, selection), of = runsOf(model, selection);
    const { domains, rowOf, domainOf } = makeBins(model, mask), byDomain = [];
    for (const [domain, bins] of domains)
      byDomain[domain] = bins;
    for (let run = 0; run < runs.bin.length; run++) {
      if (!mask[runs.lane[run]])
        continue;
      const { bin, times, counts } = byDomain[domainOf[runs.lane[run]]], row = rowOf[run];
      bin[row] = runs.bin[run];
      for (let mode = 0; mode < MODES; mode++) {
        times[row * MODES + mode] += of.times[run * MODES + mode];
        counts[row * MODES + mode] += of.counts[run * MODES + mode];
      }
    }
    if (model.account && takesUnsampled(selection) && selection.images[0] && selection.parts[Subsystems.REST])
      Account.forUnsampled(model.account, ({ domain, lane, shown }, time, from, to) => {
        if (!shown || (lane >= 0 && !selection.lanes[lane]))
          return;
        if (!domains.has(domain))
          domains.set(domain, emptyBins(0));
        domains.get(domain).spans.push({ time, from, to });
      });
    return domains;
  }

  // Selected us by entry and by name of thread, where the page has any.
  function sumTracks(model, { brush }) {
    const entries = new Float64Array((model.info.entry_names ?? []).length + 1);
    const comms = new Float64Array((model.info.comm_names ?? []).length + 1);
    for (let run = brush.first; entries.length + comms.length > 2 && run < brush.last; run++) {
      const { entry, comm } = model.tracks[model.runs.lane[run]], time = Account.ofRun(model, brush, run);
      entries[entry] += time;
      comms[comm] += time;
    }
    return { entries, comms };
  }

  // Runs that are taken and have any of the nodes (1: all but the root), and what each has
  // of each kind of these: samples, and us as nodes' means have it.
  function kindsOfRuns(model, takes, nodes) {
    const { runs: { lane, start }, samples: { node, kind, count }, tree: { perSample } } = model;
    const run = [], first = [0], kinds = [], counts = [], times = [];
    for (let one = 0; one < lane.length; one++) {
      const begin = kinds.length;
      for (let i = start[one], end = takes(one) ? start[one + 1] : 0; i < end; i++) {
        const at = node[i];
        if (!nodes[at])
          continue;
        let found = kinds.indexOf(kind[i], begin);
        if (found < 0) {
          found = kinds.push(kind[i]) - 1;
          counts.push(0);
          times.push(0);
        }
        counts[found] += count[i];
        times[found] += count[i] * perSample[at];
      }
      if (kinds.length > begin) {
        run.push(one);
        first.push(kinds.length);
      }
    }
    return { run: Uint32Array.from(run), first: Uint32Array.from(first), kind: Uint32Array.from(kinds),
             count: Float64Array.from(counts), time: Float64Array.from(times) };
  }

  // Those that have a reason: kept, since they are few, and samples many.
  function runsOfReasons(model) {
    const { runs: { lane }, tracks, tree } = model, nodes = new Uint8Array(tree.count).fill(1, 1);
    return kindsOfRuns(model, (run) => tracks[lane[run]].reason > 0, nodes);
  }

  // Those with samples of a function and what it called; kept for the last one asked for.
  function runsInside(model, frame) {
    if (model.keptInside?.frame !== frame) {
      const inside = new Uint8Array(model.tree.count);
      for (const node of nodesOf(model, frame))
        if (!inside[node])
          inside.fill(1, node, model.tree.end[node]);
      model.keptInside = { frame, runs: kindsOfRuns(model, () => true, inside) };
    }
    return model.keptInside.runs;
  }

  // us of what Xen ran for by reason and kind of nodes, a row of kinds for each reason:
  // kept, since most selections are of kinds.
  function kindsOfReasons(model, { brush }, selection) {
    const { lanes, entries, comms } = selection, key = [lanes, entries, comms].join("/");
    if (brush.reasons?.key === key)
      return brush.reasons.sums;
    const { runs: { lane }, tracks, tree: { kinds }, account } = model;
    const { run, first, kind, count, time } = model.reasonRuns ??= runsOfReasons(model);
    const mask = trackMask(model, { ...selection, reasons: new Uint8Array(selection.reasons.length).fill(1) });
    const sums = new Float64Array((model.info.why ?? []).length * kinds.length);
    for (let at = 0; at < run.length; at++) {
      const one = run[at], to = (tracks[lane[one]].reason - 1) * kinds.length;
      if (one < brush.first || one >= brush.last || !mask[lane[one]])
        continue;
      const rate = account ? brush.rates[account.cellOfRun[one]] : 0;
      for (let i = first[at]; i < first[at + 1]; i++)
        sums[to + kind[i]] += account ? count[i] * rate : time[i];
    }
    brush.reasons = { key, sums };
    return sums;
  }

  // us of what Xen ran for by domain, a column of domains for each reason: of what is
  // selected, whatever reasons are.
  function sumReasons(model, result, selection) {
    const { kinds } = model.tree, taken = takeKinds(kinds, selection);
    const sums = Array.from(model.info.why ?? [], () => new Float64Array(model.info.domain_names.length));
    const all = sums.length ? kindsOfReasons(model, result, selection) : [];
    sums.forEach((to, reason) => kinds.forEach(({ domain }, kind) => {
      to[domain] += taken[kind] * all[reason * kinds.length + kind];
    }));
    return sums;
  }

  // Informs of what nodes have of a reason, of what is selected: us and samples.
  function forReasons(model, { brush }, selection, each) {
    const { runs: { lane, start }, samples: { node, kind, count }, tree: { kinds, perSample }, account } = model;
    const taken = takeKinds(kinds, selection), mask = trackMask(model, selection);
    const reasons = Uint8Array.from(model.tracks, ({ reason }, track) => mask[track] ? reason : 0);
    for (let run = brush.first; run < brush.last; run++) {
      const reason = reasons[lane[run]], rate = account ? brush.rates[account.cellOfRun[run]] : 0;
      for (let i = start[run], end = reason ? start[run + 1] : 0; i < end; i++) {
        const at = node[i], samples = count[i];
        if (at && taken[kind[i]])
          each(reason, at, samples * (account ? rate : perSample[at]), samples);
      }
    }
  }

  // The nodes of each reason in the page's whole time, with all above them, and what each
  // has, as Shapes.byReason() wants them.  First come those of no reason; all domains are
  // there, since time without a sample is of none.
  function* partsOfReasons(model) {
    const { tree, runs: { bin, lane, start }, samples: { node, count }, tracks } = model;
    const { parent, ownCount, ownTime, perSample, domainNode } = tree, runs = [], parts = [];
    const left = Float64Array.from(ownCount), marks = new Uint8Array(tree.count), sums = new Float64Array(tree.count);
    let marked = 0;
    const mark = (at) => {
      for (let i = at; !marks[i]; i = parent[i]) {
        marks[i] = 1;
        marked++;
      }
    };
    const take = (reason) => {
      const nodes = new Uint32Array(marked), own = new Float64Array(marked);
      for (let i = 0, k = 0; i < tree.count && k < marked; i++)
        if (marks[i]) {
          nodes[k] = i;
          own[k++] = sums[i];
          marks[i] = sums[i] = 0;
        }
      parts[reason] = { reason, nodes, own };
      marked = 0;
    };
    for (let run = 0; run < bin.length; run++)
      if (tracks[lane[run]].reason)
        (runs[tracks[lane[run]].reason] ??= []).push(run);
    const takeRun = (run) => {
      for (let i = start[run]; i < start[run + 1]; i++) {
        const at = node[i];
        mark(at);
        sums[at] += count[i] * (perSample[at] || Number.MIN_VALUE);
        left[at] -= count[i];
      }
    };
    yield;
    for (const [reason, list] of Object.entries(runs)) {
      mark(0);
      for (let k = 0; k < list.length; k++) {
        takeRun(list[k]);
        if (k % RUNS === RUNS - 1)
          yield;
      }
      take(Number(reason));
      yield;
    }
    domainNode.forEach(mark);
    for (let i = 0; i < tree.count; i++) {
      sums[i] = ownCount[i] ? left[i] * (perSample[i] || Number.MIN_VALUE) : ownTime[i];
      if (sums[i] > 0)
        mark(i);
    }
    yield;
    take(0);
    yield;
    return parts.filter(Boolean);
  }

  // Each sample of a reason: from which node of the tree that begins with reasons to which
  // its time goes, its kind and how many it is; and of each such run, where they begin.
  function* movesOfReasons(model, places) {
    const { tree: { perSample }, runs: { bin, lane, start }, samples: { node, kind, count }, tracks } = model;
    const run = Uint32Array.from(bin.keys()).filter((one) => tracks[lane[one]].reason);
    const length = run.reduce((sum, one) => sum + start[one + 1] - start[one], 0), [none] = places;
    const moves = { run, first: new Uint32Array(run.length + 1), from: new Int32Array(length), to: new Int32Array(length),
                    kind: new Uint32Array(length), count: new Uint32Array(length), mean: new Float64Array(model.account ? 0 : length) };
    const { first, from, to } = moves;
    const takeRun = (one, begin) => {
      const place = places[tracks[lane[one]].reason];
      let at = begin;
      for (let i = start[one], end = start[one + 1]; i < end; i++) {
        if (!node[i])
          continue;
        from[at] = none[node[i]];
        to[at] = place[node[i]];
        moves.kind[at] = kind[i];
        moves.count[at] = count[i];
        if (!model.account)
          moves.mean[at] = perSample[node[i]];
        at++;
      }
      return at;
    };
    for (let k = 0; k < run.length; k++) {
      first[k + 1] = takeRun(run[k], first[k]);
      if (k % RUNS === RUNS - 1)
        yield;
    }
    return moves;
  }

  // Takes what is selected of them from where it is to where it goes, if that is a node.
  function moveToReasons({ runs: { lane }, tree: { kinds }, account, ...model }, { brush }, selection, moves, own, counting) {
    const taken = takeKinds(kinds, selection), mask = trackMask(model, selection), { run, first, from, to, kind, count, mean } = moves;
    for (let k = 0; k < run.length; k++) {
      const one = run[k];
      if (one < brush.first || one >= brush.last || !mask[lane[one]])
        continue;
      const rate = counting ? 1 : account ? brush.rates[account.cellOfRun[one]] : 0;
      for (let i = first[k], end = first[k + 1]; i < end; i++) {
        if (!taken[kind[i]])
          continue;
        const much = count[i] * (counting || account ? rate : mean[i]), was = from[i];
        own[to[i]] += much;
        if (was >= 0)
          own[was] -= much;
      }
    }
  }

  // Own and total time of each function; of a recursive call, the outermost counts.
  function functions(model, result) {
    const { frame, end, count: nodes } = model.tree, frames = model.info.frame_names.length;
    const { own: owns, total: totals } = result;
    const own = new Float64Array(frames), total = new Float64Array(frames);
    const inside = new Uint32Array(frames); // node at which the outermost one ends
    for (let i = 1; i < nodes;) {
      const of = frame[i], time = totals[i];
      if (time && of >= 0) {
        own[of] += owns[i];
        if (i >= inside[of]) {
          inside[of] = end[i];
          total[of] += time;
        }
      }
      i = time ? i + 1 : end[i]; // else nothing below it has any
    }
    return { own, total };
  }

  // The nodes of a function, in their order; kept for the last one asked for.
  function nodesOf(model, frame) {
    const { tree } = model, found = [];
    if (model.keptNodes?.frame === frame)
      return model.keptNodes.nodes;
    for (let i = tree.frame.indexOf(frame); i >= 0; i = tree.frame.indexOf(frame, i + 1))
      found.push(i);
    model.keptNodes = { frame, nodes: found };
    return found;
  }

  // Callers and callees of a function; frame -1 - d is domain d.
  function relatives(model, { total }, frame) {
    const { frame: frames, parent, domain, end: ends } = model.tree, callers = new Map(), callees = new Map();
    const add = (map, key, time) => map.set(key, (map.get(key) || 0) + time);
    let end = 0;
    for (const i of nodesOf(model, frame)) {
      if (!total[i])
        continue;
      for (let below = i + 1; below < ends[i]; below = ends[below])
        if (total[below] && frames[below] !== frame)
          add(callees, frames[below], total[below]);
      if (i < end)
        continue;
      end = ends[i];
      add(callers, frames[parent[i]] >= 0 ? frames[parent[i]] : -1 - domain[i], total[i]);
    }
    return { callers, callees };
  }

  // Own and total time of one of them, as functions() has it.
  function ofFunction(model, result, frame) {
    const { tree } = model, sums = { own: 0, total: 0, count: 0 };
    let end = 0; // of the outermost one
    for (const i of nodesOf(model, frame)) {
      sums.own += result.own[i];
      if (i < end)
        continue;
      end = tree.end[i];
      sums.total += result.total[i];
      sums.count += result.samplesBelow(i);
    }
    return sums;
  }

  return { create, renew, selectAll, select, makeColumns, sumKinds, kindsInTime, timeOf, binsOf, allBins, runsOf, trackMask,
           takeKinds, sumTracks, sumReasons, forReasons, partsOfReasons, movesOfReasons, moveToReasons, takesUnsampled, functions, nodesOf, ofFunction, runsInside,
           relatives, addUp, IDLE, NO_MODE, MODES, NO_SAMPLE, COLUMNS, MODE_NAMES, OTHER_DOMAIN, IDLE_DOMAIN };
})();
