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
  }

  function countSamples(tree, samples) {
    for (let i = 0; i < samples.node.length; i++)
      tree.ownCount[samples.node[i]] += samples.count[i];
    for (let i = 0; i < tree.count; i++)
      tree.perSample[i] = tree.ownCount[i] ? tree.ownTime[i] / tree.ownCount[i] : 0;
  }

  function makeLanes(info) {
    const lanes = [];
    for (let i = 0; i < info.lanes.length; i += 2)
      lanes.push({ domain: info.lanes[i], vcpu: info.lanes[i + 1] });
    return lanes;
  }

  function create(data) {
    const { info, frames } = data;
    const tree = makeTree(data);
    const binTime = info.timeline.bin_ns / 1e3;
    const length = Math.max(info.timeline.length_ns / 1e3, binTime);
    countSamples(tree, data.samples);
    return {
      info, frames, tree, runs: data.runs, samples: data.samples,
      lanes: makeLanes(info),
      binTime, length,
      bins: Math.max(info.timeline.bins, Math.ceil(length / binTime)),
      allTime: info.diff ? Compare.WHOLE : info.session.pcpu_time_ns / 1e3,
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

  function countSelected(model, selection, taken) {
    const { tree, runs, samples } = model;
    const counts = new Float64Array(tree.count);
    for (let run = 0; run < runs.bin.length; run++) {
      if (!selection.lanes[runs.lane[run]] || runs.bin[run] < selection.from || runs.bin[run] >= selection.to)
        continue;
      for (let i = runs.start[run]; i < runs.start[run + 1]; i++)
        counts[samples.node[i]] += samples.count[i];
    }
    for (let i = 0; i < tree.count; i++)
      counts[i] = taken[i] ? counts[i] : 0;
    return counts;
  }

  // Time of nodes without samples (idle time that Xen accounted) is spread evenly.
  function select(model, selection) {
    const { tree, info } = model;
    const taken = takenNodes(model, selection);
    const counts = countSelected(model, selection, taken);
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
    return { taken, counts, own, total, totalCount, sides, all: model.allTime * part };
  }

  // Selected us by domain: a column of bins, with the modes in each.
  function sumBins(model, selection, taken) {
    const { tree, runs, samples } = model;
    const sums = new Map();
    for (let run = 0; run < runs.bin.length; run++) {
      const { domain } = model.lanes[runs.lane[run]];
      if (!selection.lanes[runs.lane[run]] || !selection.domains[domain])
        continue;
      if (!sums.has(domain))
        sums.set(domain, new Float32Array(model.bins * MODES));
      const column = sums.get(domain), base = runs.bin[run] * MODES;
      for (let i = runs.start[run]; i < runs.start[run + 1]; i++) {
        const node = samples.node[i];
        if (taken[node])
          column[base + tree.mode[node]] += samples.count[i] * tree.perSample[node];
      }
    }
    return sums;
  }

  // Own and total time of each function; of a recursive call, the outermost counts.
  function functions(model, result) {
    const { tree } = model;
    const frames = model.info.frame_names.length;
    const own = new Float64Array(frames), total = new Float64Array(frames), count = new Float64Array(frames);
    const inside = new Uint32Array(frames); // node at which the outermost one ends
    for (let i = 1; i < tree.count; i++) {
      const frame = tree.frame[i];
      if (frame < 0 || !result.total[i])
        continue;
      own[frame] += result.own[i];
      if (i < inside[frame])
        continue;
      inside[frame] = tree.end[i];
      total[frame] += result.total[i];
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

  return { create, selectAll, select, sumBins, functions, relatives,
           IDLE, NO_MODE, MODES, MODE_NAMES, OTHER_DOMAIN, IDLE_DOMAIN };
})();
