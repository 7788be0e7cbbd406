// SPDX-License-Identifier: GPL-2.0-or-later
// Where frames of the flame graph are.  Depths count from the root, or from the
// chosen function, whose callers have depths below 0.
const Boxes = (() => {
  const NARROW = 1; // pixel: what is less wide is blended
  const LEAST = 1 / 16; // of a pixel: what is less below something narrow is not looked for

  function box(shape, node, { x, wide, depth }, above = false) {
    return { node, x, wide, depth, above, frame: shape.frame(node), torn: shape.isTorn(node) };
  }

  // Of those below a box, each that is wide enough, from left to right; others go
  // to the blend.
  function below(shape, { node, x: left, depth }, { scale, step, blend }) {
    const found = [];
    let x = left;
    for (const child of shape.children(node)) {
      const wide = shape.total(child) * scale, row = depth + (shape.isAbsent(child) ? 0 : step);
      if (wide >= NARROW)
        found.push(box(shape, child, { x, wide, depth: row }));
      else if (wide > 0)
        addNarrow(shape, child, { x: x + wide / 2, wide, depth: row }, { scale, step, blend });
      x += wide;
    }
    return found;
  }

  function addNarrow(shape, node, { x, wide, depth }, { scale, step, blend }) {
    if (!shape.isAbsent(node))
      blend(x, depth, wide, shape.frame(node), node);
    shape.forBelow(node, (frame, rows, time, source) => blend(x, depth + step * rows, time * scale, frame, source),
                   LEAST / scale);
  }

  // Each before those below it.
  function place(boxes, shape, first, how) {
    const waiting = [first];
    while (waiting.length) {
      const above = waiting.pop();
      if (!shape.isAbsent(above.node))
        boxes.push(above);
      waiting.push(...below(shape, above, how).reverse());
    }
  }

  // The boxes of what is below zoom and of what is above that, in so many pixels; what
  // is narrower than one is given to blend(x, depth, much, frame, source).
  function layout(shape, zoom, width, blend) {
    const boxes = [], path = [], total = shape.total(zoom);
    for (let node = zoom; node !== 0; node = shape.parent(node))
      path.unshift(shape.parent(node));
    for (const node of path.filter((one) => !shape.isAbsent(one)))
      boxes.push(box(shape, node, { x: 0, wide: width, depth: boxes.length }, true));
    const depth = boxes.length - (shape.isAbsent(zoom) ? 1 : 0);
    if (total > 0)
      place(boxes, shape, box(shape, zoom, { x: 0, wide: width, depth }), { scale: width / total, step: 1, blend });
    if (total > 0 && shape.callers >= 0) {
      const first = boxes.length;
      place(boxes, shape, box(shape, shape.callers, { x: 0, wide: width, depth: 0 }), { scale: width / total, step: -1, blend });
      boxes.splice(first, 1); // the function itself is there
    }
    return boxes;
  }

  // The box to which an arrow key goes, or null for another key.
  function move(boxes, from, key, rootAbove) {
    const isUp = from.depth < 0 || (from.depth === 0 && key === (rootAbove ? "ArrowUp" : "ArrowDown"));
    const half = boxes.filter(({ depth }) => isUp ? depth <= 0 : depth >= 0)
      .map((one) => ({ ...one, depth: Math.abs(one.depth), one }));
    const next = Frames.move(half, half.findIndex(({ one }) => one === from), key, isUp ? !rootAbove : rootAbove, 0);
    return next < 0 ? null : half[next].one;
  }

  return { NARROW, layout, move };
})();
