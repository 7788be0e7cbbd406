// SPDX-License-Identifier: GPL-2.0-or-later
// All of the flame graph, small, and in it a frame around what is in sight: shown when
// that is not all.  To press in it, or to drag, brings those rows into sight; beside
// the frame, all.  Keys have other ways (flame.js), so it is hidden from who listens.
VIEWS.minimap = (() => {
  const WIDE = 168, HIGH = 84, ROW = 20; // pixels: its own, and a row of the flame graph
  const LATER = 150; // ms, after what is drawn large

  function create(app) {
    const map = document.getElementById("map"), box = document.getElementById("flame-box");
    let whole = null, due = 0; // what is drawn, at a row's height

    function isPart() {
      const { zoom, rows } = app.views.flame.view;
      return zoom > 0 || rows * ROW > box.clientHeight + 1;
    }

    // Where a node is in a picture of that width.
    function placeOf(node) {
      const { shape } = app, path = [];
      for (let one = node; one !== 0; one = shape.parent(one))
        path.unshift(one);
      const place = { x: 0, wide: WIDE };
      let above = 0;
      for (const one of path) {
        const scale = place.wide / (shape.total(above) || 1), siblings = shape.children(above);
        place.x += siblings.slice(0, siblings.indexOf(one)).reduce((sum, other) => sum + shape.total(other), 0) * scale;
        place.wide = shape.total(one) * scale;
        above = one;
      }
      return place;
    }

    function drawWhole() {
      const { flame } = app.views, { view } = flame, picture = document.createElement("canvas");
      const arranged = flame.arrange(0, WIDE), row = HIGH / Math.max(arranged.rows, HIGH / 4);
      const top = (depth) => Frames.row(depth - arranged.first, arranged.rows, view.rootAbove) * row;
      const context = Canvas.prepare(picture, WIDE, Math.max(1, arranged.rows * row));
      arranged.blend.draw(context, top, row, 1);
      for (const item of arranged.boxes) {
        context.fillStyle = flame.colour(item);
        context.fillRect(item.x, top(item.depth), item.wide, row);
      }
      whole = { picture, row, high: arranged.rows * row, first: arranged.first, rows: arranged.rows };
    }

    // Rows in sight, as rows of the whole picture from its top.
    function rowsInSight() {
      const { view } = app.views.flame, from = box.scrollTop / ROW, to = Math.min(view.rows, (box.scrollTop + box.clientHeight) / ROW);
      const shift = view.rootAbove ? view.first - whole.first : whole.rows + whole.first - view.rows - view.first;
      return { from: from + shift, to: to + shift };
    }

    function drawFrame() {
      map.hidden = !isPart() || box.clientWidth < 3 * WIDE;
      if (map.hidden)
        return;
      if (!whole)
        drawWhole();
      const { zoom, rootAbove } = app.views.flame.view, palette = Canvas.palette(), { picture, row, high } = whole;
      const context = Canvas.prepare(map, WIDE, high), { x, wide } = placeOf(zoom), { from, to } = rowsInSight();
      context.drawImage(picture, 0, 0, WIDE, high);
      context.strokeStyle = palette.ink;
      context.lineWidth = 2;
      context.strokeRect(Math.min(x, WIDE - 4) + 1, from * row + 1, Math.max(wide - 2, 2), Math.max((to - from) * row - 2, 2));
      map.classList.toggle("above", !rootAbove); // where the graph is narrow
    }

    function forget() {
      whole = null;
      clearTimeout(due);
      due = setTimeout(drawFrame, LATER);
    }

    function take(event) {
      if (!whole)
        drawWhole(); // it was forgotten a moment ago
      const { flame } = app.views, { x, wide } = placeOf(flame.view.zoom), { from, to } = rowsInSight();
      if (event.offsetX < x - 2 || event.offsetX > x + wide + 2) {
        flame.zoom(0);
        return;
      }
      const row = event.offsetY / whole.row;
      box.scrollTop += (row - (from + to) / 2) * ROW;
    }

    map.addEventListener("pointerdown", (event) => {
      map.setPointerCapture(event.pointerId);
      take(event);
    });
    map.addEventListener("pointermove", (event) => {
      if (event.buttons)
        take(event);
    });
    box.addEventListener("scroll", drawFrame);
    window.addEventListener("resize", forget);
    return { numbersChanged: forget, searched: forget, frameChosen: forget, reshaped: forget, turned: forget, draw: forget, zoomed: drawFrame };
  }

  return { create };
})();
