// SPDX-License-Identifier: GPL-2.0-or-later
// The session's facts, and its losses, which are never hidden.
const Facts = (() => {
  const CAUSES = {
    queue: "the pCPU's queue between the halves was full", ring: "a ring was full: the reader was too slow",
    stopped: "after the stop", daemon: "dom0 could not decode or store it", unreadable: "the session is damaged there",
  };

  function lossText(session) {
    const causes = Object.entries(session.lost_by_cause).filter(([, count]) => count > 0);
    return causes.map(([cause, count]) => Text.count(count) + ": " + (CAUSES[cause] || cause)).join("\n");
  }

  function rows(model) {
    const { facts } = model;
    const { session } = facts;
    if (facts.diff)
      return Compare.facts(model).concat(facts.filter === null ? [] : [["filter", facts.filter]]);
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
    if (facts.filter !== null)
      made.push(["filter", facts.filter]);
    if (session.unsampled_ns > 0)
      made.push(["without sample", Text.time(session.unsampled_ns / 1e3) + " of work, shown as other"]);
    return made;
  }

  function notes(facts) {
    const { session } = facts;
    const all = facts.notes.concat(session.damage.map((one) => "damaged: " + one));
    if (session.torn_bytes > 0)
      all.push(session.torn_bytes + " bytes at the end are no whole block" + (session.open ? " yet" : ""));
    return all;
  }

  function show(model) {
    const { session } = model.facts;
    const { diff } = model.facts;
    document.getElementById("functions-title").textContent = diff ? "What changed" : "Hot functions";
    document.getElementById("name").textContent = diff ? diff.before.name + " \u2192 " + diff.after.name : session.name;
    document.getElementById("host").textContent = [session.host, session.xen_version ? "Xen " + session.xen_version : "",
      session.start ? session.start.slice(0, 19).replace("T", " ") + " UTC" : "", session.program]
      .filter(Boolean).join("  \u00b7  ");
    document.getElementById("facts").replaceChildren(...rows(model).map(([term, value, alarm, title]) => {
      const row = Lists.element("div", { className: alarm ? "alarm" : "", title: title || "" });
      row.append(Lists.element("dt", { textContent: term }), Lists.element("dd", {}, Lists.isolated(String(value))));
      return row;
    }));
    const lines = notes(model.facts);
    const box = document.getElementById("notes");
    box.hidden = lines.length === 0;
    box.replaceChildren(...lines.map((line) => Lists.element("p", {}, Lists.isolated(line))));
  }

  return { show };
})();
