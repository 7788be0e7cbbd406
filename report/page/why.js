// SPDX-License-Identifier: GPL-2.0-or-later
// Why Xen ran, in the whole of what the page is made of: the answer comes first.
VIEWS.why = (() => {
  const SHOWN = 6;

  function create(app) {
    const { model } = app;
    const { element, isolated } = Lists;
    const reasons = model.info.why ?? [];
    const all = model.type.scale * model.allTime;

    // "web (1), db (2)": those with at least a tenth of it.
    function domains(reason) {
      return reason.domains.filter((one) => one.time_ns >= reason.time_ns / 10)
        .map((one) => model.info.domain_names[one.domain]).join(", ");
    }

    function hint(reason) {
      const rows = reason.domains.map((one) => model.info.domain_names[one.domain] + ", " +
        Text.percent(one.time_ns, all) + ": " + one.functions);
      return rows.concat(reason.advice ? ["", reason.advice] : []).join("\n");
    }

    function row(reason) {
      const made = element("tr", { title: hint(reason) });
      made.append(element("td", { textContent: Text.percent(reason.time_ns, all) }),
                  element("td", { className: "why" }, reason.reason, element("span", { className: "quiet" }, ": ",
                          isolated(domains(reason)))));
      return made;
    }

    const table = document.getElementById("why"), section = table.closest("section");
    section.hidden = !reasons.length;
    const xen = reasons.reduce((sum, reason) => sum + reason.time_ns, 0);
    document.getElementById("why-count").textContent = Text.percent(xen, all) + " of " + model.type.whole;
    table.append(element("colgroup", {}, element("col", { className: "num" }), element("col")),
                 element("tbody", {}, ...reasons.slice(0, SHOWN).map(row)));
    return {};
  }

  return { create };
})();
