// SPDX-License-Identifier: GPL-2.0-or-later
// What is selected for Firefox Profiler, with the fields of --export=firefox: a domain is a
// process, a vCPU is a thread, and a sample weighs what it stands for.  Samples of a bin
// are spread over it.
const SaveFirefox = (() => {
  const VERSION = 60, VERSION_GECKO = 24, LIBRARY = 1; // report/export/export-firefox.c
  const CATEGORIES = [["Xen", "orange"], ["Kernel", "blue"], ["User", "green"], ["Other", "grey"]]; // by mode
  const OTHER = 3;

  const ns = (us) => Math.round(us * 1e3) / 1e6; // ms, to the ns

  // Rows of a table as columns.
  function table(rows, names) {
    return { ...Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name] ?? null)])), length: rows.length };
  }

  // Rows by a key: the number of one, which is made when it is first asked for.
  function numbered(make) {
    const known = new Map(), rows = [];
    const of = (key) => {
      if (!known.has(key)) {
        const row = make(key);
        known.set(key, rows.push(row) - 1);
      }
      return known.get(key);
    };
    return { rows, of };
  }

  // What threads share: frames are functions.  A node is a stack, one of a domain what has
  // no sample.
  function makeShared({ model }) {
    const { tree, frames } = model;
    const texts = numbered((text) => text);
    const images = numbered((image) => ({ name: texts.of(model.imageName(image)), type: LIBRARY }));
    const functions = numbered((frame) => {
      const image = frames.image[frame] ?? 0;
      return { name: texts.of(frame < 0 ? Saved.NOT_SAMPLED : model.frameName(frame)), resource: image ? images.of(image) : -1,
               isJS: false, relevantForJS: false };
    });
    const codes = numbered((frame) => ({ func: functions.of(frame), category: Math.min(OTHER, frames.mode[frame] ?? OTHER),
                                         subcategory: 0, address: -1, inlineDepth: 0 }));
    const stacks = numbered((node) => {
      const parent = tree.parent[node], isInner = tree.frame[node] >= 0 && tree.frame[parent] >= 0;
      return { prefix: isInner ? stacks.of(parent) : null, frame: codes.of(tree.frame[node]) };
    });
    return { texts, images, functions, codes, stacks };
  }

  function sharedJson({ texts, images, functions, codes, stacks }) {
    return {
      stackTable: table(stacks.rows, ["frame", "prefix"]),
      frameTable: table(codes.rows, ["func", "category", "subcategory", "line", "address", "inlineDepth", "nativeSymbol", "innerWindowID", "column"]),
      funcTable: table(functions.rows, ["name", "resource", "isJS", "relevantForJS", "source", "lineNumber", "columnNumber"]),
      resourceTable: table(images.rows, ["name", "lib", "host", "type"]),
      nativeSymbols: table([], ["libIndex", "address", "name", "functionSize"]),
      sources: table([], ["uuid", "filename"]),
      stringArray: texts.rows,
    };
  }

  // Samples by thread: those of a vCPU, and those of a domain that no vCPU is known of.
  function collect(app, { stacks }) {
    const { model } = app, { tree, tracks, lanes } = model, threads = new Map();
    Saved.forSamples(app, (node, track, bin, time) => {
      const domain = tree.domain[node], lane = track < 0 ? -1 : tracks[track].lane, key = domain + "/" + lane;
      if (!threads.has(key))
        threads.set(key, { domain, vcpu: lane < 0 ? null : lanes[lane].vcpu, samples: [] });
      const { samples } = threads.get(key);
      samples.push({ stack: stacks.of(node), bin, time });
    });
    for (const { samples } of threads.values())
      spread(model, samples);
    return [...threads.values()].sort((a, b) => a.domain - b.domain || (a.vcpu ?? Infinity) - (b.vcpu ?? Infinity));
  }

  // Those of a bin lie in it one after the other.
  function spread(model, samples) {
    for (let i = 0, end; i < samples.length; i = end) {
      const { bin } = samples[i], begin = Model.timeOf(model, bin), wide = Model.timeOf(model, bin + 1) - begin;
      for (end = i + 1; end < samples.length && samples[end].bin === bin;)
        end++;
      for (let at = i; at < end; at++)
        samples[at].at = model.since + begin + wide * (at - i) / (end - i);
    }
  }

  function samplesJson({ type }, samples) {
    const timed = type.scale !== 1;
    return {
      weightType: timed ? "tracing-ms" : "samples",
      stack: samples.map(({ stack }) => stack), time: samples.map(({ at }) => ns(at)),
      weight: samples.map(({ time }) => timed ? ns(time) : Math.round(time)),
      ...(timed ? { threadCPUDelta: samples.map(({ time }) => Math.round(time * 1e3)) } : {}), length: samples.length,
    };
  }

  function threadJson(app, { domain, vcpu, samples }, isFirst) {
    const { model } = app, name = Link.plainNames(app).domains[domain];
    return {
      processType: "default", processStartupTime: 0, processShutdownTime: null, registerTime: 0, unregisterTime: null, pausedRanges: [],
      name: name + (vcpu === null ? "" : " v" + vcpu), isMainThread: isFirst, processName: model.info.domain_names[domain],
      pid: String(domain), tid: domain + "-" + (vcpu ?? "none"), samples: samplesJson(model, samples),
      markers: table([], ["name", "data", "startTime", "endTime", "phase", "category"]),
    };
  }

  function metaJson(app) {
    const { model, state: { selection } } = app, at = (bin) => (model.since + Model.timeOf(model, bin)) / 1e3;
    return {
      product: "xenoprof", importedFrom: "xenoprof", preprocessedProfileVersion: VERSION, version: VERSION_GECKO, processType: 0,
      stackwalk: 1, logicalCPUs: model.info.session.pcpus ?? 0, interval: model.binTime / 1e3, startTime: Saved.start(app),
      profilingStartTime: at(selection.from), profilingEndTime: at(selection.to) + 1,
      sampleUnits: { time: "ms", eventDelay: "ms", threadCPUDelta: "ns" },
      symbolicated: true, symbolicationNotSupported: true, usesOnlyOneStackType: true, sourceCodeIsNotOnSearchfox: true,
      keepProfileThreadOrder: true, markerSchema: [],
      categories: CATEGORIES.map(([name, color]) => ({ name, color, subcategories: ["Other"] })),
      extra: [{ label: "xenoprof", entries: Saved.comments(app).map(([label, value]) => ({ label, format: "string", value })) }],
    };
  }

  function make(app) {
    const shared = makeShared(app), threads = collect(app, shared);
    const isFirst = (i) => threads[i - 1]?.domain !== threads[i].domain;
    return [JSON.stringify({ meta: metaJson(app), libs: [], threads: threads.map((thread, i) => threadJson(app, thread, isFirst(i))),
                             counters: [], shared: sharedJson(shared) })];
  }

  return { make };
})();
