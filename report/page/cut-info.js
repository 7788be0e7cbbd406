// SPDX-License-Identifier: GPL-2.0-or-later
// What a page of the selection says of its session: names of what is selected alone, and
// no sentence with another one.  The verdict of the whole page is left out, unless all
// of it is selected.
const CutInfo = (() => {
  function pick(list, { kept }, skip = 0) {
    return kept.filter((index) => index >= skip).map((index) => list[index - skip]);
  }

  // Names of domains and of threads that are not kept.
  function goneNames(app, numbers) {
    const { domains } = Link.plainNames(app), comms = app.model.info.comm_names ?? [];
    return [...domains.filter((name, i) => numbers.domain.number[i] < 0), ...comms.filter((name, i) => numbers.comm.number[i + 1] < 0)]
      .filter((name) => name !== "");
  }

  function timelineOf({ model, from, to, begin, finish }) {
    const { timeline } = model.info;
    return {
      ...timeline, since_ns: Math.round((model.since + Model.timeOf(model, from)) * 1e3), over_ns: from ? 0 : timeline.over_ns,
      length_ns: Math.round((finish - begin) * 1e3), bins: Math.max(0, Math.min(model.sampled, to) - from),
      slot_over: ((timeline.slot_over ?? 0) + from) % (timeline.slot_bins || 1),
    };
  }

  // All of its time is that of the selected time.
  function sessionOf({ model, brush, own }, domains) {
    const { session } = model.info, { name, isTime, scale } = model.type, all = Math.round(brush.all * scale);
    const unsampled = model.tree.domainNode.reduce((sum, node) => sum + own[node], 0);
    const text = (one) => one.name === null ? String(one.domain) : one.name + " (" + one.domain + ")";
    return {
      ...session, ...(isTime ? { pcpu_time_ns: all, unsampled_ns: Math.round(unsampled * scale) } : {}),
      ...(session.types ? { types: session.types.map((type) => type.name === name ? { ...type, amount: all } : type) } : {}),
      domains: session.domains.filter((one) => domains.includes(text(one))),
    };
  }

  function markersOf({ model, begin, finish }, isSayable) {
    const first = begin * 1e3, last = finish * 1e3;
    return (model.info.markers ?? []).filter(({ from_ns: from, to_ns: to, text }) => to >= first && from < last && isSayable(text))
      .map((marker) => ({ ...marker, from_ns: Math.max(0, marker.from_ns - first), to_ns: Math.max(0, Math.min(marker.to_ns, last) - first) }));
  }

  // Reasons why Xen ran, with the time of what is selected.
  function whyOf(app, numbers) {
    const { model, result, state: { selection } } = app, sums = Model.sumReasons(model, result, selection);
    return pick([null, ...(model.info.why ?? [])], numbers.reason).slice(1).map((row) => {
      const times = sums[model.info.why.indexOf(row)];
      return { ...row, most: null, domains: [], time_ns: Math.round(times.reduce((sum, time) => sum + time, 0) * model.type.scale) };
    });
  }

  // Who waited in what is left of the time, as far as that is known.
  function waitsOf(scope, numbers) {
    const { model, selection } = scope, kept = CutTime.keptWaits(scope, numbers), ns = (time) => Math.round(time * 1e3);
    return Waited.isPart(model, selection) && !Waited.follows(model) ? []
      : Waited.rows(model, selection).filter(({ group }) => kept.includes(group)).map(({ times, ...row }) =>
        ({ ...row, of: numbers.domain.number[row.of], group: kept.indexOf(row.group), known_ns: ns(times.known), runnable_ns: ns(times.runnable),
           capped_ns: ns(times.capped), blocked_ns: ns(times.halted), device_ns: ns(times.device), paused_ns: ns(times.paused) }));
  }

  // What verdicts are found by; without it there are none.
  function findingsOf({ model: { info: { findings } } }, numbers) {
    const renumber = (list, { number }) => list.map((one) => number[one]).filter((one) => one >= 0);
    return findings && { ...findings, spins: renumber(findings.spins, numbers.frame), interrupts: renumber(findings.interrupts, numbers.frame),
                         guests: renumber(findings.guests, numbers.domain) };
  }

  function make(app, scope, numbers, lanes) {
    const { model: { info } } = scope, gone = goneNames(app, numbers), parts = app.views.chosen.kept();
    const domains = pick(info.domain_names, numbers.domain), isSayable = (text) => !gone.some((name) => text.includes(name));
    const isWhole = !parts.length;
    const own = info.profiler_ns ?? [];
    return {
      ...info, session: sessionOf(scope, domains), timeline: timelineOf(scope), lanes,
      filter: [...(info.filter === null || !isSayable(info.filter) ? [] : [info.filter]), ...parts].join(" \u00b7 ") || null,
      notes: info.notes.filter(isSayable),
      profiler_ns: isWhole ? pick(own, numbers.domain) : domains.map(() => 0),
      entry_names: pick(info.entry_names ?? [], numbers.entry, 1), comm_names: pick(info.comm_names ?? [], numbers.comm, 1),
      domain_names: domains, frame_names: pick(info.frame_names, numbers.frame), image_names: pick(info.image_names, numbers.image, 1),
      image_public: pick(info.image_public ?? [], numbers.image, 1),
      verdict: isWhole ? info.verdict : [], why: isWhole && numbers.reason.kept.length === (info.why ?? []).length + 1 ? info.why : whyOf(app, numbers),
      findings: isWhole ? findingsOf(scope, numbers) : undefined, waits: waitsOf(scope, numbers),
      markers: markersOf(scope, isSayable), markers_more: isWhole ? info.markers_more : 0,
    };
  }

  return { make };
})();
