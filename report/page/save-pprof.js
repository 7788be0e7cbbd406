// SPDX-License-Identifier: GPL-2.0-or-later
// What is selected as pprof, with the labels of --export=pprof.  It has no times: what is
// alike in stack and labels is one sample.  Field numbers are those of
// report/export/pprof-fields.h.
const SavePprof = (() => {
  const PROFILE = { type: 1, sample: 2, mapping: 3, location: 4, function: 5, text: 6, time: 9, duration: 10, periodType: 11,
                    comment: 13, usual: 14 };
  const SAMPLE = { location: 1, value: 2, label: 3 };
  const MAPPING = { id: 1, file: 5, hasFunctions: 7 };
  const LOCATION = { id: 1, mapping: 2, line: 4 };
  const FUNCTION = { id: 1, name: 2, system: 3 };

  // Numbers of texts; 0 is "".
  function makeTexts() {
    const known = new Map([["", 0]]);
    return { known, of: (text) => known.get(text) ?? known.set(text, known.size).size - 1 };
  }

  // What is of one node and of one track: us or events, and samples.
  function sumSamples(app) {
    const sums = new Map(), tracks = app.model.tracks.length + 1;
    Saved.forSamples(app, (node, track, bin, time, count) => {
      const key = node * tracks + track + 1, sum = sums.get(key);
      if (!sum)
        sums.set(key, { node, track, time, count });
      else {
        sum.time += time;
        sum.count += count;
      }
    });
    return [...sums.values()];
  }

  // Labels of samples, by name.
  function makeLabels(app) {
    const { model, model: { tree, tracks, lanes, info } } = app, names = Link.plainNames(app);
    const ofTrack = (track) => {
      const { lane, entry, comm } = tracks[track];
      return { vcpu: String(lanes[lane].vcpu), entry: names.entries[entry], process: names.comms[comm] };
    };
    const ofTracks = tracks.map((none, track) => ofTrack(track));
    return ({ node, track }) => {
      const domain = tree.domain[node], [, domid] = info.domain_names[domain].match(/ \((\d+)\)$/) ?? [];
      return { domain: names.domains[domain], domid, mode: names.modes[model.tree.mode[node]], ...ofTracks[track] };
    };
  }

  // The same as messages; many samples have the same.
  function packLabels(app, texts) {
    const { tree } = app.model, labelsOf = makeLabels(app), known = new Map();
    return (sample) => {
      const key = [tree.domain[sample.node], tree.mode[sample.node], sample.track].join("/");
      if (!known.has(key)) {
        const packed = new Protobuf();
        for (const [name, value] of Object.entries(labelsOf(sample)))
          if (value)
            packed.message(SAMPLE.label, new Protobuf().number(1, texts.of(name)).number(2, texts.of(value)));
        known.set(key, packed.bytes);
      }
      return known.get(key);
    };
  }

  function putSamples(app, profile, texts) {
    const { tree, type } = app.model, labelsOf = packLabels(app, texts), used = new Set();
    for (const sample of sumSamples(app)) {
      const message = new Protobuf(), frames = Saved.frames(tree, sample.node).reverse();
      frames.forEach((frame) => used.add(frame));
      message.packed(SAMPLE.location, frames.map((frame) => frame + 2));
      message.packed(SAMPLE.value, [sample.count, Math.round(sample.time * type.scale)]);
      message.raw(labelsOf(sample));
      profile.message(PROFILE.sample, message);
    }
    return used;
  }

  // Functions and locations are frames' numbers and 2: 1 is what has no sample.
  function putFrames({ model }, profile, texts, used) {
    const images = new Set();
    for (const frame of used) {
      const image = model.frames.image[frame] ?? 0, name = texts.of(frame < 0 ? Saved.NOT_SAMPLED : model.frameName(frame));
      const line = new Protobuf().number(1, frame + 2);
      images.add(image);
      profile.message(PROFILE.location, new Protobuf().number(LOCATION.id, frame + 2).number(LOCATION.mapping, image).message(LOCATION.line, line));
      profile.message(PROFILE.function, new Protobuf().number(FUNCTION.id, frame + 2).number(FUNCTION.name, name).number(FUNCTION.system, name));
    }
    images.delete(0);
    for (const image of images)
      profile.message(PROFILE.mapping, new Protobuf().number(MAPPING.id, image).number(MAPPING.file, texts.of(model.imageName(image)))
        .number(MAPPING.hasFunctions, 1));
  }

  function makeProfile(app) {
    const { model, result: { brush }, state: { selection } } = app, { name, scale } = model.type;
    const profile = new Protobuf(), texts = makeTexts(), unit = scale === 1 ? "count" : "nanoseconds";
    const type = (...words) => words.reduce((message, word, i) => message.number(i + 1, texts.of(word)), new Protobuf());
    profile.message(PROFILE.type, type("samples", "count")).message(PROFILE.type, type(name, unit));
    putFrames(app, profile, texts, putSamples(app, profile, texts));
    const since = model.since + Model.timeOf(model, selection.from);
    profile.number(PROFILE.time, Saved.start(app) && Saved.start(app) * 1e6 + Math.round(since * 1e3));
    profile.number(PROFILE.duration, Math.round((brush.to - brush.from) * 1e3));
    profile.message(PROFILE.periodType, type(name, unit)).number(PROFILE.usual, texts.of(name));
    for (const [key, value] of Saved.comments(app))
      profile.varint(PROFILE.comment * 8).varint(texts.of(key + ": " + value));
    for (const text of texts.known.keys())
      profile.text(PROFILE.text, text);
    return profile.bytes;
  }

  function make(app) {
    return Files.pack("gzip", makeProfile(app));
  }

  return { make };
})();
