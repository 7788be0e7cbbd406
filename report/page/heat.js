// SPDX-License-Identifier: GPL-2.0-or-later
// Work within each second: a column is some seconds, a row is a part of a
// second.  Work that recurs each second shows as a row, work that recurs at
// another period as a slanted line.
VIEWS.heat = (() => {
  const ROWS = 50, HIGH = 150, AXIS = 18, LABEL = 54;

  function create(app) {
    const canvas = document.getElementById("heat"), box = document.getElementById("heat-box");
    const { model } = app;
    const section = canvas.closest("section");
    let perSecond, rows, seconds; // bins, parts, of all
    let plot = { width: 100, columns: 1, each: 1, of: null, domains: new Map(), key: "", counts: null, sums: null, range: { from: 0, to: 1 } };
    let drag = null, cursor = 0;

    function measure() {
      perSecond = Math.round(1e6 / model.binTime);
      rows = perSecond >= 1 ? Math.min(ROWS, perSecond) : 0;
      seconds = Math.max(1, Math.ceil(model.bins / Math.max(1, perSecond)));
      section.hidden = seconds < 2; // one column says what the timeline says
      section.parentNode.classList.toggle("alone", section.hidden);
    }

    // The cell, by column and row, in which a bin is.
    function cellOf(bin) {
      const second = Math.floor(bin / perSecond), row = Math.floor((bin % perSecond) * rows / perSecond);
      return Math.floor(second / plot.each) * rows + row;
    }

    // The first bin of the cell after that in which a bin is.
    function nextCell(bin) {
      const within = bin % perSecond, row = Math.floor(within * rows / perSecond);
      return bin - within + Math.min(perSecond, Math.ceil((row + 1) * perSecond / rows));
    }

    // A column of rows of bins as cells; and spans, in which time lies evenly.
    function toCells(bins, column, spans) {
      const cells = new Float64Array(plot.columns * rows * Model.COLUMNS), { binTime } = model;
      for (let row = 0; row < bins.length; row++) {
        const cell = cellOf(bins[row]);
        for (let mode = 0; mode < Model.MODES; mode++)
          cells[cell * Model.COLUMNS + mode] += column[row * Model.MODES + mode];
      }
      for (const { time, from, to } of spans)
        for (let bin = Math.floor(from / binTime), next; bin < model.bins && bin * binTime < to; bin = next) {
          next = Math.min(nextCell(bin), model.bins);
          cells[cellOf(bin) * Model.COLUMNS + Model.NO_SAMPLE] += time *
            (Math.min(to, next * binTime) - Math.max(from, bin * binTime)) / (to - from);
        }
      return cells;
    }

    // Adds what is selected of a domain's cells.
    function addCells(sums, cells) {
      const { modes } = app.state.selection;
      for (let mode = 0; mode < Model.COLUMNS; mode++)
        for (let cell = 0; modes[Math.min(mode, Model.NO_MODE)] && cell < sums.length; cell++)
          sums[cell] += cells[cell * Model.COLUMNS + mode];
    }

    // us, and samples, by column and row; a range does not change them.
    function makeCells(each) {
      const { domains, modes } = app.state.selection, key = [domains, modes].join("/");
      if (plot.of !== app.bins || plot.each !== each) {
        Object.assign(plot, { of: app.bins, each, columns: Math.ceil(seconds / each), key: "" });
        plot.domains = new Map([...app.bins].map(([domain, { bin, times, counts, spans }]) =>
          [domain, { times: toCells(bin, times, spans), bin, counts }]));
      }
      if (plot.key === key)
        return;
      Object.assign(plot, { key, sums: new Float64Array(plot.columns * rows), counts: null });
      for (const [domain, { times }] of plot.domains)
        if (domains[domain])
          addCells(plot.sums, times);
      plot.range = shades();
      showScale(plot.range);
    }

    // Samples, as sums are: nobody asks for them before a cell is pointed at.
    function countsOfCells() {
      if (plot.counts)
        return plot.counts;
      plot.counts = new Float64Array(plot.columns * rows);
      for (const [domain, { bin, counts }] of plot.domains)
        if (app.state.selection.domains[domain])
          addCells(plot.counts, toCells(bin, counts, []));
      return plot.counts;
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

    // A function of a bin: whether what is drawn there is selected.
    function within({ from, to }) {
      const least = from - perSecond / rows + 1;
      return (bin) => bin >= least && bin < to;
    }

    // A pixel for each cell, since there may be many thousands.  Row 0 is at the bottom.
    const picture = document.createElement("canvas");
    function pixels(palette, range) {
      const { columns } = plot, context = picture.getContext("2d"), ink = Blend.parse(palette.accent);
      if (picture.width !== columns || picture.height !== rows)
        Object.assign(picture, { width: columns, height: rows });
      const image = context.createImageData(columns, rows), { data } = image, { sums, each } = plot;
      const { selection, base } = app.state, inside = within(selection), inBase = within(base ?? selection);
      for (let cell = 0, column = 0; column < columns; column++)
        for (let row = 0; row < rows; row++, cell++) {
          const at = 4 * ((rows - 1 - row) * columns + column), bin = column * each * perSecond + Math.floor(row * perSecond / rows);
          const strength = each > 1 || inside(bin) || inBase(bin) ? 255 : 255 / 4;
          data[at] = ink[0];
          data[at + 1] = ink[1];
          data[at + 2] = ink[2];
          data[at + 3] = sums[cell] ? strength * shade(sums[cell], range) : 0;
        }
      context.putImageData(image, 0, 0);
      return picture;
    }

    function drawCells(context, palette) {
      const { wide, high } = cellSize();
      context.fillStyle = palette.panel;
      context.fillRect(LABEL, 0, plot.width, HIGH);
      context.imageSmoothingEnabled = false;
      context.drawImage(pixels(palette, plot.range), LABEL, 0, plot.width, HIGH);
      for (let column = 1; wide > 4 && column <= plot.columns; column++)
        context.fillRect(LABEL + Math.round(column * wide) - 1, 0, 1, HIGH);
      for (let row = 0; high > 5 && row < rows; row++)
        context.fillRect(LABEL, HIGH - Math.round(row * high) - 1, plot.width, 1);
    }

    function drawAxes(context, palette) {
      context.fillStyle = palette.quiet;
      context.textAlign = "right";
      for (const { part, text } of [{ part: 0, text: "0" }, { part: 0.5, text: "500 ms" }, { part: 1, text: "1 s" }])
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
      const context = Canvas.prepare(canvas, width, HIGH + AXIS);
      context.font = '11px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
      context.fillStyle = palette.quiet;
      if (!rows || rows < 2) {
        context.fillText("The bins of this session are " + Text.width(model.binTime) + " wide:", 0, 20);
        context.fillText("report a part of it, with --filter=time=FROM..TO.", 0, 38);
        return;
      }
      makeCells(Math.max(1, Math.ceil(seconds / plot.width)));
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
           "from " + Math.round(bin % perSecond * model.binTime / 1e3) + " ms on: " + Text.count(countsOfCells()[cell]) +
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
    measure();
    return { panel: box, draw, numbersChanged: draw, renewing: () => measure, keys: [{ key: "h", what: "to the heat map", run: () => canvas.focus() }] };
  }

  return { create, needsTimes: true };
})();
