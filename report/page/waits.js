// SPDX-License-Identifier: GPL-2.0-or-later
// The verdict, and who waited for a pCPU, in the whole of what the page is made of.
VIEWS.waits = (() => {
  const COLUMNS = [["running", "running_ns"], ["waited", "ready_ns"], ["blocked", "blocked_ns"],
                   ["device", "device_ns"], ["paused", "paused_ns"]];

  function showVerdict(lines) {
    const { element, isolated } = Lists;
    const place = document.getElementById("verdict");
    place.hidden = !lines.length;
    place.querySelector("ul").replaceChildren(...lines.map(({ text, trust }) =>
      element("li", { className: trust ? "trust" : "" }, isolated(text))));
  }

  function row(vcpu) {
    const { element, isolated } = Lists;
    const made = element("tr", { className: vcpu.marked ? "marked" : "" });
    made.append(element("td", { className: "name" }, isolated(vcpu.domain), " v" + vcpu.vcpu));
    for (const [name, key] of COLUMNS)
      made.append(element("td", { className: name === "waited" ? "waited" : "",
                                  textContent: (name === "waited" && vcpu.marked ? "! " : "") +
                                               Text.percent(vcpu[key], vcpu.span_ns) }));
    return made;
  }

  function create(app) {
    const { element } = Lists;
    const titles = ["vCPU", ...COLUMNS.map(([name]) => name)];

    function show() {
      const { waits = [], verdict = [] } = app.model.info;
      showVerdict(verdict);
      document.getElementById("waits-part").hidden = !waits.length;
      document.getElementById("waits").replaceChildren(element("thead", {}, element("tr", {}, ...titles.map((title, i) =>
        element("th", { scope: "col", className: i ? "" : "name", textContent: title })))),
      element("tbody", {}, ...waits.map(row)));
    }

    show();
    return { renewing: () => show };
  }

  return { create };
})();
