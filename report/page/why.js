// SPDX-License-Identifier: GPL-2.0-or-later
// Why Xen ran, of what is selected, whatever reasons are: the answer comes first.
// Each reason is a card with what can be done about it; to press it selects what Xen
// ran for it, and to press it again selects all.
VIEWS.why = (() => {
  const SHOWN = 6;
  const LEAST = 0.1; // of a reason's time: domains with less are not named

  function create(app) {
    const { model } = app;
    const { element, isolated } = Lists;
    const cards = document.getElementById("why"), part = document.getElementById("why-part"), whom = document.getElementById("whom");

    function isAll({ from, to, ...lists }) {
      const all = Model.selectAll(model);
      return from === 0 && to === model.bins && Object.keys(lists).every((list) => lists[list].every((value, i) => value === all[list][i]));
    }

    function chosen() {
      const { reasons: list } = app.state.selection, first = list.indexOf(1);
      return first > 0 && list.lastIndexOf(1) === first ? first - 1 : -1;
    }

    function choose(index) {
      const { reasons: list } = app.state.selection, again = chosen() === index;
      list.fill(again ? 1 : 0);
      list[index + 1] = 1;
      app.selectionChanged();
    }

    // "web (1), db (2)": those with at least a tenth of it.
    function domains(times) {
      const all = times.reduce((a, b) => a + b, 0);
      return [...times.keys()].filter((domain) => times[domain] >= LEAST * all).sort((a, b) => times[b] - times[a])
        .map((domain) => model.info.domain_names[domain]).join(", ");
    }

    // In which functions that was, of the whole page.
    function hint({ reason, domains: parts }) {
      return [reason].concat(parts.map((one) => model.info.domain_names[one.domain] + ": " + one.functions)).join("\n");
    }

    // Of two times both shares, and whether they differ by more than noise.
    /** @param {{ time: number, was?: number, beyond?: number }} row */
    function figures({ time, was, beyond }) {
      if (was === undefined)
        return [element("b", { textContent: Text.percent(time, app.result.all) })];
      return [element("b", { textContent: Compare.both(was, time) }),
              element("span", { className: beyond ? "beyond" : "quiet",
                                textContent: Compare.signed(time - was) + (beyond ? ", beyond noise" : ", within noise") })];
    }

    function card({ index, times, time, ...more }) {
      const { reason, most, advice } = model.info.why[index], whole = isAll(app.state.selection) && !app.state.base;
      const made = element("button", { type: "button", className: "card", title: hint(model.info.why[index]) },
                           ...figures({ time, ...more }),
                           element("span", { className: "reason" }, (whole && most) || reason),
                           element("span", { className: "quiet" }, isolated(domains(times))),
                           ...(advice ? [element("span", { className: "remedy" }, isolated(advice))] : []));
      made.setAttribute("aria-pressed", String(chosen() === index));
      made.dataset.reason = index;
      made.addEventListener("click", () => choose(index));
      return element("li", {}, made);
    }

    /** @returns {any[]} */
    function rowsOf(result, scale) {
      const sums = Model.sumReasons(model, result, app.state.selection);
      return sums.map((times, index) => ({ index, times, time: scale * times.reduce((a, b) => a + b, 0) }));
    }

    // Those of two times, the largest change first.
    function changes({ before, after, n }) {
      const [was, is] = [before, after].map((side) => rowsOf(side, side.all > 0 ? Compare.WHOLE / side.all : 0));
      const column = (rows) => Float64Array.from(rows, ({ time }) => time);
      const beyond = Noise.mark(column(was), column(is), n, Compare.WHOLE);
      const rows = is.map((row, index) => ({ ...row, was: was[index].time, beyond: beyond[index],
                                             times: row.time > 0 ? row.times : was[index].times }));
      const change = (row) => Math.abs(row.time - row.was);
      return rows.sort((a, b) => change(b) - change(a));
    }

    function sum(rows, key) {
      return rows.reduce((all, row) => all + row[key], 0);
    }

    // For whom that was: a domain each, the largest first; to press one selects it, and
    // again all.
    function whomButton([domain, time]) {
      const { domains } = app.state.selection, alone = domains[domain] && domains.reduce((sum, on) => sum + on, 0) === 1;
      const made = element("button", { type: "button" }, isolated(model.info.domain_names[domain]), " " + Text.percent(time, app.result.all));
      made.setAttribute("aria-pressed", String(alone));
      made.dataset.domain = domain;
      made.addEventListener("click", () => {
        domains.fill(alone ? 1 : 0);
        domains[domain] = 1;
        app.selectionChanged();
      });
      return made;
    }

    function showWhom(rows) {
      const sums = new Float64Array(model.info.domain_names.length), focus = document.activeElement?.dataset?.domain;
      if (!app.result.sides)
        rows.forEach(({ times }) => times.forEach((time, domain) => { sums[domain] += time; }));
      const found = [...sums.entries()].filter(([, time]) => time > 0).sort((a, b) => b[1] - a[1]).slice(0, SHOWN);
      whom.replaceChildren(...found.map(whomButton));
      if (focus !== undefined)
        whom.querySelector('[data-domain="' + focus + '"]')?.focus();
    }

    function update() {
      const { sides, all } = app.result;
      part.hidden = !(model.info.why ?? []).length;
      if (part.hidden)
        return;
      const rows = sides ? changes(sides) : rowsOf(app.result, 1).sort((a, b) => b.time - a.time);
      const focus = document.activeElement?.dataset?.reason;
      showWhom(rows);
      const shown = rows.filter(({ time, was, index }) => time > 0 || was > 0 || index === chosen());
      cards.replaceChildren(...shown.slice(0, SHOWN).map(card));
      document.getElementById("why-count").textContent =
        (sides ? Compare.both(sum(rows, "was"), sum(rows, "time")) : Text.percent(sum(rows, "time"), all)) + " of " + model.type.whole;
      if (focus !== undefined)
        cards.querySelector('[data-reason="' + focus + '"]')?.focus();
    }

    return {
      numbersChanged: update,
      keys: [{ key: "w", what: "to why Xen ran; Enter selects it, and all again",
               run: () => cards.querySelector("button")?.focus() },
             { key: "g", what: "to the guests that Xen ran for; Enter selects one, and all again",
               run: () => whom.querySelector("button")?.focus() }],
    };
  }

  return { create };
})();
