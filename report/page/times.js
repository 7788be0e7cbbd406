// SPDX-License-Identifier: GPL-2.0-or-later
// Time: a lane for each domain, which opens to its vCPUs; in it what ran, by mode, what
// waited, and what had nothing to do, of all that its vCPUs could have run.
VIEWS.times = (() => {
  const AXIS = 18, LABEL = 132;
  const FONT = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif', AXIS_FONT = FONT.replace("12px", "10px");
  const LANES = 150, LANE_LEAST = 26, LANE_MOST = 62; // pixels: of all, of one
  const VCPU_LANE = 22, GROUP = 20; // pixels; of what has no bars
  const FEW = 24; // domains; of more there is a button
  const BAR = 2, ENOUGH = 6; // pixels at least; samples that a bar should have

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

  // The most that a bar has, of events.
  function highest(rows) {
    let most = 0;
    for (const { sums = [] } of rows)
      for (let i = 0; i < sums.length; i += Model.COLUMNS)
        most = Math.max(most, sums.subarray(i, i + Model.COLUMNS).reduce((a, b) => a + b, 0));
    return most;
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
    const { model } = app, { element, isolated } = Lists;
    const { PCPUS } = Lanes;
    let plot = { left: LABEL, width: 100, each: 1, key: "", known: null, rows: [], more: 0 };
    let drag = null, cursor = 0, labels = "";

    // Where each bar begins, and where the last ends.
    function barEdges() {
      const shift = Lanes.barShift(model, plot.each);
      return Array.from({ length: Lanes.countBars(model, plot.each) + 1 }, (none, column) =>
        Math.round(x(Math.min(model.bins, Math.max(0, column * plot.each - shift)))));
    }

    // Of each mode, of what has no sample (it is known that there was work, not which),
    // and of what else lanes have: colours, or hatching.
    /** @type {any} */ // of a palette
    let inked = { palette: null };
    function inks(context, palette) {
      if (inked.palette === palette)
        return inked;
      const hatched = (colour, wide) => {
        const tile = new OffscreenCanvas(6, 6), inner = tile.getContext("2d");
        inner.strokeStyle = colour;
        inner.lineWidth = wide;
        for (const shift of [-3, 3, 9]) {
          inner.moveTo(shift - 3, 6);
          inner.lineTo(shift + 3, 0);
        }
        inner.stroke();
        return context.createPattern(tile, "repeat");
      };
      inked = { palette, sums: [...palette.modes, hatched(palette.quiet, 1)], shown: hatched(palette.ink, 2),
               rest: [palette.group, hatched(palette.alarm, 2), palette.panel] };
      return inked;
    }

    // Fills part of each bar of a lane, on what is there; least: pixels, if it has any.
    function fillBars(context, ink, { column, step, at }, { row, edges, floors, least }) {
      context.fillStyle = ink;
      for (let bar = 0; bar < floors.length; bar++) {
        const time = column[bar * step + at];
        if (!(time > 0))
          continue;
        const high = Math.max(time / row.most * row.room, least && floors[bar] === row.floor ? least : 0);
        context.fillRect(edges[bar], floors[bar] - high, edges[bar + 1] - edges[bar], high);
        floors[bar] -= high;
      }
    }

    // A colour after the other: to choose one takes longer than to draw with it.  What
    // ran is seen, however little it was.
    function drawLane(context, ink, row, edges) {
      const floors = new Float64Array(edges.length - 1).fill(row.floor), least = 1;
      for (let mode = 0; mode < Model.COLUMNS; mode++) {
        const part = { step: Model.COLUMNS, at: mode }, before = floors.slice();
        fillBars(context, ink.sums[mode], { column: row.sums, ...part }, { row, edges, floors, least });
        if (row.shown)
          fillBars(context, ink.shown, { column: row.shown, ...part }, { row, edges, floors: before, least });
      }
      for (let kind = 0; kind < Lanes.KINDS; kind++)
        fillBars(context, ink.rest[kind], { column: row.rest, step: Lanes.KINDS, at: kind }, { row, edges, floors, least: 0 });
    }

    // In which bars the chosen function ran, below the lane.
    function drawShown(context, palette, { shown, floor }, edges) {
      context.fillStyle = palette.hit;
      for (let bar = 0; shown && bar + 1 < edges.length; bar++)
        if (shown.subarray(bar * Model.COLUMNS, (bar + 1) * Model.COLUMNS).some((time) => time > 0))
          context.fillRect(edges[bar], floor, edges[bar + 1] - edges[bar], 2);
    }

    // What the top of a lane stands for.
    function drawTop(context, palette, { y }, text) {
      context.fillStyle = palette.line;
      for (let at = plot.left; at < plot.left + plot.width; at += 6)
        context.fillRect(at, y + 2, 3, 1);
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
        context.fillText("no samples", from + 6, (plot.rows[0]?.high ?? LANE_LEAST) / 2 + 6);
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

    function xOfTime(us) {
      return x(Math.min(model.bins, us / model.binTime));
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

    // Made anew only if something else is selected: a range is not.
    function makeRows(each) {
      const { selection: { modes, domains }, frame, lanes: { open, more } } = app.state;
      if (plot.known?.of !== app.bins || plot.known.each !== each)
        Object.assign(plot, { each, known: Lanes.barsOfDomains(app, each), key: "" });
      const key = [modes.join(""), domains.join(""), frame, [...open].join(), more].join("/");
      if (plot.key !== key)
        Object.assign(plot, { key, ...Lanes.make(app, plot.known, { open, most: FEW + more, pcpus: open.has(PCPUS) }) });
    }

    // Rows get their places, from the top; a lane's bars stand on its floor.
    function placeRows() {
      const domains = plot.rows.filter(({ kind }) => kind === "domain").length;
      const lane = Math.min(LANE_MOST, Math.max(LANE_LEAST, Math.floor(LANES / Math.max(1, domains))));
      const most = model.type.isTime ? 0 : highest(plot.rows) || 1;
      let y = Markers.high(model);
      for (const row of plot.rows) {
        const high = { domain: lane, pcpus: GROUP, more: GROUP }[row.kind] ?? VCPU_LANE;
        Object.assign(row, { y, high, floor: y + high - 3, room: high - 6, ...(most && { most }) });
        y += high;
      }
      return { high: Math.max(y, LANE_LEAST), most };
    }

    function countText(count, what) {
      return Number(count.toFixed(2)) + " " + what + (count === 1 ? "" : "s");
    }

    function rowName({ kind, domain, vcpu, pcpu }) {
      if (kind === "pcpu")
        return "pCPU " + pcpu;
      const name = model.info.domain_names[domain];
      return kind === "domain" ? name : (domain === Model.IDLE_DOMAIN ? "pCPU " : name + " v") + vcpu;
    }

    function rowNote({ kind, domain, vcpus }) {
      return !model.type.isTime ? "" : countText(vcpus, kind === "pcpu" || domain === Model.IDLE_DOMAIN ? "pCPU" : "vCPU");
    }

    function renewing() {
      return () => {
        labels = "";
        kept = {};
      };
    }

    function turn(which) {
      const { lanes } = app.state, open = new Set(lanes.open);
      if (!open.delete(which))
        open.add(which);
      app.setLanes({ ...lanes, open });
      draw();
    }

    function labelParts(row) {
      if (row.kind === "more")
        return ["and " + row.count + " more"];
      if (row.kind === "vcpu")
        return [(row.domain === Model.IDLE_DOMAIN ? "pCPU " : "vCPU ") + row.vcpu];
      const [name, note] = row.kind === "domain" ? [model.info.domain_names[row.domain], rowNote(row)]
        : row.kind === "pcpus" ? [countText(row.count, "pCPU"), ""] : ["pCPU " + row.pcpu, ""];
      return [element("span", { className: "name", title: name.slice(0, 200) }, isolated(name)), element("span", { className: "note" }, note)];
    }

    function label(row) {
      const { kind, domain = PCPUS, opens, y, high } = row;
      const made = element(opens ? "button" : "div", { className: "lane " + kind }, ...labelParts(row));
      Object.assign(made.style, { top: y + "px", height: high + "px" });
      if (!opens)
        return made;
      made.type = "button";
      made.dataset.which = domain;
      made.setAttribute("aria-expanded", String(app.state.lanes.open.has(domain)));
      made.addEventListener("click", () => turn(domain));
      return made;
    }

    // Names of lanes are text; those that open are buttons.
    function showLabels(high) {
      const place = document.getElementById("lanes"), more = document.getElementById("more-lanes");
      const wanted = plot.rows.map(({ kind, domain, vcpu, y, high: own }) => [kind, domain, vcpu, y, own, app.state.lanes.open.has(domain ?? PCPUS)].join(" ")).join();
      more.hidden = !plot.more;
      more.textContent = countText(plot.more, "more domain");
      if (labels === wanted)
        return;
      const focus = place.contains(document.activeElement) ? document.activeElement.dataset.which : null;
      labels = wanted;
      place.style.height = high + "px";
      place.replaceChildren(...plot.rows.map(label));
      if (focus !== null)
        place.querySelector('[data-which="' + focus + '"]')?.focus();
    }

    function showScale(most) {
      const hatched = plot.rows.some(({ sums }) => sums?.some((sum, i) => sum > 0 && i % Model.COLUMNS === Model.NO_SAMPLE));
      const place = document.getElementById("bin"), known = model.waits.groups.length > 0;
      const text = "bins of " + Text.width(model.binTime) + "; full height: " + (most ? model.type.amount(most) : "all of a lane's vCPUs");
      if (place.title !== text)
        place.textContent = place.title = text;
      for (const one of document.querySelectorAll("#lane-legend > *"))
        one.hidden = !(one.dataset.of === "no-sample" ? hatched : known);
    }

    // What a range does not change, which is most of the work: kept until something else is
    // selected.
    const behind = document.createElement("canvas");
    /** @type {any} */ // rows, palette, width
    let kept = {};
    function drawBehind(palette, width, high, most) {
      const { rows } = plot;
      if (kept.rows === rows && kept.palette === palette && kept.width === width)
        return;
      kept = { rows, palette, width };
      const context = Canvas.prepare(behind, width, high + AXIS), ink = inks(context, palette), edges = barEdges();
      showLabels(high);
      showScale(most);
      context.font = FONT;
      drawUnsampled(context, palette, high);
      plot.rows.filter(({ sums }) => sums).forEach((row, index) => {
        context.fillStyle = palette.line;
        context.fillRect(plot.left, row.floor, plot.width, 1);
        drawTop(context, palette, row, index || most ? "" : "100 %");
        drawLane(context, ink, row, edges);
        drawShown(context, palette, row, edges);
      });
      drawAxis(context, palette, high);
      Markers.draw(context, palette, model, xOfTime, high);
    }

    function draw() {
      const width = Math.max(260, Canvas.width(box, draw)), palette = Canvas.palette();
      plot.left = LABEL;
      plot.width = width - LABEL;
      makeRows(binsOfBar(model, plot.width));
      const { high, most } = placeRows();
      drawBehind(palette, width, high, most);
      const context = Canvas.prepare(canvas, width, high + AXIS);
      context.font = FONT;
      Canvas.copy(context, behind);
      drawRange(context, palette, high);
    }

    function binAt(event, round) {
      const part = (event.offsetX - plot.left) / plot.width;
      return Math.min(model.bins, Math.max(0, round(part * model.bins)));
    }

    // What ran of a domain in a pCPU's bar.
    function domainLine(domain, column, bar) {
      const time = column.subarray(bar * Model.COLUMNS, (bar + 1) * Model.COLUMNS).reduce((a, b) => a + b, 0);
      return time >= 0.5 ? [model.info.domain_names[domain] + ": " + model.type.amount(time)] : [];
    }

    // What a bar of a lane has, in words.
    function barLines(row, bar) {
      const { amount } = model.type, sums = row.sums.subarray(bar * Model.COLUMNS, (bar + 1) * Model.COLUMNS);
      const rest = row.rest.subarray(bar * Lanes.KINDS, (bar + 1) * Lanes.KINDS);
      const shown = row.shown?.subarray(bar * Model.COLUMNS, (bar + 1) * Model.COLUMNS).reduce((a, b) => a + b, 0);
      const parts = [...Model.MODE_NAMES, "no sample"].map((mode, i) => [mode, sums[i]])
        .concat(Lanes.REST_NAMES.map((name, i) => [name, rest[i]]))
        .filter(([, time]) => time >= 0.5).map(([name, time]) => name + " " + amount(time));
      for (const [domain, column] of row.by ?? [])
        parts.push(...domainLine(domain, column, bar));
      return shown > 0 ? [...parts, model.frameName(app.state.frame).slice(0, 80) + ": " + amount(shown)] : parts;
    }

    function showTip(event) {
      const marks = event.offsetY < Markers.high(model) && Markers.tip(model, xOfTime, event.offsetX);
      if (marks) {
        Canvas.tip(event, marks);
        return;
      }
      const row = plot.rows.find(({ y, high }) => event.offsetY >= y && event.offsetY < y + high);
      const shift = Lanes.barShift(model, plot.each), bin = binAt(event, Math.floor);
      const bar = Math.floor((bin + shift) / plot.each), begin = Math.max(0, bar * plot.each - shift);
      if (!row?.sums || event.offsetX < plot.left || bin >= model.bins) {
        Canvas.tip(event, null);
        return;
      }
      const at = Model.timeOf(model, begin), long = Model.timeOf(model, (bar + 1) * plot.each - shift) - at;
      const note = rowNote(row);
      Canvas.tip(event, [rowName(row), "from " + Text.seconds(at) + " s, " + Text.time(long) + " long" + (note && ", " + note),
                         ...(begin < model.sampled || model.account ? barLines(row, bar) : ["no samples from here on"])]);
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
    document.getElementById("more-lanes").addEventListener("click", () => {
      const { lanes } = app.state;
      app.setLanes({ ...lanes, more: lanes.more + FEW });
      draw();
    });
    function goTo(bin) {
      cursor = bin;
      canvas.focus();
      draw();
    }

    return { panel: box, draw, goTo, numbersChanged: draw, frameChosen: draw, renewing, keys: [{ key: "t", what: "to the time", run: () => canvas.focus() }] };
  }

  return { create, needsTimes: true };
})();
