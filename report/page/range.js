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
    const anew = (from === 0 && to === model.bins) || (state.base && !Compare.isActive(state));
    const fixed = anew ? cursor : cursor === from ? to : from;
    if (at !== fixed)
      app.setRange(Math.min(at, fixed), Math.max(at, fixed));
    return at;
  }

  // In the colour of its edge, whatever is behind it.
  function label(context, palette, left, text) {
    const ink = context.fillStyle;
    context.fillStyle = palette.paper;
    context.fillRect(left, 0, context.measureText(text).width + 8, 15);
    context.fillStyle = ink;
    context.fillText(text, left + 4, 11);
  }

  // What is not selected fades, but for the time that it is compared with.
  function shade(app, context, palette, { x, high }) {
    const { selection, base } = app.state, waits = base && !Compare.isActive(app.state);
    const parts = [...(base ? [base] : []), ...(waits ? [] : [selection])].sort((a, b) => a.from - b.from);
    const edge = (bin) => context.fillRect(Math.floor(x(bin)) - 1, 0, 2, high);
    let end = 0;
    context.fillStyle = palette.paper;
    context.globalAlpha = 0.72;
    for (const { from, to } of [...parts, { from: app.model.bins, to: app.model.bins }]) {
      context.fillRect(x(end), 0, Math.max(0, x(from) - x(end)), high);
      end = Math.max(end, to);
    }
    context.globalAlpha = 1;
    for (const part of parts) {
      context.fillStyle = part === base ? palette.quiet : palette.accent;
      edge(part.from);
      edge(part.to);
      if (base)
        label(context, palette, x(part.from) + 1, part === base ? "before" : "after");
    }
  }

  function text(model, { from, to }) {
    return Text.seconds(model.since + Model.timeOf(model, from)) + "\u2013" + Text.seconds(model.since + Model.timeOf(model, to)) + " s";
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

  return { key, shade, text, create, needsTimes: true };
})();
VIEWS.range = Range;
