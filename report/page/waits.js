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

  function create(app) {
    const { element } = Lists, { model } = app;
    const table = document.getElementById("waits"), said = document.getElementById("waits-of");

    // What the figures are of, where that is not the same as what others show.
    function words(count) {
      const usual = Model.selectAll(model);
      const isUsual = (list) => app.state.selection[list].every((value, i) => value === usual[list][i]);
      const { selection } = app.state, part = Waited.isPart(model, selection), follows = Waited.follows(model);
      const others = OTHERS.filter(([list]) => !isUsual(list)).map(([, what]) => what);
      return ["parts of each vCPU\u2019s time, by Xen\u2019s own account",
              ...(part && follows ? [Range.text(model, selection)] : part ? ["of the whole session, not of the selected time"] : []),
              ...(part && follows && !Waited.isExact(model, selection) ? ["exact to " + Text.width(model.waits.width)] : []),
              ...(isUsual("domains") && isUsual("lanes") ? [] : ["of the selected vCPUs"]),
              ...(others.length ? ["whatever " + others.join(", ") + " are selected"] : []),
              ...(count > SHOWN ? [SHOWN + " of " + Text.count(count) + " vCPUs"] : [])].join("; ");
    }

    function update() {
      document.getElementById("waits-part").hidden = !model.info.waits?.length;
      if (!model.info.waits?.length)
        return;
      const rows = Waited.rows(model, app.state.selection);
      said.textContent = said.title = words(rows.length);
      table.tBodies[0].replaceWith(element("tbody", {}));
      Lists.fill(table.tBodies[0], rows.slice(0, SHOWN), row);
      if (!rows.length)
        table.tBodies[0].append(element("tr", {}, element("td", { className: "none", colSpan: COLUMNS.length + 1,
          textContent: "No vCPU that is selected was there." })));
    }

    table.append(element("thead", {}, element("tr", {}, ...["vCPU", ...COLUMNS.map(([name]) => name)].map((title, i) =>
                   element("th", { scope: "col", className: i ? "" : "name", textContent: title })))),
                 element("tbody", {}));
    return { numbersChanged: update };
  }

  return { create };
})();
