// SPDX-License-Identifier: GPL-2.0-or-later
// What the flame graphs of the page and of the SVG share.  Boxes come in the
// order of a walk, each before those below it, with depth and wide (pixels).
const Frames = (() => {
  // Cuts a text to so many letters, and ends what is cut with a mark; fits says
  // whether a text with letters of other widths fits.
  /** @param {(text: string) => boolean} fits */
  function shorten(text, letters, mark, fits = () => true) {
    if (letters < 3)
      return "";
    const all = Array.from(text.slice(0, 2 * letters + 2)); // a letter may be two units
    if (all.length <= letters && fits(text))
      return text;
    const kept = all.slice(0, letters - mark.length);
    while (kept.length > 2 && !fits(kept.join("") + mark))
      kept.pop();
    return kept.join("") + mark;
  }

  // The row of a depth, counted from the top.
  function row(depth, rows, rootAbove) {
    return rootAbove ? depth : rows - 1 - depth;
  }

  function outward(boxes, index) {
    for (let i = index - 1; i >= 0; i--)
      if (boxes[i].depth < boxes[index].depth)
        return i;
    return index;
  }

  // The widest box on it, as eyes would go.
  function inward(boxes, index) {
    let best = index, wide = 0;
    for (let i = index + 1; i < boxes.length && boxes[i].depth > boxes[index].depth; i++)
      if (boxes[i].depth === boxes[index].depth + 1 && boxes[i].wide > wide) {
        best = i;
        wide = boxes[i].wide;
      }
    return best;
  }

  function sideways(boxes, index, step, narrow) {
    for (let i = index + step; i >= 0 && i < boxes.length; i += step)
      if (boxes[i].depth === boxes[index].depth && boxes[i].wide >= narrow)
        return i;
    return index;
  }

  // Returns the box to which an arrow key goes, or -1 for another key.
  function move(boxes, index, key, rootAbove, narrow) {
    switch (key) {
    case "ArrowUp":
      return (rootAbove ? outward : inward)(boxes, index);
    case "ArrowDown":
      return (rootAbove ? inward : outward)(boxes, index);
    case "ArrowLeft":
      return sideways(boxes, index, -1, narrow);
    case "ArrowRight":
      return sideways(boxes, index, 1, narrow);
    default:
      return -1;
    }
  }

  // Adds up what matches; a match below another is not counted again.
  function sumMatches(count, depth, matches, length) {
    let sum = 0, inside = Infinity; // depth of the match that others may be below
    for (let i = 0; i < count; i++) {
      if (depth(i) <= inside)
        inside = Infinity;
      if (inside === Infinity && matches(i)) {
        sum += length(i);
        inside = depth(i);
      }
    }
    return sum;
  }

  return { shorten, row, outward, move, sumMatches };
})();
