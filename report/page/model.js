// SPDX-License-Identifier: GPL-2.0-or-later
// The tree and its samples, and the part of them that is selected.  Times are us.
const Model = (() => {
  const IDLE = 3, NO_MODE = 4, MODES = 5;
  const MODE_NAMES = ["Xen", "kernel", "user", "idle", "not known"];
  const OTHER_DOMAIN = 0, IDLE_DOMAIN = 1;

  // Node 0 is the root.  The nodes below node i follow it, up to node end[i].
  function makeTree(data) {
    const count = data.nodes.up.length + 1;
    const tree = {
      count,
      parent: new Uint32Array(count), depth: new Uint16Array(count), end: new Uint32Array(count),
      frame: new Int32Array(count).fill(-1), domain: new Int32Array(count).fill(-1),
      row: new Uint16Array(count), absent: new Uint8Array(count), // as it is drawn
      mode: new Uint8Array(count).fill(NO_MODE), image: new Uint32Array(count),
      ownTime: new Float64Array(count), ownCount: new Float64Array(count), perSample: new Float64Array(count),
      spread: new Float64Array(count), // us of nodes without samples
      kind: new Uint32Array(count),
    };
    const path = [0];
    for (let i = 1; i < count; i++) {
      path.length -= data.nodes.up[i - 1];
      addNode(tree, data, i, path[path.length - 1]);
      path.push(i);
    }
    for (let i = count - 1; i > 0; i--) {
      tree.end[i] = Math.max(tree.end[i], i + 1);
      tree.end[tree.parent[i]] = Math.max(tree.end[tree.parent[i]], tree.end[i]);
    }
    tree.end[0] = count;
    placeRows(tree);
    makeKinds(tree);
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
  function makeKinds(tree) {
    const known = new Map();
    tree.kinds = [];
    for (let i = 1; i < tree.count; i++) {
      const domain = tree.domain[i], mode = tree.mode[i], image = tree.image[i];
      const key = (image * MODES + mode) * 0x10000 + domain;
      if (!known.has(key))
        known.set(key, tree.kinds.push({ domain, mode, image }) - 1);
      tree.kind[i] = known.get(key);
    }
  }

  function countSamples(tree, samples) {
    for (let i = 0; i < samples.node.length; i++)
      tree.ownCount[samples.node[i]] += samples.count[i];
    let sum = 0;
    for (let i = 0; i < tree.count; i++) {
      tree.perSample[i] = tree.ownCount[i] ? tree.ownTime[i] / tree.ownCount[i] : 0;
      tree.spread[i] = tree.ownCount[i] ? 0 : tree.ownTime[i];
      sum += tree.ownCount[i];
    }
    return sum;
  }

  // What samples come from: a vCPU (a lane), why its guest had entered Xen, and who
  // ran on it; both are 0 where they are not known.
  function makeTracks(info) {
    const lanes = [], tracks = [], known = new Map();
    for (let i = 0; i < info.lanes.length; i += 4) {
      const [domain, vcpu, entry, comm] = info.lanes.slice(i, i + 4);
      const key = domain + "/" + vcpu;
      if (!known.has(key))
        known.set(key, lanes.push({ domain, vcpu }) - 1);
      tracks.push({ lane: known.get(key), entry, comm });
    }
    return { lanes, tracks };
  }

  // Which tracks are selected.
  function trackMask(model, { lanes, entries, comms }) {
    return Uint8Array.from(model.tracks, (track) => lanes[track.lane] & entries[track.entry] & comms[track.comm]);
  }

  function create(data) {
    const { info, frames } = data;
    const tree = makeTree(data), type = Types.of(info);
    const binTime = info.timeline.bin_ns / 1e3 || 1e6; // without samples there is none
    const length = Math.max(info.timeline.length_ns / 1e3, binTime);
    const sampleCount = countSamples(tree, data.samples);
    return {
      info, frames, tree, columns: makeColumns(tree.count), runs: data.runs, samples: data.samples, sampleCount,
      ...makeTracks(info),
      binTime, length, since: (info.timeline.since_ns ?? 0) / 1e3,
      sampled: info.timeline.bins, // bins; none of those after it has a sample
      pcpus: info.session.pcpus ?? info.session.pcpu_time_ns / 1e3 / length,
      bins: Math.max(info.timeline.bins, Math.ceil(length / binTime)),
      type, allTime: info.diff ? Compare.WHOLE : type.all,
      before: data.before, after: data.after, beyond: data.beyond,
      frameName: (frame) => info.frame_names[frame],
      imageName: (image) => image ? info.image_names[image - 1] : "",
    };
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
      domains: new Uint8Array(model.info.domain_names.length).fill(1),
      images: new Uint8Array(model.info.image_names.length + 1).fill(1),
      from: 0, to: model.bins,
    };
  }

  // Columns that each selection fills in anew: to make them takes longer.
  function makeColumns(count) {
    const column = () => new Float64Array(count);
    return { taken: new Uint8Array(count), inTime: column(), counts: column(),
             own: column(), total: column(), totalCount: column() };
  }

  // Marks the nodes whose own samples are selected, apart from time and vCPUs.
  function takeNodes({ tree: { kind, kinds } }, { domains, modes, images }, taken) {
    const selected = Uint8Array.from(kinds, (one) => domains[one.domain] & modes[one.mode] & images[one.image]);
    for (let i = 1; i < taken.length; i++)
      taken[i] = selected[kind[i]];
  }

  // The first run of samples in that bin or behind it.
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

  // Adds samples of these runs to their nodes, or with sign -1 takes them away; mask
  // says of which tracks, null: of all.
  function addRuns({ runs, samples: { node, count } }, { first, last, sign = 1, mask = null }, counts) {
    for (let run = first; run < last; run++) {
      if (mask && !mask[runs.lane[run]])
        continue;
      for (let i = runs.start[run], end = runs.start[run + 1]; i < end; i++)
        counts[node[i]] += sign * count[i];
    }
  }

  // Samples of each node in the selected time, of these tracks; null: of all.
  function countTime(model, { from, to }, mask, counts) {
    const all = model.runs.bin.length, first = runAt(model.runs, from), last = runAt(model.runs, to);
    if (mask || last - first < all / 2) {
      counts.fill(0);
      addRuns(model, { first, last, mask }, counts);
      return;
    }
    counts.set(model.tree.ownCount); // what is left out is less
    addRuns(model, { first: 0, last: first, sign: -1 }, counts);
    addRuns(model, { first: last, last: all, sign: -1 }, counts);
  }

  // Samples of each node in the selected time, of all tracks, and their sum; kept,
  // since most selections are of something else than time.
  function allInTime(model, { from, to }) {
    const { kept, columns: { inTime } } = model;
    if (kept?.from !== from || kept.to !== to) {
      countTime(model, { from, to }, null, inTime);
      model.kept = { from, to, sum: 0 };
      for (let i = 0; i < inTime.length; i++)
        model.kept.sum += inTime[i];
    }
    return { inTime, samplesInTime: model.kept.sum };
  }

  // Of inTime, those of the selected tracks.
  function countSelected(model, selection, inTime) {
    const mask = trackMask(model, selection), { counts } = model.columns;
    if (mask.every((value) => value === 1))
      return inTime;
    countTime(model, selection, mask, counts);
    return counts;
  }

  // Sums of a column by kind of nodes; first is the node that it begins with.
  function sumKinds({ tree: { kind, kinds } }, column, first) {
    const sums = new Float64Array(kinds.length);
    for (let i = 0; i < column.length; i++)
      sums[kind[first + i]] += column[i];
    return sums;
  }

  // us of each kind of nodes in the selected time.
  function kindsInTime({ tree: { kind, kinds, perSample, spread } }, { inTime, part }) {
    const sums = new Float64Array(kinds.length);
    for (let i = 0; i < inTime.length; i++)
      sums[kind[i]] += inTime[i] * perSample[i] + spread[i] * part;
    return sums;
  }

  // Each node's own time, in all three columns, and samples.  Time of nodes without
  // samples (idle time that Xen accounted) is spread evenly.
  function takeOwn({ perSample, spread }, { taken, own, total, totalCount }, counts, part) {
    for (let i = 0; i < own.length; i++) {
      own[i] = total[i] = taken[i] * (counts[i] * perSample[i] + spread[i] * part);
      totalCount[i] = taken[i] * counts[i];
    }
  }

  // Adds to each node what is below it.
  function addUp({ parent }, column) {
    for (let i = column.length - 1; i > 0; i--)
      column[parent[i]] += column[i];
  }

  // What it returns is good until it is called again.
  function select(model, selection) {
    const { tree, info, columns } = model, { taken, own, total, totalCount } = columns;
    const { inTime, samplesInTime } = allInTime(model, selection);
    const part = info.diff ? 1 : (selection.to - selection.from) / model.bins;
    takeNodes(model, selection, taken);
    takeOwn(tree, columns, countSelected(model, selection, inTime), part);
    addUp(tree, total);
    addUp(tree, totalCount);
    const sides = info.diff ? Compare.totals(model, taken) : null;
    return { inTime, part, own, total, totalCount, sides, all: model.allTime * part, samplesInTime };
  }

  // Of each run its us and samples by mode, of the nodes of these images; null: all.
  function sumRuns({ tree, runs, samples }, images) {
    const times = new Float64Array(runs.bin.length * MODES), counts = new Float64Array(runs.bin.length * MODES);
    for (let run = 0; run < runs.bin.length; run++)
      for (let i = runs.start[run]; i < runs.start[run + 1]; i++) {
        const node = samples.node[i];
        if (images && !images[tree.image[node]])
          continue;
        times[run * MODES + tree.mode[node]] += samples.count[i] * tree.perSample[node];
        counts[run * MODES + tree.mode[node]] += samples.count[i];
      }
    return { times, counts };
  }

  function allRuns(model) {
    model.keptRuns ??= sumRuns(model, null);
    return model.keptRuns;
  }

  // us and samples by domain: columns of bins, with the modes in each.  Selections of
  // domains and modes choose among them, and are most: so the columns are kept.
  function binsOf(model, selection) {
    const { images, lanes, entries, comms } = selection, key = [images, lanes, entries, comms].join("/");
    if (model.keptBins?.key !== key)
      model.keptBins = { key, domains: sumBins(model, selection) };
    return model.keptBins.domains;
  }

  function sumBins(model, selection) {
    const { runs } = model, domains = new Map(), mask = trackMask(model, selection);
    const of = selection.images.every((value) => value) ? allRuns(model) : sumRuns(model, selection.images);
    for (let run = 0; run < runs.bin.length; run++) {
      if (!mask[runs.lane[run]])
        continue;
      const { domain } = model.lanes[model.tracks[runs.lane[run]].lane];
      if (!domains.has(domain))
        domains.set(domain, { times: new Float64Array(model.bins * MODES), counts: new Float64Array(model.bins * MODES) });
      const { times, counts } = domains.get(domain), bin = runs.bin[run];
      for (let mode = 0; mode < MODES; mode++) {
        times[bin * MODES + mode] += of.times[run * MODES + mode];
        counts[bin * MODES + mode] += of.counts[run * MODES + mode];
      }
    }
    return domains;
  }

  // Selected us by entry and by name of thread, where the page has any.
  function sumTracks(model, { from, to }) {
    const { runs } = model;
    const entries = new Float64Array((model.info.entry_names ?? []).length + 1);
    const comms = new Float64Array((model.info.comm_names ?? []).length + 1);
    for (let run = 0; entries.length + comms.length > 2 && run < runs.bin.length; run++) {
      if (runs.bin[run] < from || runs.bin[run] >= to)
        continue;
      const { entry, comm } = model.tracks[runs.lane[run]];
      const { times } = allRuns(model);
      let time = 0;
      for (let mode = 0; mode < MODES; mode++)
        time += times[run * MODES + mode];
      entries[entry] += time;
      comms[comm] += time;
    }
    return { entries, comms };
  }

  // Own and total time of each function; of a recursive call, the outermost counts.
  function functions(model, result) {
    const { tree } = model, frames = model.info.frame_names.length;
    const own = new Float64Array(frames), total = new Float64Array(frames), count = new Float64Array(frames);
    const inside = new Uint32Array(frames); // node at which the outermost one ends
    for (let i = 1, next; i < tree.count; i = next) {
      const frame = tree.frame[i], time = result.total[i];
      next = time ? i + 1 : tree.end[i]; // else nothing below it has any
      if (frame < 0 || !time)
        continue;
      own[frame] += result.own[i];
      if (i < inside[frame])
        continue;
      inside[frame] = tree.end[i];
      total[frame] += time;
      count[frame] += result.totalCount[i];
    }
    return { own, total, count };
  }

  // Callers and callees of a function; frame -1 - d is domain d.
  function relatives(model, result, frame) {
    const { tree } = model;
    const callers = new Map(), callees = new Map();
    const add = (map, key, time) => map.set(key, (map.get(key) || 0) + time);
    let end = 0;
    for (let i = 1; i < tree.count; i++) {
      if (!result.total[i])
        continue;
      const parent = tree.parent[i];
      if (tree.frame[parent] === frame && parent !== 0 && tree.frame[i] !== frame)
        add(callees, tree.frame[i], result.total[i]);
      if (tree.frame[i] !== frame || i < end)
        continue;
      end = tree.end[i];
      add(callers, tree.frame[parent] >= 0 ? tree.frame[parent] : -1 - tree.domain[i], result.total[i]);
    }
    return { callers, callees };
  }

  // Own and total time of one of them, as functions() has it.
  function ofFunction(model, result, frame) {
    const { tree } = model;
    const sums = { own: 0, total: 0, count: 0 };
    let end = 0; // of the outermost one
    for (let i = 1; i < tree.count; i++) {
      if (tree.frame[i] !== frame)
        continue;
      sums.own += result.own[i];
      if (i < end)
        continue;
      end = tree.end[i];
      sums.total += result.total[i];
      sums.count += result.totalCount[i];
    }
    return sums;
  }

  return { create, selectAll, select, sumKinds, kindsInTime, binsOf, sumTracks, functions, ofFunction, relatives, addUp,
           IDLE, NO_MODE, MODES, MODE_NAMES, OTHER_DOMAIN, IDLE_DOMAIN };
})();
