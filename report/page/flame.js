// SPDX-License-Identifier: GPL-2.0-or-later
// The flame graph.  Frames narrower than half a pixel are left out, with all
// below them.
VIEWS.flame = (() => {
  const USER = 2; // a mode
  const ROW = 20, NARROW = 0.5, TEETH = 6; // pixels
  const FONT = '12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

  function create(app) {
    const canvas = document.getElementById("flame"), box = document.getElementById("flame-box");
    const view = { zoom: 0, current: 0, rootAbove: true, boxes: [], rows: 1, hits: null };
    const { model } = app;
    const { tree, type } = model;
    let letter = 7.2, shades = [];

    function name(node) {
      if (node === 0)
        return "all";
      return tree.frame[node] < 0 ? model.info.domain_names[tree.domain[node]] : model.frameName(tree.frame[node]);
    }

    // Boxes from left to right, each before its children.
    function layout(width) {
      const total = app.result.total;
      const boxes = [];
      const path = [];
      for (let node = view.zoom; node !== 0; node = tree.parent[node])
        path.unshift(tree.parent[node]);
      for (const node of path.filter((one) => !tree.absent[one]))
        boxes.push({ node, x: 0, wide: width, depth: tree.row[node], above: true, torn: tree.absent[tree.parent[node]] });
      if (total[view.zoom] > 0)
        place(boxes, view.zoom, width / total[view.zoom], width);
      view.boxes = boxes;
      view.rows = boxes.reduce((most, item) => Math.max(most, item.depth + 1), 1);
    }

    function place(boxes, top, scale, width) {
      const total = app.result.total;
      const item = (node, x, wide) =>
        ({ node, x, wide, depth: tree.row[node], above: false, torn: tree.absent[tree.parent[node]] });
      const waiting = [item(top, 0, width)];
      while (waiting.length) {
        const above = waiting.pop();
        if (!tree.absent[above.node])
          boxes.push(above);
        let { x } = above;
        const below = [];
        for (let node = above.node + 1; node < tree.end[above.node]; node = tree.end[node]) {
          const wide = total[node] * scale;
          if (wide >= NARROW)
            below.push(item(node, x, wide));
          x += wide;
        }
        while (below.length)
          waiting.push(below.pop());
      }
    }

    function top(depth) {
      return Frames.row(depth, view.rows, view.rootAbove) * ROW;
    }

    // Only letters that are not ASCII need to be measured.
    function shorten(context, text, room) {
      return Frames.shorten(text, Math.floor((room - 8) / letter), "\u2026", (short) =>
        !/[^\x20-\x7e]/.test(short) || context.measureText(short).width <= room - 8);
    }

    function colour(palette, item) {
      if (isMarked(item.node))
        return palette.hit;
      if (app.result.sides)
        return palette.changes[Compare.step(app, item.node)];
      if (tree.frame[item.node] < 0 && tree.mode[item.node] !== Model.IDLE)
        return palette.group;
      return shades[tree.mode[item.node]]?.[shadeOf(item.node)] ?? palette.modes[tree.mode[item.node]];
    }

    // Of a process's code, what it is depends on its image.
    function shadeOf(node) {
      return (tree.mode[node] === USER ? tree.image[node] : tree.part[node]) % Subsystems.SHADES;
    }

    function makeShades(palette) {
      return palette.modes.slice(0, USER + 1).map((mode) =>
        Array.from({ length: Subsystems.SHADES }, (none, number) => Subsystems.shade(mode, number, palette.dark)));
    }

    // What was searched for, or else the chosen function, has one strong colour.
    function isMarked(node) {
      return view.hits ? view.hits[node] === 1 : app.state.frame >= 0 && tree.frame[node] === app.state.frame;
    }

    function ink(palette, item) {
      return isDim(item) ? palette.ink : Canvas.inkOn(colour(palette, item));
    }

    function isDim(item) {
      return (item.above && !isMarked(item.node)) || (view.hits !== null && !view.hits[item.node]);
    }

    // All rectangles of a colour at once: there may be many thousands.
    function drawRectangles(context, palette) {
      const layers = new Map();
      for (const item of view.boxes) {
        const key = colour(palette, item) + (isDim(item) ? " dim" : "");
        if (!layers.has(key))
          layers.set(key, new Path2D());
        layers.get(key).rect(item.x, top(item.depth), Math.max(item.wide - 1, 0.5), ROW - 1);
      }
      for (const [key, path] of layers) {
        context.globalAlpha = key.endsWith(" dim") ? 0.5 : 1;
        context.fillStyle = key.split(" ")[0];
        context.fill(path);
      }
      context.globalAlpha = 1;
    }

    function drawTexts(context, palette) {
      for (const item of view.boxes) {
        const text = item.wide > 28 ? shorten(context, name(item.node), item.wide) : "";
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
      shades = makeShades(palette);
      layout(width);
      const context = Canvas.prepare(canvas, width, view.rows * ROW);
      context.font = FONT;
      letter = context.measureText("m").width;
      context.direction = "ltr";
      drawRectangles(context, palette);
      drawTexts(context, palette);
      drawTorn(context, palette);
      drawCurrent(context, palette);
      if (!(app.result.total[view.zoom] > 0)) {
        context.fillStyle = palette.quiet;
        context.fillText("Nothing is selected that has samples.", 4, ROW * view.rows - 6);
      }
    }

    function info(node) {
      const result = app.result;
      const lines = [];
      const image = model.imageName(tree.image[node]);
      if (tree.frame[node] >= 0 && tree.mode[node] < Model.NO_MODE)
        lines.push(Model.MODE_NAMES[tree.mode[node]] + (tree.part[node] ? ", " + Subsystems.NAMES[tree.part[node]] : "") +
                   (image && !["xen", "kernel", "user"].includes(image) ? ", " + image : ""));
      if (tree.absent[tree.parent[node]])
        lines.push("who called it is not known: " + name(tree.parent[node]));
      if (result.sides)
        return lines.concat(Compare.lines(app, node));
      lines.push(type.amount(result.total[node]) + ", " + Text.percent(result.total[node], result.all) +
                 " of " + type.whole + ", " + Text.percent(result.total[node], result.total[0]) + " of what is shown");
      lines.push((result.own[node] > 0 ? "itself " + type.amount(result.own[node]) + "; " : "") +
                 Text.count(result.totalCount[node]) + " samples");
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
      if (frame >= 0 && tree.frame[view.current] !== frame)
        say(model.frameName(frame), app.result.sides ? Compare.linesOfFunction(app, frame) : infoOfFunction(frame));
      else if (view.current > 0)
        say(name(view.current), info(view.current));
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
      app.chooseFrame(tree.frame[node]);
      showStatus();
      draw();
      reveal();
    }

    function zoom(node) {
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
      app.remember();
    }

    function nextMatch(step) {
      const found = view.boxes.map((item) => item.node).filter((node) => view.hits && view.hits[node])
        .sort((a, b) => a - b);
      if (!found.length)
        return;
      canvas.focus();
      const next = step > 0 ? found.find((node) => node > view.current)
        : found.findLast((node) => node < view.current);
      select(next ?? (step > 0 ? found[0] : found[found.length - 1]));
    }

    // Marks of nodes that match, and how much of the time is in them.
    function search(frameHits) {
      view.hits = null;
      if (!frameHits)
        return null;
      view.hits = new Uint8Array(tree.count);
      for (let i = 0; i < tree.count; i++)
        view.hits[i] = tree.frame[i] < 0 ? 0 : frameHits[tree.frame[i]];
      return Frames.sumMatches(tree.count, (node) => tree.depth[node], (node) => view.hits[node],
                               (node) => app.result.total[node]);
    }

    function at(event) {
      const depth = Frames.row(Math.floor(event.offsetY / ROW), view.rows, view.rootAbove);
      const item = view.boxes.find((one) => one.depth === depth && event.offsetX >= one.x &&
                                            event.offsetX < one.x + Math.max(one.wide, 1));
      return item ? item.node : -1;
    }

    const keys = {
      Home: () => select(view.zoom),
      Enter: () => zoom(view.current),
      Backspace: () => zoom(tree.parent[view.zoom]),
    };

    // The node to which an arrow key goes, or null for another key.
    function arrow(key) {
      const index = view.boxes.findIndex((one) => one.node === view.current);
      if (index < 0)
        return key.startsWith("Arrow") ? view.zoom : null;
      const next = Frames.move(view.boxes, index, key, view.rootAbove, 0);
      return next < 0 ? null : view.boxes[next].node;
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
      Canvas.tip(event, node < 0 ? null : [name(node), ...info(node)]);
      canvas.style.cursor = node < 0 ? "default" : "pointer";
    });
    canvas.addEventListener("pointerleave", (event) => Canvas.tip(event, null));
    canvas.addEventListener("click", (event) => {
      const node = at(event);
      if (node < 0)
        return;
      select(node);
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

    return {
      view, zoom, search, name, select, draw, numbersChanged: drawAndSay, searched: draw, frameChosen: drawAndSay,
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
