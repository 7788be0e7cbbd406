// SPDX-License-Identifier: GPL-2.0-or-later
// What all canvases share: sharp pixels, the style's colours, a tooltip.
const Canvas = (() => {
  const INK = "#14171a";
  let colours = null;

  // Colours of the style sheet; dropped when the theme changes.
  function palette() {
    if (colours)
      return colours;
    const style = getComputedStyle(document.documentElement);
    const value = (name) => style.getPropertyValue(name).trim();
    colours = {
      paper: value("--paper"), panel: value("--panel"), ink: value("--ink"), quiet: value("--quiet"),
      line: value("--line"), accent: value("--accent"), hit: value("--hit"), alarm: value("--alarm"), group: value("--group"),
      modes: [0, 1, 2, 3, 4].map((mode) => value("--mode-" + mode)),
      changes: [0, 1, 2, 3, 4, 5, 6].map((step) => value("--change-" + step)),
      dark: document.documentElement.dataset.theme === "dark",
    };
    return colours;
  }

  function lightness(hex) {
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  // Black or white, whichever can be read on that colour.
  function inkOn(hex) {
    const light = lightness(hex) + 0.05;
    return 1.05 / light > light / (lightness(INK) + 0.05) ? "#ffffff" : INK;
  }

  function forget() {
    colours = null;
  }

  const widths = new WeakMap();

  // How wide a box is inside; redraw is called when that has changed.  To ask the
  // browser each time would have it lay the page out anew for each picture.
  function width(box, redraw) {
    if (!widths.has(box)) {
      widths.set(box, box.clientWidth);
      new ResizeObserver(() => {
        if (widths.get(box) === box.clientWidth)
          return;
        widths.set(box, box.clientWidth);
        redraw();
      }).observe(box);
    }
    return widths.get(box);
  }

  // Returns a context in which one unit is one pixel of the page.
  function prepare(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1;
    const wide = Math.round(width * ratio), high = Math.round(height * ratio);
    if (canvas.width !== wide || canvas.height !== high) {
      canvas.width = wide;
      canvas.height = high;
      canvas.style.width = width + "px";
      canvas.style.height = height + "px";
    }
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
  }

  // Another canvas of that size, pixel by pixel.
  function copy(context, canvas) {
    context.save();
    context.resetTransform();
    context.drawImage(canvas, 0, 0);
    context.restore();
  }

  // Lines of the tooltip: the first is the name.
  function tip(event, lines) {
    const box = document.getElementById("tip");
    box.hidden = !lines;
    if (!lines)
      return;
    const name = document.createElement("b"), isolated = document.createElement("bdi");
    isolated.textContent = lines[0].slice(0, 400);
    name.append(isolated);
    box.replaceChildren(name, ...lines.slice(1).map((line) => {
      const span = document.createElement("span");
      span.textContent = line;
      return span;
    }));
    const left = Math.min(event.clientX + 14, window.innerWidth - box.offsetWidth - 8);
    const below = event.clientY + 18;
    box.style.left = Math.max(4, left) + "px";
    box.style.top = (below + box.offsetHeight > window.innerHeight
      ? Math.max(4, event.clientY - box.offsetHeight - 10) : below) + "px";
  }

  return { palette, inkOn, forget, width, prepare, copy, tip };
})();
