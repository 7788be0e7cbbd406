// SPDX-License-Identifier: GPL-2.0-or-later
// Work over time: a lane for each domain, with its modes stacked.
VIEWS.times = (() => {
  const AXIS = 18, LABEL = 118;
  const FONT = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif', AXIS_FONT = FONT.replace("12px", "10px");
  const LANES = 150, LANE_LEAST = 26, LANE_MOST = 62; // pixels: of all, of one
  const BAR = 2, ENOUGH = 6; // pixels at least; samples that a bar should have
  const HEIGHTS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]; // of a lane: shares of all pCPUs

  // The same in bars of so many bins; bars and slots begin together.
  function makeBars(model, bins, each) {
    const bars = new Map(), shift = barShift(model, each);
    for (const [domain, { times }] of bins) {
      const sums = new Float64Array(countBars(model, each) * Model.COLUMNS);
      for (let bin = 0; bin < model.bins; bin++) {
        const at = Math.floor((bin + shift) / each) * Model.COLUMNS;
        for (let mode = 0; mode < Model.COLUMNS; mode++)
          sums[at + mode] += times[bin * Model.COLUMNS + mode];
      }
      bars.set(domain, sums);
    }
    return bars;
  }

  // Bins of the first bar that are over when the page begins.
  function barShift({ account }, each) {
    return account ? account.over % each : 0;
  }

  function countBars(model, each) {
    return Math.ceil((model.bins + barShift(model, each)) / each);
  }

  // Work in a bar, of all domains.
  function workOf(bars, bar) {
    let work = 0;
    for (const sums of bars.values())
      for (let mode = 0; mode < Model.COLUMNS; mode++)
        work += mode === Model.IDLE ? 0 : sums[bar * Model.COLUMNS + mode];
    return work;
  }

  // Bars of whole slots have the time that there was.  In a part of a slot samples can by
  // chance have more than all pCPUs had then: of such a bar all is scaled down, and what
  // that leaves of each domain and mode goes to the bars of the same slot that have room,
  // by how much they have.  So a slot's sums are as before.  Without owners of time it
  // goes nowhere.  Returns that for each bar; whatever is selected, it is the same.
  function makeFit(model, all, each) {
    const count = countBars(model, each), most = model.pcpus * each * model.binTime;
    const scale = new Float64Array(count).fill(1), room = new Float64Array(count);
    for (let bar = 0; bar < count; bar++) {
      const work = workOf(all, bar);
      scale[bar] = work > most ? most / work : 1;
      room[bar] = Math.max(0, most - work);
    }
    return { scale, room, ofSlot: model.account && each < model.account.slotBins ? model.account.slotBins / each : 0 };
  }

  function fit({ scale, room, ofSlot }, sums) {
    const first = ofSlot || 1; // bars
    for (let begin = 0; begin < scale.length; begin += first) {
      const end = Math.min(scale.length, begin + first), free = room.slice(begin, end).reduce((a, b) => a + b, 0);
      if (scale.subarray(begin, end).every((one) => one === 1))
        continue;
      for (let mode = 0; mode < Model.COLUMNS; mode++) {
        let rest = 0;
        for (let bar = begin; bar < end; bar++) {
          const at = bar * Model.COLUMNS + mode;
          rest += sums[at] * (1 - scale[bar]);
          sums[at] *= scale[bar];
        }
        for (let bar = begin; ofSlot && free > 0 && bar < end; bar++)
          sums[bar * Model.COLUMNS + mode] += rest * room[bar] / free;
      }
    }
  }

  // What is selected of them, for domains with work.  Time without a sample has no mode.
  function chooseRows({ domains, modes }, bars) {
    const rows = new Map();
    for (const [domain, sums] of bars) {
      const chosen = sums.map((sum, i) => sum * modes[Math.min(i % Model.COLUMNS, Model.NO_MODE)]);
      if (domains[domain] && chosen.some((sum) => sum > 0))
        rows.set(domain, chosen);
    }
    return rows;
  }

  function barSum(sums, i) {
    let sum = 0;
    for (let mode = 0; mode < Model.COLUMNS; mode++)
      sum += sums[i + mode];
    return sum;
  }

  // A bar is a whole number of bins, so that all bars are equally wide; and of slots, or
  // a part of one.
  function binsOfBar(model, room) {
    const bars = Math.min(Math.floor(room / BAR), Math.max(40, Math.floor(model.sampleCount / ENOUGH)));
    const bins = Math.max(1, Math.ceil(model.bins / bars)), slot = model.account?.slotBins ?? 1;
    if (bins >= slot)
      return Math.ceil(bins / slot) * slot;
    let each = bins;
    while (slot % each)
      each++;
    return each;
  }

  function highest(rows) {
    let most = 0;
    for (const sums of rows.values())
      for (let i = 0; i < sums.length; i += Model.COLUMNS)
        most = Math.max(most, barSum(sums, i));
    return most;
  }

  // The height of a lane: a round share of all pCPUs, and never more than all.
  function heightFor(most, all) {
    return HEIGHTS.find((one) => one >= most / all - 1e-6) ?? 1;
  }

  // Domains with the most work first; groups that are not domains last.
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
    let plot = { left: LABEL, width: 100, each: 1, lane: LANE_LEAST, of: null, bars: new Map(), rows: new Map(), domains: [] };
    let drag = null, cursor = 0;

    // Where each bar begins, and where the last ends.
    function barEdges() {
      const shift = barShift(model, plot.each);
      return Array.from({ length: countBars(model, plot.each) + 1 }, (none, column) =>
        Math.round(x(Math.min(model.bins, Math.max(0, column * plot.each - shift)))));
    }

    // How time without a sample is drawn: it is known that there was work, not which.
    function hatching(context, palette) {
      const tile = new OffscreenCanvas(6, 6), inner = tile.getContext("2d");
      inner.strokeStyle = palette.quiet;
      for (const shift of [-3, 3, 9]) {
        inner.moveTo(shift - 3, 6);
        inner.lineTo(shift + 3, 0);
      }
      inner.stroke();
      return context.createPattern(tile, "repeat");
    }

    // A colour after the other: to choose one takes longer than to draw with it.
    function drawLane(context, palette, sums, y, most, edges) {
      const columns = edges.length - 1, floors = new Float64Array(columns).fill(y + plot.lane - 3);
      for (let mode = 0; mode < Model.COLUMNS; mode++) {
        context.fillStyle = mode === Model.NO_SAMPLE ? hatching(context, palette) : palette.modes[mode];
        for (let column = 0; column < columns; column++) {
          const high = sums[column * Model.COLUMNS + mode] / most * (plot.lane - 6);
          if (high <= 0)
            continue;
          context.fillRect(edges[column], floors[column] - high, edges[column + 1] - edges[column], high);
          floors[column] -= high;
        }
      }
    }

    function drawLabel(context, palette, domain, y) {
      const text = model.info.domain_names[domain];
      let letters = Array.from(text.slice(0, 60));
      context.fillStyle = palette.ink;
      while (letters.length > 1 && context.measureText(letters.join("")).width > LABEL - 12)
        letters = letters.slice(0, -1);
      context.fillText(letters.join("") + (letters.join("") === text ? "" : "\u2026"), 0, y + plot.lane / 2 + 6);
    }

    // What the top of a lane stands for: a line, and in the first its share.
    function drawTop(context, palette, y, text) {
      context.fillStyle = palette.line;
      for (let x = plot.left; x < plot.left + plot.width; x += 6)
        context.fillRect(x, y + 2, 3, 1);
      context.fillStyle = palette.quiet;
      context.font = AXIS_FONT;
      context.textAlign = "right";
      context.fillText(text, plot.left - 4, y + 9);
      context.textAlign = "left";
      context.font = FONT;
    }

    // Where no sample is any more, though the session goes on, and it is not known who
    // ran.
    function drawUnsampled(context, palette, high) {
      const from = x(Math.min(model.bins, Math.ceil(model.sampled / plot.each) * plot.each));
      if (model.account || plot.left + plot.width - from < 4)
        return;
      context.fillStyle = palette.panel;
      context.fillRect(from, 0, plot.left + plot.width - from, high);
      context.fillStyle = palette.quiet;
      if (plot.left + plot.width - from > 76)
        context.fillText("no samples", from + 6, plot.lane / 2 + 6);
    }

    function drawAxis(context, palette, y) {
      const seconds = model.length / 1e6;
      context.fillStyle = palette.quiet;
      context.textAlign = "center";
      for (const mark of ticks(seconds, plot.width)) {
        const at = x((mark * 1e6 + model.over) / model.binTime);
        context.fillRect(Math.round(at), y, 1, 4);
        if (mark === 0)
          context.fillText("0", at + 3, y + 15);
        else if (at > plot.left + 14 && at < plot.left + plot.width - 16)
          context.fillText(mark + " s", at, y + 15);
      }
      context.textAlign = "left";
    }

    function x(bin) {
      return plot.left + bin / Math.max(1, model.bins) * plot.width;
    }

    function drawRange(context, palette, high) {
      const { from, to } = app.state.selection;
      if (from > 0 || to < model.bins || app.state.base)
        Range.shade(app, context, palette, { x, high });
      if (document.activeElement === canvas) {
        context.fillStyle = palette.ink;
        context.fillRect(Math.round(x(cursor)), 0, 1, high);
      }
    }

    // What the height of a lane stands for.  There is no more time than that of all
    // pCPUs; of other types there may be any amount.
    function heightOf(rows) {
      const all = model.pcpus * plot.each * model.binTime;
      if (!model.type.isTime) {
        const most = highest(rows) || 1;
        return { most, top: "", text: model.type.amount(most) };
      }
      const height = heightFor(highest(rows), all), top = 100 * height + " %";
      return { most: height * all, top, text: top + " of " + Number(model.pcpus.toFixed(2)) + " pCPUs" };
    }

    function setBars(each) {
      Object.assign(plot, { of: app.bins, each, bars: makeBars(model, app.bins, each) });
      if (!model.type.isTime)
        return;
      const fitting = makeFit(model, makeBars(model, Model.allBins(model), each), each);
      plot.bars.forEach((sums) => fit(fitting, sums));
    }

    function makeRows(each) {
      if (plot.of !== app.bins || plot.each !== each)
        setBars(each);
      plot.rows = chooseRows(app.state.selection, plot.bars);
      plot.domains = order(plot.rows);
    }

    function draw() {
      const width = Math.max(260, Canvas.width(box, draw));
      plot.left = LABEL;
      plot.width = width - LABEL;
      makeRows(binsOfBar(model, plot.width));
      plot.lane = Math.min(LANE_MOST, Math.max(LANE_LEAST, Math.floor(LANES / Math.max(1, plot.domains.length))));
      const high = Math.max(1, plot.domains.length) * plot.lane;
      const palette = Canvas.palette();
      const context = Canvas.prepare(canvas, width, high + AXIS);
      const { most, top, text } = heightOf(plot.rows);
      document.getElementById("bin").textContent = "full height: " + text + "; bins of " + Text.width(model.binTime) +
        ([...plot.rows.values()].some((sums) => sums.some((sum, i) => sum > 0 && i % Model.COLUMNS === Model.NO_SAMPLE))
          ? "; hatched: no sample" : "");
      context.font = FONT;
      drawUnsampled(context, palette, high);
      const edges = barEdges();
      plot.domains.forEach((domain, index) => {
        context.fillStyle = palette.line;
        context.fillRect(plot.left, (index + 1) * plot.lane - 3, plot.width, 1);
        drawTop(context, palette, index * plot.lane, index ? "" : top);
        drawLabel(context, palette, domain, index * plot.lane);
        drawLane(context, palette, plot.rows.get(domain), index * plot.lane, most, edges);
      });
      drawAxis(context, palette, high);
      drawRange(context, palette, high);
    }

    function binAt(event, round) {
      const part = (event.offsetX - plot.left) / plot.width;
      return Math.min(model.bins, Math.max(0, round(part * model.bins)));
    }

    function showTip(event) {
      const domain = plot.domains[Math.floor(event.offsetY / plot.lane)];
      const shift = barShift(model, plot.each), bin = binAt(event, Math.floor);
      const column = Math.floor((bin + shift) / plot.each), begin = Math.max(0, column * plot.each - shift);
      if (domain === undefined || event.offsetX < plot.left || bin >= model.bins) {
        Canvas.tip(event, null);
        return;
      }
      const sums = plot.rows.get(domain), base = column * Model.COLUMNS;
      const lines = [...Model.MODE_NAMES, "no sample"]
        .map((mode, i) => [mode, sums[base + i]]).filter(([, time]) => time > 0)
        .map(([mode, time]) => mode + " " + model.type.amount(time));
      const at = Model.timeOf(model, begin), long = Model.timeOf(model, (column + 1) * plot.each - shift) - at;
      Canvas.tip(event, [model.info.domain_names[domain],
                         "from " + Text.seconds(at) + " s, " + Text.time(long) + " long",
                         ...(begin < model.sampled || model.account ? lines : ["no samples from here on"])]);
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
    return { draw, numbersChanged: draw, keys: [{ key: "t", what: "to the time", run: () => canvas.focus() }] };
  }

  return { create, needsTimes: true };
})();
