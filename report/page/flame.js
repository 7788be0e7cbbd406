// SPDX-License-Identifier: GPL-2.0-or-later
// The flame graph, of the shape that is wished (shape.js).
VIEWS.flame = (() => {
  const USER = 2; // a mode
  const ROW = 20, TEETH = 6; // pixels
  const FONT = '12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

  function create(app) {
    const canvas = document.getElementById("flame"), box = document.getElementById("flame-box");
    const view = { shape: app.shape, zoom: 0, current: 0, rootAbove: true, boxes: [], blend: null, width: 0, rows: 1, first: 0, hits: null };
    const { model } = app;
    const { tree, type } = model;
    let letter = 7.2;
    /** @type {any} */ // of a palette
    let paints = { palette: null };

    // Where frames are in so many pixels, when that node is zoomed to.
    function arrange(zoom, width) {
      const palette = Canvas.palette(), { inks, changes } = paintsOf(palette), { sides } = app.result, { hits } = view, chosen = app.state.frame;
      const step = sides && Compare.steps(app.result);
      const blend = Blend.create(width, sides ? changes : inks, Blend.parse(palette.hit));
      const boxes = Boxes.layout(app.shape, zoom, width, (x, depth, much, frame, source) =>
        blend.add(x, depth, much, step ? step(source) : frame + 1, frame >= 0 && (hits ? hits[frame] === 1 : frame === chosen)));
      const depths = boxes.map(({ depth }) => depth).concat(blend.depths(), 0);
      const first = depths.reduce((least, depth) => Math.min(least, depth));
      return { boxes, blend, first, rows: depths.reduce((most, depth) => Math.max(most, depth)) + 1 - first };
    }

    function top(depth) {
      return Frames.row(depth - view.first, view.rows, view.rootAbove) * ROW;
    }

    // Only letters that are not ASCII need to be measured.
    function shorten(context, text, room) {
      return Frames.shorten(text, Math.floor((room - 8) / letter), "\u2026", (short) =>
        !/[^\x20-\x7e]/.test(short) || context.measureText(short).width <= room - 8);
    }

    // The colours of frames in a theme; the same as numbers, for the blend.
    function paintsOf(palette) {
      if (paints.palette === palette)
        return paints;
      const { mode, image, part } = model.frames;
      const shades = palette.modes.slice(0, USER + 1).map((colour) =>
        Array.from({ length: Subsystems.SHADES }, (none, number) => Subsystems.shade(colour, number, palette.dark)));
      // Of a process's code, what it is depends on its image.
      const frames = model.info.frame_names.map((name, frame) =>
        shades[mode[frame]]?.[(mode[frame] === USER ? image[frame] : part[frame]) % Subsystems.SHADES] ?? palette.modes[mode[frame]]);
      const numbers = new Map([palette.group, ...frames, ...palette.changes].map((colour) => [colour, Blend.parse(colour)]));
      const inksOf = (colours) => Float32Array.from(colours.flatMap((colour) => numbers.get(colour)));
      paints = { palette, frames, inks: inksOf([palette.group, ...frames]), changes: inksOf(palette.changes) };
      return paints;
    }

    function colour(palette, { node, frame }) {
      if (isMarked(frame))
        return palette.hit;
      if (app.result.sides)
        return palette.changes[Compare.steps(app.result)(node)];
      if (frame < 0)
        return app.shape.domain(node) === Model.IDLE_DOMAIN ? palette.modes[Model.IDLE] : palette.group;
      return paints.frames[frame];
    }

    // What was searched for, or else the chosen function, has one strong colour.
    function isMarked(frame) {
      return frame >= 0 && (view.hits ? view.hits[frame] === 1 : frame === app.state.frame);
    }

    function ink(palette, item) {
      return isDim(item) ? palette.ink : Canvas.inkOn(colour(palette, item));
    }

    function isDim(item) {
      const marked = isMarked(item.frame);
      return (item.above && !marked) || (view.hits !== null && !marked);
    }

    // Frames stand apart where there is room for that.
    function gap(wide) {
      return wide >= 4 ? 1 : wide >= 2 ? 0.5 : 0;
    }

    // All rectangles of a colour one after the other: to choose one takes longer.
    function drawRectangles(context, palette) {
      const layers = new Map();
      for (const item of view.boxes) {
        const ink = colour(palette, item), key = isDim(item) ? ink + " dim" : ink, layer = layers.get(key);
        if (layer)
          layer.push(item);
        else
          layers.set(key, [item]);
      }
      for (const [key, items] of layers) {
        context.globalAlpha = key.endsWith(" dim") ? 0.5 : 1;
        context.fillStyle = key.split(" ")[0];
        for (const { x, wide, depth } of items)
          context.fillRect(x, top(depth), wide - gap(wide), ROW - 1);
      }
      context.globalAlpha = 1;
    }

    function drawTexts(context, palette) {
      for (const item of view.boxes) {
        const text = item.wide > 28 ? shorten(context, app.shape.name(item.node), item.wide) : "";
        if (!text)
          continue;
        context.globalAlpha = isDim(item) && view.hits ? 0.75 : 1;
        context.fillStyle = ink(palette, item);
        context.fillText(text, item.x + 4, top(item.depth) + 14);
      }
      context.globalAlpha = 1;
    }

    // The side of a frame on which its caller would be, but is not known.
    function drawTorn(context, palette) {
      context.fillStyle = palette.paper;
      context.beginPath();
      for (const item of view.boxes) {
        if (!item.torn || item.wide < TEETH)
          continue;
        const edge = top(item.depth) + (view.rootAbove ? 0 : ROW - 1), tip = edge + (view.rootAbove ? 1 : -1) * TEETH / 2;
        for (let x = item.x; x + TEETH / 2 < item.x + item.wide; x += TEETH) {
          context.moveTo(x, edge);
          context.lineTo(x + TEETH / 2, tip);
          context.lineTo(x + TEETH, edge);
        }
      }
      context.fill();
    }

    function drawCurrent(context, palette) {
      const item = view.boxes.find((one) => one.node === view.current);
      if (!item || document.activeElement !== canvas)
        return;
      context.strokeStyle = palette.ink;
      context.lineWidth = 2;
      context.strokeRect(item.x + 1, top(item.depth) + 1, Math.max(item.wide - 3, 2), ROW - 3);
    }

    function draw() {
      const width = Math.max(200, Canvas.width(box, draw));
      const palette = Canvas.palette();
      Object.assign(view, arrange(view.zoom, width), { width });
      const context = Canvas.prepare(canvas, width, view.rows * ROW);
      context.font = FONT;
      letter = context.measureText("m").width;
      context.direction = "ltr";
      view.blend.draw(context, top, ROW - 1, view.hits ? 0.5 : 1);
      drawRectangles(context, palette);
      drawTexts(context, palette);
      drawTorn(context, palette);
      drawCurrent(context, palette);
      if (!(app.shape.total(view.zoom) > 0)) {
        context.fillStyle = palette.quiet;
        context.fillText("Nothing is selected that has samples: All shows everything again.", 4, ROW * view.rows - 6);
      }
    }

    function info(node) {
      const { shape, result } = app, frame = shape.frame(node), { frames } = model, lines = [];
      const mode = frames.mode[frame], part = frames.part[frame], image = model.imageName(frames.image[frame]);
      if (frame >= 0 && mode < Model.NO_MODE)
        lines.push(Model.MODE_NAMES[mode] + (part ? ", " + Subsystems.NAMES[part] : "") +
                   (image && !["xen", "kernel", "user"].includes(image) ? ", " + image : ""));
      if (shape.isTorn(node))
        lines.push("who called it is not known: " + shape.name(shape.parent(node)));
      if (result.sides)
        return lines.concat(Compare.lines(app, node));
      const total = shape.total(node), own = shape.own(node);
      lines.push(type.amount(total) + ", " + Text.percent(total, result.all) +
                 " of " + type.whole + ", " + Text.percent(total, shape.total(0)) + " of what is shown");
      lines.push((own > 0 ? "itself " + type.amount(own) + "; " : "") + Text.count(shape.samples(node)) + " samples");
      return lines;
    }

    const status = document.getElementById("status"), hint = status.textContent;

    function say(name, lines) {
      status.textContent = "\u2068" + name.slice(0, 300) + "\u2069   " + lines.join("; ");
    }

    // Of a function that was chosen elsewhere: wherever it was called from.
    function infoOfFunction(frame) {
      const { own, total, count } = Model.ofFunction(model, app.result, frame);
      return [type.amount(total) + ", " + Text.percent(total, app.result.all) + " of " + type.whole +
              ", wherever it was called from", "itself " + type.amount(own) + "; " + Text.count(count) + " samples"];
    }

    // The line below the graph is on what is chosen now.
    function showStatus() {
      const { frame } = app.state;
      if (frame >= 0 && app.shape.middle < 0 && app.shape.frame(view.current) !== frame)
        say(model.frameName(frame), app.result.sides ? Compare.linesOfFunction(app, frame) : infoOfFunction(frame));
      else if (view.current > 0 || app.shape.middle >= 0)
        say(app.shape.name(view.current), info(view.current));
      else
        status.textContent = hint;
    }

    function reveal() {
      const item = view.boxes.find((one) => one.node === view.current);
      if (!item)
        return;
      const y = top(item.depth);
      if (y < box.scrollTop)
        box.scrollTop = y;
      else if (y + ROW > box.scrollTop + box.clientHeight)
        box.scrollTop = y + ROW - box.clientHeight;
    }

    function select(node) {
      view.current = node;
      if (app.shape.middle < 0) // else that is another shape
        app.chooseFrame(app.shape.frame(node));
      showStatus();
      draw();
      reveal();
    }

    // Of callers and callees, another function is in the middle then.
    function zoom(node) {
      if (app.shape.middle >= 0) {
        app.chooseFrame(app.shape.frame(node) < 0 ? app.shape.middle : app.shape.frame(node));
        return;
      }
      view.zoom = node;
      view.current = node;
      draw();
      if (!view.rootAbove)
        box.scrollTop = box.scrollHeight;
      showStatus();
      app.zoomed();
    }

    function flip() {
      view.rootAbove = !view.rootAbove;
      draw();
      box.scrollTop = view.rootAbove ? 0 : box.scrollHeight;
      app.turned();
    }

    function nextMatch(step) {
      const at = view.boxes.findIndex(({ node }) => node === view.current);
      const found = [...view.boxes.keys()].filter((index) => view.hits?.[view.boxes[index].frame]);
      if (!found.length)
        return;
      canvas.focus();
      const next = step > 0 ? found.find((index) => index > at) : found.findLast((index) => index < at);
      select(view.boxes[next ?? (step > 0 ? found[0] : found[found.length - 1])].node);
    }

    // Marks functions that match.  Returns how much of the time is in them.
    function search(frameHits) {
      view.hits = frameHits;
      if (!frameHits)
        return null;
      return Frames.sumMatches(tree.count, (node) => tree.depth[node], (node) => tree.frame[node] >= 0 && frameHits[tree.frame[node]],
                               (node) => app.result.total[node]);
    }

    // What is at a place: the node of a frame, -1: nothing, -2: frames without a width.
    function at(event) {
      const depth = Frames.row(Math.floor(event.offsetY / ROW), view.rows, view.rootAbove) + view.first;
      const item = view.boxes.find((one) => one.depth === depth && event.offsetX >= one.x &&
                                            event.offsetX < one.x + one.wide);
      return item ? item.node : view.blend.has(event.offsetX, depth) ? -2 : -1;
    }

    const keys = {
      Home: () => select(view.zoom),
      Enter: () => zoom(view.current),
      Backspace: () => zoom(app.shape.parent(view.zoom)),
    };

    // The node to which an arrow key goes, or null for another key.
    function arrow(key) {
      const item = view.boxes.find((one) => one.node === view.current);
      if (!item)
        return key.startsWith("Arrow") ? view.zoom : null;
      return Boxes.move(view.boxes, item, key, view.rootAbove)?.node ?? null;
    }

    // Returns whether it is a key of the flame graph.
    function take(key) {
      const next = arrow(key);
      if (next !== null)
        select(next);
      else if (Object.hasOwn(keys, key))
        keys[key]();
      return next !== null || Object.hasOwn(keys, key);
    }

    canvas.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.altKey && !event.metaKey && take(event.key))
        event.preventDefault();
    });
    canvas.addEventListener("pointermove", (event) => {
      const node = at(event);
      Canvas.tip(event, node === -1 ? null : node < 0 ? ["frames narrower than a pixel", "To zoom in shows them."]
        : [app.shape.name(node), ...info(node)]);
      canvas.style.cursor = node < 0 ? "default" : "pointer";
    });
    canvas.addEventListener("pointerleave", (event) => Canvas.tip(event, null));
    canvas.addEventListener("click", (event) => {
      const node = at(event);
      if (node < 0)
        return;
      const { shape } = app;
      select(node);
      if (app.shape === shape) // else nodes have other numbers
        zoom(node);
    });
    for (const kind of ["focus", "blur"])
      canvas.addEventListener(kind, draw);
    document.getElementById("flip").addEventListener("click", flip);
    document.getElementById("reset").addEventListener("click", () => zoom(0));

    function drawAndSay() {
      draw();
      showStatus();
    }

    // The frame that the keys are at stays, and how far the graph is scrolled.
    function renewing() {
      const path = Link.pathOf(app, view.current);
      return () => {
        paints = { palette: null };
        Object.assign(view, { shape: app.shape, hits: null, current: Link.walk(app, path).node });
      };
    }

    // What is zoomed to of another shape, whose nodes have other numbers.
    function begin(node) {
      view.zoom = view.current = node;
    }

    function update() {
      const isOther = view.shape !== app.shape;
      view.shape = app.shape;
      drawAndSay();
      if (isOther)
        box.scrollTop = app.shape.middle >= 0 ? top(0) - (box.clientHeight - ROW) / 2 : view.rootAbove ? 0 : box.scrollHeight;
    }

    // All that is drawn, for a picture of it.
    function drawing() {
      const palette = Canvas.palette(), { boxes, blend, width, rows } = view;
      const frames = boxes.map((item) => ({
        x: item.x, wide: item.wide - gap(item.wide), y: top(item.depth), colour: colour(palette, item),
        ink: Canvas.inkOn(colour(palette, item)), text: item.wide > 28 ? Frames.shorten(app.shape.name(item.node), Math.floor((item.wide - 8) / letter), "\u2026") : "",
        lines: [app.shape.name(item.node).slice(0, 400), ...info(item.node)],
      }));
      return { frames, pieces: blend.pieces().map((piece) => ({ ...piece, y: top(piece.depth) })), width, rows };
    }

    return {
      arrange, drawing, colour: (item) => colour(Canvas.palette(), item), view, begin, renewing, zoom, search, select, draw, reshaped: update, numbersChanged: update, searched: draw, frameChosen: update,
      forget: () => {
        view.current = view.zoom;
        drawAndSay();
      },
      keys: [
        { key: "f", what: "to the flame graph", run: () => canvas.focus() },
        { shown: "Arrows", what: "in the flame graph: from one frame to the next" },
        { shown: "Enter", what: "in the flame graph: zoom in" },
        { shown: "Backspace", what: "in the flame graph: zoom one level out" },
        { key: "r", what: "zoom out of everything", run: () => zoom(0) },
        { key: "i", what: "turn the flame graph: root on top or at the bottom", run: flip },
        { key: "n", what: "next match in the flame graph", run: () => nextMatch(1) },
        { key: "N", what: "previous match in the flame graph", run: () => nextMatch(-1) },
      ],
    };
  }

  return { create };
})();
