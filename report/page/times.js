// SPDX-License-Identifier: GPL-2.0-or-later
// Work over time: a lane for each domain, its modes on top of each other.
const Times = (() => {
  const LANE = 30, AXIS = 18, LABEL = 118;
  const BAR = 2, ENOUGH = 6; // pixels at least; samples that a bar should have

  // us of work by lane, column and mode, of what is taken at any time.
  function add(model, selection, taken, columns) {
    const { tree, runs, samples } = model;
    const rows = new Map();
    const row = (domain) => {
      if (!rows.has(domain))
        rows.set(domain, new Float64Array(columns * Model.MODES));
      return rows.get(domain);
    };
    const scale = columns / Math.max(1, model.bins);
    for (let run = 0; run < runs.bin.length; run++) {
      const lane = runs.lane[run];
      if (!selection.lanes[lane])
        continue;
      const sums = row(model.lanes[lane].domain);
      const base = Math.min(columns - 1, Math.floor(runs.bin[run] * scale)) * Model.MODES;
      for (let i = runs.start[run]; i < runs.start[run + 1]; i++) {
        const node = samples.node[i];
        if (taken[node])
          sums[base + tree.mode[node]] += samples.count[i] * tree.perSample[node];
      }
    }
    for (const [domain, sums] of rows)
      if (!selection.domains[domain] || !sums.some((sum) => sum > 0))
        rows.delete(domain);
    return rows;
  }

  // As many bars as have something to say.
  function countBars(model, room) {
    const samples = model.tree.ownCount.reduce((sum, count) => sum + count, 0);
    return Math.max(1, Math.min(Math.floor(room / BAR), model.bins, Math.max(40, Math.floor(samples / ENOUGH))));
  }

  function highest(rows) {
    let most = 0;
    for (const sums of rows.values())
      for (let i = 0; i < sums.length; i += Model.MODES)
        most = Math.max(most, sums[i] + sums[i + 1] + sums[i + 2] + sums[i + 3] + sums[i + 4]);
    return most;
  }

  // Those that did most first, those that are no domains last.
  function order(rows) {
    const weight = (domain) => domain <= Model.IDLE_DOMAIN ? -1 - domain
      : rows.get(domain).reduce((sum, time) => sum + time, 0);
    return [...rows.keys()].sort((a, b) => weight(b) - weight(a));
  }

  // Round numbers for an axis of that many seconds.
  function ticks(length, room) {
    const rough = length / Math.max(2, room / 90);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough);
    const marks = [];
    for (let i = 0; i * step <= length; i++)
      marks.push(Number((i * step).toPrecision(12)));
    return marks;
  }

  function create(app) {
    const canvas = document.getElementById("timeline"), box = document.getElementById("timeline-box");
    const { model } = app;
    let plot = { left: LABEL, width: 100, bars: 1, rows: new Map(), domains: [] };
    let drag = null, cursor = 0;

    function drawLane(context, palette, sums, y, most) {
      for (let column = 0; column < plot.bars; column++) {
        const left = Math.round(column * plot.width / plot.bars);
        const wide = Math.round((column + 1) * plot.width / plot.bars) - left;
        let floor = y + LANE - 3;
        for (let mode = 0; mode < Model.MODES; mode++) {
          const high = sums[column * Model.MODES + mode] / most * (LANE - 5);
          if (high <= 0)
            continue;
          context.fillStyle = palette.modes[mode];
          context.fillRect(plot.left + left, floor - high, wide, high);
          floor -= high;
        }
      }
    }

    function drawLabel(context, palette, domain, y) {
      const text = model.facts.domain_names[domain];
      let letters = Array.from(text.slice(0, 60));
      context.fillStyle = palette.ink;
      while (letters.length > 1 && context.measureText(letters.join("")).width > LABEL - 12)
        letters = letters.slice(0, -1);
      context.fillText(letters.join("") + (letters.join("") === text ? "" : "\u2026"), 0, y + LANE - 9);
    }

    function drawAxis(context, palette, y) {
      const seconds = model.length / 1e6;
      context.fillStyle = palette.quiet;
      context.textAlign = "center";
      for (const mark of ticks(seconds, plot.width)) {
        const x = plot.left + mark / seconds * plot.width;
        context.fillRect(Math.round(x), y, 1, 4);
        if (x > plot.left + 14 && x < plot.left + plot.width - 16)
          context.fillText(mark + " s", x, y + 15);
      }
      context.textAlign = "left";
    }

    function x(bin) {
      return plot.left + bin / Math.max(1, model.bins) * plot.width;
    }

    function drawRange(context, palette, high) {
      const { from, to } = app.state.selection;
      if (from > 0 || to < model.bins) {
        context.fillStyle = palette.paper;
        context.globalAlpha = 0.72;
        context.fillRect(plot.left, 0, x(from) - plot.left, high);
        context.fillRect(x(to), 0, plot.left + plot.width - x(to), high);
        context.globalAlpha = 1;
        context.fillStyle = palette.accent;
        context.fillRect(Math.floor(x(from)) - 1, 0, 2, high);
        context.fillRect(Math.ceil(x(to)) - 1, 0, 2, high);
      }
      if (document.activeElement === canvas) {
        context.fillStyle = palette.ink;
        context.fillRect(Math.round(x(cursor)), 0, 1, high);
      }
    }

    function draw() {
      const width = Math.max(260, box.clientWidth);
      plot.left = LABEL;
      plot.width = width - LABEL;
      plot.bars = countBars(model, plot.width);
      plot.rows = add(model, app.state.selection, app.result.taken, plot.bars);
      plot.domains = order(plot.rows);
      const high = Math.max(1, plot.domains.length) * LANE;
      const palette = Canvas.palette();
      const context = Canvas.prepare(canvas, width, high + AXIS);
      const most = highest(plot.rows) || 1;
      document.getElementById("bin").textContent = "full height: " +
        (most * plot.bars / model.length).toFixed(2) + " pCPUs; bins of " + Text.time(model.binTime);
      context.font = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
      plot.domains.forEach((domain, index) => {
        context.fillStyle = palette.line;
        context.fillRect(plot.left, (index + 1) * LANE - 3, plot.width, 1);
        drawLabel(context, palette, domain, index * LANE);
        drawLane(context, palette, plot.rows.get(domain), index * LANE, most);
      });
      drawAxis(context, palette, high);
      drawRange(context, palette, high);
    }

    function binAt(event, round) {
      const part = (event.offsetX - plot.left) / plot.width;
      return Math.min(model.bins, Math.max(0, round(part * model.bins)));
    }

    function showTip(event) {
      const domain = plot.domains[Math.floor(event.offsetY / LANE)];
      const column = Math.floor((event.offsetX - plot.left) / plot.width * plot.bars);
      if (domain === undefined || column < 0 || column >= plot.bars) {
        Canvas.tip(event, null);
        return;
      }
      const sums = plot.rows.get(domain), base = column * Model.MODES;
      const lines = ["Xen", "kernel", "user", "idle", "mode not known"]
        .map((mode, i) => [mode, sums[base + i]]).filter(([, time]) => time > 0)
        .map(([mode, time]) => mode + " " + Text.time(time));
      const at = column / plot.bars * model.length;
      Canvas.tip(event, [model.facts.domain_names[domain],
                         "from " + Text.seconds(at) + " s, " + Text.time(model.length / plot.bars) + " long", ...lines]);
    }

    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0)
        return;
      canvas.setPointerCapture(event.pointerId);
      drag = { from: binAt(event, Math.floor), x: event.offsetX };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!drag) {
        showTip(event);
        return;
      }
      Canvas.tip(event, null);
      if (Math.abs(event.offsetX - drag.x) < 3)
        return;
      const at = binAt(event, Math.round);
      app.setRange(Math.min(drag.from, at), Math.max(drag.from, at, Math.min(drag.from, at) + 1));
    });
    canvas.addEventListener("pointerup", (event) => {
      if (drag && Math.abs(event.offsetX - drag.x) < 3)
        app.setRange(0, model.bins);
      drag = null;
    });
    canvas.addEventListener("pointerleave", (event) => Canvas.tip(event, null));
    canvas.addEventListener("keydown", (event) => {
      const moved = Range.key(app, event, cursor, Math.max(1, Math.round(model.bins / 100)));
      if (moved !== null) {
        cursor = moved;
        draw();
      }
    });
    for (const kind of ["focus", "blur"])
      canvas.addEventListener(kind, draw);
    return { draw };
  }

  return { create };
})();
