// SPDX-License-Identifier: GPL-2.0-or-later
// The page's data of what is selected, as if the rest had never been read: nodes below
// which something is selected, their samples, and numbers of frames, images, domains and
// the like anew.  What vCPUs ran is shared out as before, so samples of them that are not
// selected stand at node 0, without a name, as those that a filter turned down.
const Cut = (() => {
  const IDLE = 3; // a mode

  // Those of a list that are used, and the new number of each; -1: it is gone.
  function numberUsed(count, used) {
    const number = new Int32Array(count).fill(-1), kept = [];
    for (let i = 0; i < count; i++)
      if (used[i])
        number[i] = kept.push(i) - 1;
    return { number, kept };
  }

  function numberAll(count, indexes) {
    const used = new Uint8Array(count);
    for (const index of indexes)
      used[index] = 1;
    return numberUsed(count, used);
  }

  // What all parts need to know of the selection.
  function makeScope(app) {
    const { model, result: { brush, own, ownCount }, state: { selection } } = app, { binTime, columns } = model, { first, end } = Saved.part(app);
    const { from, to } = selection, mask = Model.trackMask(model, selection);
    // Idle time usually is not selected, but a page of all there is has it.
    const withIdle = !app.views.chosen.kept().length, isIdle = (node) => withIdle && model.tree.mode[node] === IDLE;
    const takes = (node) => (columns.taken[node] || isIdle(node)) && node >= first && node < end;
    const cut = (column, idle) => column.map((value, node) => !takes(node) ? 0 : isIdle(node) ? idle[node] : value);
    return {
      model, selection, brush, mask, takes, from, to, begin: from * binTime, finish: Math.min(to * binTime, model.length),
      own: cut(own, brush.times), count: cut(ownCount, brush.counts),
    };
  }

  function cutTree({ model: { tree }, own, count }) {
    const used = new Uint8Array(tree.count);
    for (let node = tree.count - 1; node > 0; node--)
      if (used[node] || own[node] > 0 || count[node] > 0)
        used[node] = used[tree.parent[node]] = 1;
    used[0] = 1;
    return numberUsed(tree.count, used);
  }

  // Lanes that have a selected sample.
  function liveLanes({ model, brush, mask, takes }) {
    const { runs, samples, tracks } = model, live = new Uint8Array(model.lanes.length);
    for (let run = brush.first; run < brush.last; run++)
      for (let i = runs.start[run]; mask[runs.lane[run]] && i < runs.start[run + 1]; i++)
        if (takes(samples.node[i]))
          live[tracks[runs.lane[run]].lane] = 1;
    return live;
  }

  // Tracks in the order of their first sample: an old one, or that of what is not named.
  function makeTracks() {
    const known = new Map(), kept = [];
    const of = (key, track) => known.get(key) ?? known.set(key, kept.push(track) - 1).get(key);
    return { kept, of: (track) => of(track, { track }), rest: (lane) => of("rest " + lane, { lane }) };
  }

  function putRun(to, bin, lane, entries) {
    if (!entries.length)
      return;
    to.runs.bin.push(bin);
    to.runs.lane.push(lane);
    for (const [node, count] of entries) {
      to.samples.node.push(node);
      to.samples.count.push(count);
    }
    to.runs.start.push(to.samples.node.length);
  }

  // Runs of samples; of each bin, what is not named comes last.
  function cutRuns(scope, nodes, live) {
    const { model: { runs, samples, tracks, tree, account }, brush, mask, takes, from } = scope;
    const to = { runs: { bin: [], lane: [], start: [0] }, samples: { node: [], count: [] } }, kept = makeTracks();
    let rest = new Map();
    for (let run = brush.first; run < brush.last; run++) {
      const { lane } = tracks[runs.lane[run]], entries = [];
      let left = 0;
      for (let i = runs.start[run]; i < runs.start[run + 1]; i++) {
        const node = samples.node[i], count = samples.count[i];
        if (mask[runs.lane[run]] && takes(node))
          entries.push([nodes.number[node], count]);
        else if (tree.mode[node] !== IDLE)
          left += count;
      }
      if (entries.length)
        putRun(to, runs.bin[run] - from, kept.of(runs.lane[run]), entries);
      if (left && account && live[lane])
        rest.set(lane, (rest.get(lane) ?? 0) + left);
      if (run + 1 < brush.last && runs.bin[run + 1] === runs.bin[run])
        continue;
      for (const [of, count] of rest)
        putRun(to, runs.bin[run] - from, kept.rest(of), [[0, count]]);
      rest = new Map();
    }
    return { ...to, tracks: kept.kept };
  }

  // Which of each list the kept nodes and tracks are of.
  function makeNumbers({ model }, nodes, tracks) {
    const { tree, info, frames } = model, frame = numberAll(info.frame_names.length, nodes.kept.map((node) => tree.frame[node]).filter((one) => one >= 0));
    const olds = tracks.filter(({ track }) => track !== undefined).map(({ track }) => model.tracks[track]);
    const lanes = new Set([...olds.map(({ lane }) => lane), ...tracks.filter(({ lane }) => lane !== undefined).map(({ lane }) => lane)]);
    const ofTracks = (list, key) => numberAll((list ?? []).length + 1, [0, ...olds.map((track) => track[key])]);
    return {
      frame, image: numberAll(info.image_names.length + 1, [0, ...frame.kept.map((one) => frames.image[one])]),
      domain: numberAll(info.domain_names.length, [Model.OTHER_DOMAIN, Model.IDLE_DOMAIN, ...[...lanes].map((lane) => model.lanes[lane].domain),
        ...nodes.kept.slice(1).map((node) => tree.domain[node])]),
      entry: ofTracks(info.entry_names, "entry"), comm: ofTracks(info.comm_names, "comm"), reason: ofTracks(info.why, "reason"),
    };
  }

  function nodeColumns({ model: { tree }, own }, { kept }, numbers) {
    return {
      up: kept.slice(1).map((node, i) => tree.depth[kept[i]] + 1 - tree.depth[node]),
      value: kept.slice(1).map((node) => tree.frame[node] >= 0 ? numbers.frame.number[tree.frame[node]] : numbers.domain.number[tree.domain[node]]),
      time: kept.slice(1).map((node) => Math.round(own[node])),
    };
  }

  // Rows of info.lanes.
  function laneNumbers({ model }, tracks, numbers) {
    return tracks.flatMap(({ track, lane }) => {
      const { entry = 0, comm = 0, reason = 0, lane: of = lane } = model.tracks[track] ?? {}, { domain, vcpu } = model.lanes[of];
      return [numbers.domain.number[domain], vcpu, numbers.entry.number[entry], numbers.comm.number[comm], numbers.reason.number[reason]];
    });
  }

  // Data as decode.js has it.
  function make(app) {
    const scope = makeScope(app), { frames } = app.model, nodes = cutTree(scope), live = liveLanes(scope);
    const { runs, samples, tracks } = cutRuns(scope, nodes, live), numbers = makeNumbers(scope, nodes, tracks);
    return {
      frames: { image: numbers.frame.kept.map((frame) => numbers.image.number[frames.image[frame]]),
                mode: numbers.frame.kept.map((frame) => frames.mode[frame]) },
      nodes: nodeColumns(scope, nodes, numbers), runs, samples,
      ...CutTime.make(scope, live, numbers), info: CutInfo.make(app, scope, numbers, laneNumbers(scope, tracks, numbers)),
    };
  }

  return { make };
})();
