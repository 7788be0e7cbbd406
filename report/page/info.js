// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of the session, and its losses, which are never hidden.
const Info = (() => {
  const CAUSES = {
    queue: "the pCPU's queue between the halves was full", ring: "a ring was full: the reader was too slow",
    stopped: "after the stop", daemon: "dom0 could not decode or store it", unreadable: "the session is damaged there",
  };

  function lossText(session) {
    const causes = Object.entries(session.lost_by_cause).filter(([, count]) => count > 0);
    return causes.map(([cause, count]) => Text.count(count) + ": " + (CAUSES[cause] || cause)).join("\n");
  }

  const ENDS = {
    root: "reached their root", xen: "ended in code of Xen without a row", window: "went beyond the window",
    page: "came to a page that is not there", rule: "came to code without an unwind row",
    nonsense: "met a stack that makes no sense", kernel: "are of a kernel that was not found",
    guest: "lack the guest, whose state could not be read", moved: "lack the guest, which had moved",
    untold: "ended early", search: "are of a kernel that was not found in time", spool: "found the spool full",
    spent: "are of a guest that had used up its processor time",
    banned: "are of a guest whose memory ended too many processes", walker: "got no answer from their walker",
    keeper: "were taken while no kernel could be looked for",
    stacks: "are of a guest that had used up its share of stacks",
  };

  function endsText(domain, mode, ends) {
    const all = Object.values(ends).reduce((sum, count) => sum + count, 0);
    const shares = Object.entries(ends).filter(([, count]) => count > 0)
      .map(([end, count]) => Text.percent(count, all) + " " + (ENDS[end] || end));
    return domain.name + " (" + domain.domain + "), " + Text.count(all) + " in " + mode + ": " + shares.join(", ");
  }

  // How complete chains are: the share of whole chains, with all ends as a hint.
  function chainRows(session) {
    const lines = [];
    let whole = 0;
    let all = 0;
    for (const domain of session.domains)
      for (const [mode, ends] of Object.entries(domain.chains || {})) {
        const sum = ends === null ? 0 : Object.values(ends).reduce((total, count) => total + count, 0);
        if (sum === 0)
          continue;
        all += sum;
        whole += ends.root;
        lines.push(endsText(domain, mode, ends));
      }
    return all === 0 ? [] : [["chains", Text.percent(whole, all) + " reached their root", false, lines.join("\n")]];
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

  function rows(model) {
    const { info } = model;
    const { session } = info;
    if (info.diff)
      return Compare.info(model).concat(info.filter === null ? [] : [["filter", info.filter]]);
    const made = [
      ["length", Text.time(session.duration_ns / 1e3) + (session.open ? ", still open" : "")],
      ["sampler", [session.sampler, session.frequency ? session.frequency + " Hz on each pCPU" : ""]
        .filter(Boolean).join(", ") || "not known"],
      ["pCPUs", session.pcpus ?? "not known"],
      ["100 %", Text.time(model.allTime) + " of pCPU time"],
      ["samples", Text.count(session.read)],
      ["lost", Text.count(session.lost) + " (" + Text.percent(session.lost, session.made) + ")",
       session.lost > 0, lossText(session)],
      ["missed", Text.count(session.missed) + " of " + Text.count(session.due) + " ticks", false,
       Text.count(session.missed_idle) + " of them because the pCPU had gone idle"],
    ];
    if (info.filter !== null)
      made.push(["filter", info.filter]);
    if (session.unsampled_ns > 0)
      made.push(["without sample", Text.time(session.unsampled_ns / 1e3) + " of work, shown as other"]);
    if (session.payloads !== null && session.payloads !== undefined)
      made.push(["other livepatches", session.payloads, false, "chains that come to their code end there"]);
    return made.concat(chainRows(session), kernelRows(session));
  }

  function notes(info) {
    const { session } = info;
    const all = info.notes.concat(session.damage.map((one) => "damaged: " + one));
    if (session.torn_bytes > 0)
      all.push(session.torn_bytes + " bytes at the end are not a whole block" + (session.open ? " yet" : ""));
    return all;
  }

  function show(model) {
    const { session } = model.info;
    const { diff } = model.info;
    document.getElementById("functions-title").textContent = diff ? "What changed" : "Hot functions";
    document.getElementById("name").textContent = diff ? diff.before.name + " \u2192 " + diff.after.name : session.name;
    document.getElementById("host").textContent = [session.host, session.xen_version ? "Xen " + session.xen_version : "",
      session.start ? session.start.slice(0, 19).replace("T", " ") + " UTC" : "", session.program]
      .filter(Boolean).join("  \u00b7  ");
    document.getElementById("info").replaceChildren(...rows(model).map(([term, value, alarm, title]) => {
      const row = Lists.element("div", { className: alarm ? "alarm" : "", title: title || "" });
      row.append(Lists.element("dt", { textContent: term }), Lists.element("dd", {}, Lists.isolated(String(value))));
      return row;
    }));
    const lines = notes(model.info);
    const box = document.getElementById("notes");
    box.hidden = lines.length === 0;
    box.replaceChildren(...lines.map((line) => Lists.element("p", {}, Lists.isolated(line))));
  }

  return { show };
})();
