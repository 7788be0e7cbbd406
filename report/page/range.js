// SPDX-License-Identifier: GPL-2.0-or-later
// The selected range of time: by keyboard on both pictures of time, and as
// numbers.
const Range = (() => {
  // Returns where the cursor (a bin) goes, or null for another key.
  function key(app, event, cursor, step) {
    const { model, state } = app;
    const { from, to } = state.selection;
    if (event.ctrlKey || event.altKey || event.metaKey)
      return null;
    if (event.key === "Escape") {
      event.stopPropagation();
      app.setRange(0, model.bins);
      return cursor;
    }
    const steps = { ArrowLeft: -step, ArrowRight: step, PageUp: -10 * step, PageDown: 10 * step,
                    Home: -model.bins, End: model.bins };
    if (!Object.hasOwn(steps, event.key))
      return null;
    event.preventDefault();
    const at = Math.min(model.bins, Math.max(0, cursor + steps[event.key]));
    if (!event.shiftKey)
      return at;
    const fixed = from === 0 && to === model.bins ? cursor : cursor === from ? to : from;
    if (at !== fixed)
      app.setRange(Math.min(at, fixed), Math.max(at, fixed));
    return at;
  }

  function create(app) {
    const { model } = app;
    const from = document.getElementById("from"), to = document.getElementById("to");

    function show() {
      const { selection } = app.state;
      from.value = Text.seconds(Model.timeOf(model, selection.from));
      to.value = Text.seconds(Model.timeOf(model, selection.to));
    }

    function take() {
      const first = Math.floor((Number(from.value) * 1e6 + model.over) / model.binTime + 1e-6);
      const last = Math.ceil((Number(to.value) * 1e6 + model.over) / model.binTime - 1e-6);
      if (first >= 0 && last > first)
        app.setRange(Math.min(first, model.bins - 1), Math.min(last, model.bins));
      else
        show();
    }

    from.addEventListener("change", take);
    to.addEventListener("change", take);
    document.getElementById("whole").addEventListener("click", () => app.setRange(0, model.bins));
    return {
      numbersChanged: show,
      keys: [{ shown: "Arrows, Shift+Arrows", what: "in the pictures of time: move; select a part" },
             { shown: "Escape", what: "in the pictures of time: all of it" }],
    };
  }

  return { key, create, needsTimes: true };
})();
VIEWS.range = Range;
