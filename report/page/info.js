// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of the session, and its losses, which are never hidden.
const Info = (() => {
  // How sure the answer is; the other rows come last, unless they alarm.
  const FIRST = new Set(["length", "samples", "lost", "sampled less", "chains", "the profiler took", "expired", "filter", "samples are of"]);

  const CAUSES = {
    queue: "the pCPU's queue between the halves was full", ring: "a ring was full: the reader was too slow",
    stopped: "after the stop", daemon: "dom0 could not decode or store it", waiting: "of vCPUs that waited",
    unreadable: "the session is damaged there",
  };

  const STATES = { closed: "", open: ", still open", cut: ", not closed", part: ", not closed" };

  function utc(time) {
    return time.slice(0, 19).replace("T", " ") + " UTC";
  }

  function isCut({ state }) {
    return state === "cut" || state === "part";
  }

  function lossText(session) {
    const causes = Object.entries(session.lost_by_cause).filter(([, count]) => count > 0);
    return causes.map(([cause, count]) => Text.count(count) + ": " + (CAUSES[cause] || cause)).join("\n");
  }

  // Each domain's ends of chains, in Xen and in its kernel, where there are any.
  function endRows(session) {
    return session.domains.flatMap((domain) => Object.entries(domain.chains || {}).map(([mode, ends]) => ({
      name: domain.name + " (" + domain.domain + ")", mode, ends: Object.entries(ends || {}),
      all: Object.values(ends || {}).reduce((sum, count) => sum + count, 0),
    }))).filter((row) => row.all > 0);
  }

  function endsText(session, { name, mode, ends, all }) {
    const shares = ends.filter(([, count]) => count > 0)
      .map(([end, count]) => Text.percent(count, all) + " " + session.chain_ends[end].text);
    return name + ", " + Text.count(all) + " in " + mode + ": " + shares.join(", ");
  }

  // How complete chains are: the share of whole chains, with all ends as a hint,
  // and what can be done about the others.
  function chainRows(session) {
    const rows = endRows(session);
    const all = rows.reduce((sum, row) => sum + row.all, 0);
    const whole = rows.reduce((sum, row) => sum + row.ends.find(([end]) => end === "root")[1], 0);
    if (all === 0)
      return [];
    return [["chains", Text.percent(whole, all) + " reached their root", whole < all / 2,
             rows.map((row) => endsText(session, row)).join("\n")]]
      .concat(Object.values(session.chain_ends).filter((end) => end.remedy !== null)
        .map((end) => ["chains that " + end.text, end.remedy]));
  }

  function kernelText(kernel) {
    if (kernel.missing !== null)
      return "not found: " + kernel.missing;
    return [kernel.release ?? "release not known", kernel.base ? "at " + kernel.base : ""].filter(Boolean).join(" ");
  }

  function kernelHint(kernel) {
    return Object.entries(kernel).filter(([key, value]) => key !== "missing" && value !== null)
      .map(([key, value]) => key.replaceAll("_", " ") + ": " + value).join("\n");
  }

  function kernelRows(session) {
    return session.domains.filter((domain) => domain.kernel)
      .map((domain) => ["kernel of " + (domain.name ?? domain.domain), kernelText(domain.kernel),
                        domain.kernel.missing !== null, kernelHint(domain.kernel)]);
  }

  // What the profiler itself took, in Xen, in dom0 and in guests.
  function costRows(session) {
    const { xen_ns: xen, daemon_ns: daemon, processes_ns: processes, dom0_ns: dom0, guests_ns: guests } = session.cost;
    const share = (time) => Text.percent(time, session.pcpu_time_ns);
    const more = (dom0 > daemon + processes ? "; with xenopctl, opagent and others " + share(dom0) + " of dom0's, by samples" : "") +
      (guests ? "; of guests', " + share(guests) + " opagent" : "");
    if (daemon === null && !dom0)
      return xen ? [["the profiler took", share(xen) + " in Xen", false,
                     "what xenoprofd took is part of dom0's time, and not in this session"]] : [];
    return [["the profiler took", share(xen + dom0 + guests), false,
             share(xen) + " in Xen; of dom0's time, " + share(daemon ?? 0) + " xenoprofd and " + share(processes ?? 0) +
             " its processes" + more]];
  }

  // How much of the time an event was counted, if others had turns.
  function countedText({ turns, running_ns: running, enabled_ns: enabled }) {
    const part = enabled > 0 ? running / enabled : turns > 1 ? 1 / turns : 1;
    return part < 1 ? ", counted " + Text.percent(part, 1) + " of the time, scaled" : "";
  }

  // When samples were taken less often, and why: they stand for more time then.
  function slowRows({ slowed }) {
    const text = ({ from_ns: from, to_ns: to, frequency, why }) => (frequency === null ? "" : "to " + frequency + " Hz ") +
      "from " + Text.time(from / 1e3) + (to === null ? " on" : " to " + Text.time(to / 1e3)) + " (" + why + ")";
    if (!slowed)
      return [];
    const more = slowed.length > 4 ? "; and " + (slowed.length - 4) + " times more" : "";
    return [["sampled less", slowed.slice(0, 4).map(text).join("; ") + more, false,
             "each sample stands for more time then, so shares stay right"]];
  }

  // What else the session has, unless that is time alone.
  function typeRows(model) {
    const types = model.info.session.types ?? [], timed = (one) => one.unit === "ns";
    const text = (one) => one.name + " " + (timed(one) ? Text.time(one.amount / 1e3) : Types.short(one.amount)) +
      (one.name === model.type.name ? " (shown)" : "") + countedText(one);
    if (!types.length)
      return [];
    const events = !types.some((one) => one.name === "time" && one.samples);
    return [["samples are of", types.map(text).join("; ") + (events ? "; none is of time" : ""), false,
             "shares are of " + model.type.whole]];
  }

  function rows(model) {
    const { info } = model;
    const { session } = info;
    if (info.diff)
      return Compare.info(model).concat(info.filter === null ? [] : [["filter", info.filter]]);
    const made = [
      ["length", Text.time(session.duration_ns / 1e3) + STATES[session.state]],
      ["sampler", [session.sampler, session.frequency ? session.frequency + " Hz on each pCPU" : ""]
        .filter(Boolean).join(", ") || "not known"],
      ...slowRows(session),
      ["pCPUs", session.pcpus ?? "not known"],
      ["100 %", model.type.amount(model.allTime) + (model.type.isTime ? " of pCPU time" : "")],
      ...typeRows(model),
      ["samples", Text.count(session.read)],
      ["lost", Text.count(session.lost) + " (" + Text.percent(session.lost, session.made) + ")",
       session.lost > 0, lossText(session)],
      ["missed", Text.count(session.missed) + " of " + Text.count(session.due) + " ticks", false,
       Text.count(session.missed_idle) + " of them because the pCPU had gone idle"],
    ];
    made.push(...costRows(session));
    if (session.expired > 0)
      made.push(["expired", Text.count(session.expired) + " (--max-size, --max-age)", false,
                 "they were read, and dropped since for newer ones"]);
    if (info.filter !== null)
      made.push(["filter", info.filter]);
    if (session.unsampled_ns > 0)
      made.push(["without sample", Text.time(session.unsampled_ns / 1e3) + " of work, shown without a mode"]);
    if (session.payloads !== null && session.payloads !== undefined)
      made.push(["other livepatches", session.payloads, false, "chains that come to their code end there"]);
    return made.concat(chainRows(session), kernelRows(session));
  }

  function notes(info) {
    const { session } = info;
    const cut = isCut(session)
      ? ["not closed: cut short or killed, last sample " + (session.end ? utc(session.end) : "not known")] : [];
    const all = cut.concat(info.notes, session.damage.map((one) => "damaged: " + one));
    if (session.torn_bytes > 0)
      all.push(session.torn_bytes + " bytes at the end are not a whole block" + (session.state === "open" ? " yet" : ": what was in it is lost"));
    return all;
  }

  function put(id, rows) {
    document.getElementById(id).replaceChildren(...rows.map(([term, value, alarm, title]) => {
      const row = Lists.element("div", { className: alarm ? "alarm" : "", title: title || "" });
      row.append(Lists.element("dt", { textContent: term }), Lists.element("dd", {}, Lists.isolated(String(value))));
      return row;
    }));
  }

  function show(model) {
    const { session } = model.info;
    const { diff } = model.info;
    document.getElementById("name").replaceChildren(Lists.isolated(model.info.title));
    const parts = [session.host, session.xen_version ? "Xen " + session.xen_version : "",
      session.start ? utc(session.start) : "", session.program]
      .filter(Boolean).map((part) => Lists.isolated(part));
    document.getElementById("host").replaceChildren(...parts.flatMap((part, at) => at ? ["  \u00b7  ", part] : part));
    const all = rows(model), first = (row) => diff || row[2] || FIRST.has(row[0]);
    put("info", all.filter(first));
    put("facts", all.filter((row) => !first(row)));
    document.getElementById("more").hidden = Boolean(diff);
    const lines = notes(model.info);
    const box = document.getElementById("notes");
    box.hidden = lines.length === 0;
    box.replaceChildren(...lines.map((line) => Lists.element("p", {}, Lists.isolated(line))));
  }

  return { show };
})();
