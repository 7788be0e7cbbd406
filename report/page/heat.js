// SPDX-License-Identifier: GPL-2.0-or-later
// Work within each second: a column is some seconds, a row is a part of a
// second.  Work that recurs each second shows as a row, work that recurs at
// another period as a slanted line.
VIEWS.heat = (() => {
  const ROWS = 50, HIGH = 150, AXIS = 18, LABEL = 54;

  function create(app) {
    const canvas = document.getElementById("heat"), box = document.getElementById("heat-box");
    const { model } = app;
    const perSecond = Math.round(1e6 / model.binTime); // bins
    const rows = perSecond >= 1 ? Math.min(ROWS, perSecond) : 0;
    const seconds = Math.max(1, Math.ceil(model.bins / Math.max(1, perSecond)));
    const section = canvas.closest("section"); // one column says what the timeline says
    section.hidden = seconds < 2;
    section.parentNode.classList.toggle("alone", section.hidden);
    let plot = { width: 100, columns: 1, each: 1, counts: null, sums: null };
    let drag = null, cursor = 0;

    // The cell, by column and row, in which a bin is.
    function cellOf(bin) {
      const second = Math.floor(bin / perSecond), row = Math.floor((bin % perSecond) * rows / perSecond);
      return Math.floor(second / plot.each) * rows + row;
    }

    // us, and samples, by column and row.
    function makeCells() {
      plot.sums = new Float64Array(plot.columns * rows);
      plot.counts = new Float64Array(plot.columns * rows);
      for (const column of app.binSums.values())
        for (let i = 0; i < column.length; i++)
          plot.sums[cellOf(Math.floor(i / Model.MODES))] += column[i];
      app.binCounts.forEach((count, bin) => { plot.counts[cellOf(bin)] += count; });
    }

    // The range of shades: from the least where all is busy, so that a busy host is
    // not one shade.
    function shades() {
      const whole = plot.sums.slice(0, cellOf(Math.max(0, model.sampled - perSecond)));
      const most = plot.sums.reduce((a, b) => Math.max(a, b), 0);
      const least = whole.reduce((a, b) => Math.min(a, b), most);
      return { from: least > most / 2 ? least : 0, to: most || 1 };
    }

    function shade(sum, { from, to }) {
      return 0.1 + 0.9 * Math.sqrt(Math.max(0, sum - from) / (to - from || 1));
    }

    // How many pCPUs, or how much, the lightest and the darkest shade stand for.
    function showScale(range) {
      const time = plot.each * perSecond / rows * model.binTime;
      const text = (sum) => model.type.isTime ? Math.min(model.pcpus, sum / time).toFixed(2) : model.type.amount(sum);
      const boxes = [0, 0.25, 0.5, 0.75, 1].map((part) => {
        const box = Lists.swatch("accent");
        box.style.opacity = shade(range.from + part * (range.to - range.from), range).toFixed(2);
        return box;
      });
      document.getElementById("heat-scale").replaceChildren(text(range.from) + " ", ...boxes, " " + text(range.to) + (model.type.isTime ? " pCPUs" : ""));
    }

    function cellSize() {
      return { wide: plot.width / plot.columns, high: HIGH / rows };
    }

    // Row 0 is at the bottom.
    function drawCells(context, palette) {
      const { wide, high } = cellSize(), { sums } = plot;
      const range = shades();
      const { from, to } = app.state.selection;
      context.fillStyle = palette.panel;
      context.fillRect(LABEL, 0, plot.width, HIGH);
      context.fillStyle = palette.accent;
      for (let i = 0; i < sums.length; i++) {
        if (!sums[i])
          continue;
        const column = Math.floor(i / rows), row = i % rows;
        const bin = column * plot.each * perSecond + Math.floor(row * perSecond / rows);
        const inside = bin >= from - perSecond / rows + 1 && bin < to;
        context.globalAlpha = shade(sums[i], range) * (inside || plot.each > 1 ? 1 : 0.25);
        const left = Math.round(column * wide), top = Math.round((row + 1) * high);
        context.fillRect(LABEL + left, HIGH - top, Math.round((column + 1) * wide) - left - (wide > 4 ? 1 : 0),
                         top - Math.round(row * high) - (high > 5 ? 1 : 0));
      }
      context.globalAlpha = 1;
      showScale(range);
    }

    function drawAxes(context, palette) {
      context.fillStyle = palette.quiet;
      context.textAlign = "right";
      for (const [part, text] of [[0, "0"], [0.5, "500 ms"], [1, "1 s"]])
        context.fillText(text, LABEL - 6, HIGH - part * HIGH + (part === 0 ? 0 : part === 1 ? 10 : 4));
      context.textAlign = "left";
      context.fillText(Text.seconds(0) + " s", LABEL, HIGH + 15);
      context.textAlign = "right";
      context.fillText(plot.columns * plot.each + " s", LABEL + plot.width, HIGH + 15);
      context.textAlign = "left";
    }

    function drawCursor(context, palette) {
      if (document.activeElement !== canvas || !rows)
        return;
      const { wide, high } = cellSize();
      const column = Math.floor(cursor / perSecond / plot.each), row = Math.floor(cursor % perSecond * rows / perSecond);
      context.strokeStyle = palette.ink;
      context.lineWidth = 2;
      context.strokeRect(LABEL + column * wide, HIGH - (row + 1) * high, Math.max(wide, 3), Math.max(high, 3));
    }

    function draw() {
      const width = Math.max(200, Canvas.width(box, draw));
      const palette = Canvas.palette();
      plot.width = width - LABEL;
      plot.each = Math.max(1, Math.ceil(seconds / plot.width));
      plot.columns = Math.ceil(seconds / plot.each);
      const context = Canvas.prepare(canvas, width, HIGH + AXIS);
      context.font = '11px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
      context.fillStyle = palette.quiet;
      if (!rows || rows < 2) {
        context.fillText("The bins of this session are " + Text.width(model.binTime) + " wide:", 0, 20);
        context.fillText("report a part of it, with --filter=time=FROM..TO.", 0, 38);
        return;
      }
      makeCells();
      drawCells(context, palette);
      drawAxes(context, palette);
      drawCursor(context, palette);
    }

    function binAt(event) {
      const { wide, high } = cellSize();
      const column = Math.floor((event.offsetX - LABEL) / wide), row = Math.floor((HIGH - event.offsetY) / high);
      if (column < 0 || column >= plot.columns || row < 0 || row >= rows)
        return -1;
      return column * plot.each * perSecond + Math.floor(row * perSecond / rows);
    }

    canvas.addEventListener("pointermove", (event) => {
      const bin = rows > 1 ? binAt(event) : -1;
      const cell = bin < 0 ? 0 : cellOf(bin);
      Canvas.tip(event, bin < 0 ? null
        : ["second " + Math.floor(bin / perSecond) + (plot.each > 1 ? " and " + (plot.each - 1) + " more" : ""),
           "from " + Math.round(bin % perSecond * model.binTime / 1e3) + " ms on: " + Text.count(plot.counts[cell]) +
           " samples, " + model.type.amount(plot.sums[cell]) + (model.type.isTime ? " of work" : ""), "drag: show from here to there"]);
    });
    canvas.addEventListener("pointerleave", (event) => Canvas.tip(event, null));
    canvas.addEventListener("pointerdown", (event) => {
      drag = rows > 1 && event.button === 0 ? binAt(event) : null;
    });
    canvas.addEventListener("pointerup", (event) => {
      const bin = rows > 1 ? binAt(event) : -1;
      if (drag !== null && drag >= 0 && bin >= 0 && bin !== drag)
        app.setRange(Math.min(bin, drag), Math.min(model.bins, Math.max(bin, drag) + Math.ceil(perSecond / rows)));
      else if (drag === bin)
        app.setRange(0, model.bins);
      drag = null;
    });
    canvas.addEventListener("keydown", (event) => {
      const upDown = { ArrowUp: "ArrowRight", ArrowDown: "ArrowLeft" }[event.key];
      const aside = event.key === "ArrowLeft" || event.key === "ArrowRight";
      const moved = Range.key(app, upDown ? { key: upDown, shiftKey: event.shiftKey,
                                              preventDefault: () => event.preventDefault() } : event,
                              cursor, aside ? perSecond * plot.each : Math.max(1, Math.round(perSecond / rows)));
      if (moved !== null) {
        cursor = moved;
        draw();
      }
    });
    for (const kind of ["focus", "blur"])
      canvas.addEventListener(kind, draw);
    return { draw, numbersChanged: draw, keys: [{ key: "h", what: "to the heat map", run: () => canvas.focus() }] };
  }

  return { create, needsTimes: true };
})();
