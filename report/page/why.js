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
    const reasons = model.info.why ?? [];
    const cards = document.getElementById("why"), part = document.getElementById("why-part");

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
    function domains(times, all) {
      return [...times.keys()].filter((domain) => times[domain] >= LEAST * all).sort((a, b) => times[b] - times[a])
        .map((domain) => model.info.domain_names[domain]).join(", ");
    }

    // In which functions that was, of the whole page.
    function hint({ reason, domains: parts }) {
      return [reason].concat(parts.map((one) => model.info.domain_names[one.domain] + ": " + one.functions)).join("\n");
    }

    function card({ index, times, time }) {
      const { reason, most, advice } = reasons[index], whole = isAll(app.state.selection);
      const made = element("button", { type: "button", className: "card", title: hint(reasons[index]) },
                           element("b", { textContent: Text.percent(time, app.result.all) }),
                           element("span", {}, (whole && most) || reason),
                           element("span", { className: "quiet" }, isolated(domains(times, time))),
                           ...(advice ? [element("span", { className: "remedy" }, isolated(advice))] : []));
      made.setAttribute("aria-pressed", String(chosen() === index));
      made.dataset.reason = index;
      made.addEventListener("click", () => choose(index));
      return element("li", {}, made);
    }

    function update() {
      const sums = Model.sumReasons(model, app.result, app.state.selection);
      const rows = sums.map((times, index) => ({ index, times, time: times.reduce((a, b) => a + b, 0) }));
      const focus = document.activeElement?.dataset?.reason;
      const shown = rows.filter(({ time, index }) => time > 0 || index === chosen()).sort((a, b) => b.time - a.time);
      cards.replaceChildren(...shown.slice(0, SHOWN).map(card));
      document.getElementById("why-count").textContent =
        Text.percent(rows.reduce((sum, { time }) => sum + time, 0), app.result.all) + " of " + model.type.whole;
      if (focus !== undefined)
        cards.querySelector('[data-reason="' + focus + '"]')?.focus();
    }

    part.hidden = !reasons.length;
    return {
      numbersChanged: reasons.length ? update : () => {},
      keys: [{ key: "w", what: "to why Xen ran; Enter selects it, and all again",
               run: () => cards.querySelector("button")?.focus() }],
    };
  }

  return { create };
})();
