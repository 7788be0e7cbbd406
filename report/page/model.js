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

  function countSamples(tree, samples) {
    for (let i = 0; i < samples.node.length; i++)
      tree.ownCount[samples.node[i]] += samples.count[i];
    let sum = 0;
    for (let i = 0; i < tree.count; i++) {
      tree.perSample[i] = tree.ownCount[i] ? tree.ownTime[i] / tree.ownCount[i] : 0;
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

  function marks(indexes, count) {
    const list = new Uint8Array(count);
    indexes.forEach((index) => { list[index] = 1; });
    return list;
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
      info, frames, tree, runs: data.runs, samples: data.samples, sampleCount,
      ...makeTracks(info), thunks: marks(info.thunks ?? [], info.frame_names.length),
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

  // The nodes whose own samples are selected, apart from time and vCPUs.
  function takenNodes(model, selection) {
    const { tree } = model;
    const taken = new Uint8Array(tree.count);
    for (let i = 1; i < tree.count; i++)
      taken[i] = selection.domains[tree.domain[i]] & selection.modes[tree.mode[i]] & selection.images[tree.image[i]];
    return taken;
  }

  // Samples of each node in the selected time, of these tracks; null: of all.
  function countTime(model, { from, to }, mask) {
    const { tree, runs, samples } = model;
    const counts = new Float64Array(tree.count);
    for (let run = 0; run < runs.bin.length; run++) {
      if ((mask && !mask[runs.lane[run]]) || runs.bin[run] < from || runs.bin[run] >= to)
        continue;
      for (let i = runs.start[run]; i < runs.start[run + 1]; i++)
        counts[samples.node[i]] += samples.count[i];
    }
    return counts;
  }

  // Samples of each node in the selected time, of all tracks, and their sum; kept,
  // since most selections are of something else than time.
  function allInTime(model, { from, to }) {
    const { kept } = model;
    if (kept && kept.from === from && kept.to === to)
      return kept;
    const counts = countTime(model, { from, to }, null);
    let sum = 0;
    for (const count of counts)
      sum += count;
    model.kept = { from, to, counts, sum };
    return model.kept;
  }

  // Of inTime, those that are selected by all else, too.
  function countSelected(model, selection, taken, inTime) {
    const mask = trackMask(model, selection);
    const counts = mask.every((value) => value === 1) ? inTime.slice() : countTime(model, selection, mask);
    for (let i = 0; i < counts.length; i++)
      counts[i] = taken[i] ? counts[i] : 0;
    return counts;
  }

  // What was of node in the selected time: inTime of its samples.
  function timeOf(model, result, node) {
    const { tree } = model;
    return tree.ownCount[node] ? result.inTime[node] * tree.perSample[node] : tree.ownTime[node] * result.part;
  }

  // Time of nodes without samples (idle time that Xen accounted) is spread evenly.
  function select(model, selection) {
    const { tree, info } = model;
    const taken = takenNodes(model, selection);
    const { counts: inTime, sum: samplesInTime } = allInTime(model, selection);
    const counts = countSelected(model, selection, taken, inTime);
    const part = info.diff ? 1 : (selection.to - selection.from) / model.bins;
    const own = new Float64Array(tree.count), total = new Float64Array(tree.count);
    const totalCount = Float64Array.from(counts);
    for (let i = 0; i < tree.count; i++) {
      own[i] = counts[i] * tree.perSample[i];
      if (taken[i] && !tree.ownCount[i])
        own[i] = tree.ownTime[i] * part;
      total[i] = own[i];
    }
    for (let i = tree.count - 1; i > 0; i--) {
      total[tree.parent[i]] += total[i];
      totalCount[tree.parent[i]] += totalCount[i];
    }
    const sides = info.diff ? Compare.totals(model, taken) : null;
    return { taken, counts, inTime, part, own, total, totalCount, sides, all: model.allTime * part, samplesInTime };
  }

  // Of each run its us and samples by mode, of the nodes that are taken; null: all.
  function sumRuns({ tree, runs, samples }, taken) {
    const times = new Float64Array(runs.bin.length * MODES), counts = new Float64Array(runs.bin.length * MODES);
    for (let run = 0; run < runs.bin.length; run++)
      for (let i = runs.start[run]; i < runs.start[run + 1]; i++) {
        const node = samples.node[i];
        if (taken && !taken[node])
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

  // Most selections are of domains, modes and time: a run is of one domain, so what
  // each has by mode is summed up once.
  function runsOf(model, selection, taken) {
    return selection.images.some((value) => !value) ? sumRuns(model, taken) : allRuns(model);
  }

  // Selected us by domain: a column of bins, with the modes in each; and how many
  // samples each bin has.
  function sumBins(model, selection, taken) {
    const { runs } = model, of = runsOf(model, selection, taken);
    const sums = new Map(), counts = new Float64Array(model.bins), mask = trackMask(model, selection);
    for (let run = 0; run < runs.bin.length; run++) {
      const { domain } = model.lanes[model.tracks[runs.lane[run]].lane];
      if (!mask[runs.lane[run]] || !selection.domains[domain])
        continue;
      if (!sums.has(domain))
        sums.set(domain, new Float64Array(model.bins * MODES));
      const column = sums.get(domain), bin = runs.bin[run];
      for (let mode = 0; mode < MODES; mode++) {
        if (!selection.modes[mode])
          continue;
        column[bin * MODES + mode] += of.times[run * MODES + mode];
        counts[bin] += of.counts[run * MODES + mode];
      }
    }
    return { sums, counts };
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

  // The frame that a node's own time belongs to: a thunk's is its caller's.
  function worker(model, node) {
    const { tree, thunks } = model;
    while (thunks[tree.frame[node]] && tree.frame[tree.parent[node]] >= 0 &&
           tree.mode[tree.parent[node]] === tree.mode[node])
      node = tree.parent[node];
    return tree.frame[node];
  }

  // Own and total time of each function; of a recursive call, the outermost counts.
  function functions(model, result) {
    const { tree } = model;
    const frames = model.info.frame_names.length;
    const own = new Float64Array(frames), total = new Float64Array(frames), count = new Float64Array(frames);
    const inside = new Uint32Array(frames); // node at which the outermost one ends
    let folded = 0; // own time of thunks
    for (let i = 1; i < tree.count; i++) {
      const frame = tree.frame[i];
      if (frame < 0 || !result.total[i])
        continue;
      const owner = model.thunks[frame] ? worker(model, i) : frame;
      own[owner] += result.own[i];
      folded += owner === frame ? 0 : result.own[i];
      if (i < inside[frame])
        continue;
      inside[frame] = tree.end[i];
      total[frame] += result.total[i];
      count[frame] += result.totalCount[i];
    }
    return { own, total, count, folded };
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

  return { create, selectAll, select, timeOf, sumBins, sumTracks, functions, ofFunction, relatives,
           IDLE, NO_MODE, MODES, MODE_NAMES, OTHER_DOMAIN, IDLE_DOMAIN };
})();
