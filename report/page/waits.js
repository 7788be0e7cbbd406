// SPDX-License-Identifier: GPL-2.0-or-later
// Who waited for a pCPU, of the selected time, domains and vCPUs: a row for each vCPU.
VIEWS.waits = (() => {
  const SHOWN = 200; // rows
  const COLUMNS = [["running", "running"], ["waited", "ready"], ["blocked", "halted"], ["device", "device"], ["paused", "paused"]];
  // What of a selection waits are not of.
  const OTHERS = [["modes", "modes"], ["reasons", "reasons"], ["entries", "entries"], ["comms", "processes"],
                  ["parts", "subsystems"], ["images", "images"]];

  function row({ domain, vcpu, times }) {
    const { element, isolated } = Lists;
    const marked = Waited.isMarked(times), made = element("tr", { className: marked ? "marked" : "" });
    made.append(element("td", { className: "name" }, isolated(domain), " v" + vcpu));
    for (const [name, key] of COLUMNS)
      made.append(element("td", { className: name === "waited" ? "waited" : "",
                                  textContent: (name === "waited" && marked ? "! " : "") +
                                               Text.percent(times[key], times.known) }));
    return made;
  }

  function cells(made, texts) {
    made.append(...texts.map((text) => Lists.element("td", { textContent: text })));
    return made;
  }

  const TITLES = ["waited", "change", "error", "running", "blocked"];

  // Of two times: what a vCPU waited before and after, and whether that is beyond how much
  // seconds differ.
  function changedRow({ domain, vcpu, was, is, tested, change, error, beyond }) {
    const { element, isolated } = Lists;
    const percent = (times, key) => times ? (100 * times[key] / times.known).toFixed(2) : "\u2013";
    const both = (key) => percent(was, key) + " \u2192 " + percent(is, key) + " %", there = was && is;
    const made = element("tr", { className: beyond ? "changed" : "" }, element("td", { className: "name" }, isolated(domain), " v" + vcpu));
    return cells(made, [both("ready"), there ? Compare.signed(Compare.WHOLE * change) : "",
                        tested ? "\u00b1" + (100 * error).toFixed(2) + (beyond ? " *" : "") : "", both("running"), both("halted")]);
  }

  function create(app) {
    const { element } = Lists, { model } = app;
    const table = document.getElementById("waits"), said = document.getElementById("waits-of");

    function isUsual(list) {
      const usual = Model.selectAll(model)[list];
      return app.state.selection[list].every((value, i) => value === usual[i]);
    }

    // What the figures are of, where that is not the same as what others show.
    function words(count) {
      const { selection } = app.state, part = Waited.isPart(model, selection), follows = Waited.follows(model);
      const others = OTHERS.filter(([list]) => !isUsual(list)).map(([, what]) => what);
      return ["parts of each vCPU\u2019s time, by Xen\u2019s own account",
              ...(part && follows ? [Range.text(model, selection)] : part ? ["of the whole session, not of the selected time"] : []),
              ...(part && follows && !Waited.isExact(model, selection) ? ["exact to " + Text.width(model.waits.width)] : []),
              ...(isUsual("domains") && isUsual("lanes") ? [] : ["of the selected vCPUs"]),
              ...(others.length ? ["whatever " + others.join(", ") + " are selected"] : []),
              ...(count > SHOWN ? [SHOWN + " of " + Text.count(count) + " vCPUs"] : [])].join("; ");
    }

    function head(titles) {
      table.tHead.rows[0].replaceChildren(...["vCPU", ...titles].map((title, i) =>
        element("th", { scope: "col", className: i ? "" : "name", textContent: title })));
    }

    // What a change is tested by, and what came of it.
    function wordsOfChanges(rows) {
      const tested = rows.filter((row) => row.tested).length;
      return ["parts of each vCPU\u2019s time, before and after; Xen\u2019s own account, and exact",
              tested ? rows.filter(({ beyond }) => beyond).length + " of " + tested + " changes are beyond how much seconds differ (*)"
                : "changes are not tested: each time needs 10 s",
              ...(isUsual("domains") && isUsual("lanes") ? [] : ["of the selected vCPUs"])].join("; ");
    }

    function showChanges() {
      const rows = Waited.changes(model, app.state.selection, app.state.base);
      said.textContent = said.title = wordsOfChanges(rows);
      head(TITLES);
      table.className = "changes";
      table.tBodies[0].replaceWith(element("tbody", {}));
      Lists.fill(table.tBodies[0], rows.slice(0, SHOWN), changedRow);
    }

    function update() {
      document.getElementById("waits-part").hidden = !model.info.waits?.length;
      if (!model.info.waits?.length)
        return;
      if (app.result.sides && Waited.follows(model)) {
        showChanges();
        return;
      }
      head(COLUMNS.map(([name]) => name));
      table.className = "";
      const rows = Waited.rows(model, app.state.selection);
      said.textContent = said.title = words(rows.length);
      table.tBodies[0].replaceWith(element("tbody", {}));
      Lists.fill(table.tBodies[0], rows.slice(0, SHOWN), row);
      if (!rows.length)
        table.tBodies[0].append(element("tr", {}, element("td", { className: "none", colSpan: COLUMNS.length + 1,
          textContent: "No vCPU that is selected was there." })));
    }

    table.append(element("thead", {}, element("tr", {})), element("tbody", {}));
    return { panel: document.getElementById("waits-part"), numbersChanged: update };
  }

  return { create };
})();
