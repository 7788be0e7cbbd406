// SPDX-License-Identifier: GPL-2.0-or-later
// Frames that are narrower than a pixel: each pixel of a row has the mean of their
// colours, by how much of it each of them is; or the colour of those that are marked,
// if there are any.
const Blend = (() => {
  const PARTS = 4; // of a pixel: red, green, blue, times how much there is of them; and that

  function parse(colour) {
    return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  }

  // inks are colours that frames have, by number; the last is that of what is marked.
  function create(width, inks, marked) {
    const wide = Math.ceil(width), rows = []; // of depths from 0 on, and below 0, in turn

    function rowOf(depth) {
      const at = depth < 0 ? -2 * depth - 1 : 2 * depth;
      rows[at] ??= { depth, sums: new Float32Array(wide * PARTS), marks: new Uint8Array(wide) };
      return rows[at];
    }

    // There may be hundreds of thousands for each picture.
    function add(x, depth, much, ink, isMarked) {
      const { sums, marks } = rows[depth < 0 ? -2 * depth - 1 : 2 * depth] ?? rowOf(depth);
      const pixel = Math.min(wide - 1, Math.floor(x)), at = pixel * PARTS;
      if (isMarked)
        marks[pixel] = 1;
      sums[at] += inks[3 * ink] * much;
      sums[at + 1] += inks[3 * ink + 1] * much;
      sums[at + 2] += inks[3 * ink + 2] * much;
      sums[at + 3] += much;
    }

    function shown() {
      return rows.filter(Boolean);
    }

    // Sets a pixel of a picture, if there is any frame; dim is how opaque what is not
    // marked is.  Returns whether there is.
    function put({ sums, marks }, pixel, data, at, dim) {
      const much = sums[pixel * PARTS + 3];
      for (let part = 0; part < 3 && much > 0; part++)
        data[at + part] = marks[pixel] ? marked[part] : sums[pixel * PARTS + part] / much;
      data[at + 3] = !(much > 0) ? 0 : marks[pixel] ? 255 : 255 * dim;
      return much > 0;
    }

    function has(x, depth) {
      return shown().some((row) => row.depth === depth && row.sums[Math.floor(x) * PARTS + 3] > 0);
    }

    // y says where a row is.
    function draw(context, y, high, dim) {
      const found = shown();
      if (!found.length)
        return;
      const strip = document.createElement("canvas"), pen = strip.getContext("2d");
      strip.width = wide;
      strip.height = found.length;
      const image = pen.createImageData(wide, found.length);
      found.forEach((row, index) => {
        for (let pixel = 0; pixel < wide; pixel++)
          if (row.sums[pixel * PARTS + 3] > 0)
            put(row, pixel, image.data, (index * wide + pixel) * 4, dim);
      });
      pen.putImageData(image, 0, 0);
      context.imageSmoothingEnabled = false;
      found.forEach(({ depth }, index) => context.drawImage(strip, 0, index, wide, 1, 0, y(depth), wide, high));
    }

    // Pixels of one colour beside each other, as { depth, x, wide, colour }.
    function pieces() {
      const found = [], data = new Uint8ClampedArray(4);
      for (const row of shown())
        for (let pixel = 0, last = null; pixel < wide; pixel++) {
          const colour = put(row, pixel, data, 0, 1) ? "#" + [...data.slice(0, 3)].map((part) => part.toString(16).padStart(2, "0")).join("") : null;
          if (last && colour === last.colour)
            last.wide++;
          else
            last = colour && { depth: row.depth, x: pixel, wide: 1, colour };
          if (last?.wide === 1)
            found.push(last);
        }
      return found;
    }

    return { add, has, draw, pieces, depths: () => shown().map(({ depth }) => depth) };
  }

  return { create, parse };
})();
