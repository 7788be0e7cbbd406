// SPDX-License-Identifier: GPL-2.0-or-later
// The flame graph as a file: a picture of what it shows, with all of its rows.
const Picture = (() => {
  const ROW = 20, HEAD = 44, EDGE = 12; // pixels
  const FONT = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

  // Two lines above the picture: which session, and what of it.
  function heads(app) {
    const { total, all } = app.result, parts = app.views.chosen.texts();
    return [app.model.info.title, [Text.percent(total[0], all) + " of " + app.model.type.whole, ...parts].join(" \u00b7 ")]
      .map((text) => text.slice(0, 200));
  }

  // Returns a promise of a blob.
  function png(app) {
    const from = document.getElementById("flame"), to = document.createElement("canvas"), palette = Canvas.palette();
    const ratio = from.width / parseFloat(from.style.width), context = to.getContext("2d");
    to.width = from.width + 2 * EDGE * ratio;
    to.height = from.height + (HEAD + EDGE) * ratio;
    context.fillStyle = palette.paper;
    context.fillRect(0, 0, to.width, to.height);
    context.drawImage(from, EDGE * ratio, HEAD * ratio);
    context.scale(ratio, ratio);
    context.fillStyle = palette.ink;
    heads(app).forEach((text, line) => {
      context.font = (line ? "12px " : "bold 13px ") + FONT;
      context.fillText(text, EDGE, 18 + 17 * line, to.width / ratio - 2 * EDGE);
    });
    return new Promise((resolve) => { to.toBlob(resolve, "image/png"); });
  }

  function tag(name, attributes, content = "") {
    const words = Object.entries(attributes).map(([key, value]) => " " + key + '="' + Text.markup(String(value)) + '"').join("");
    return "<" + name + words + (content ? ">" + content + "</" + name + ">" : "/>");
  }

  const round = (value) => Math.round(value * 100) / 100;

  function frame({ x, wide, y, colour, ink, text, lines }) {
    const hint = tag("title", {}, Text.markup(lines.join("\n")));
    return tag("g", {}, hint + tag("rect", { x: round(x), y, width: round(wide), height: ROW - 1, fill: colour }) +
      (text ? tag("text", { x: round(x + 4), y: y + 14, fill: ink }, Text.markup(text)) : ""));
  }

  function svg(app) {
    const { frames, pieces, width, rows } = app.views.flame.drawing(), palette = Canvas.palette();
    const wide = width + 2 * EDGE, high = rows * ROW + HEAD + EDGE;
    const texts = heads(app).map((text, line) =>
      tag("text", { x: EDGE, y: 18 + 17 * line, fill: palette.ink, "font-weight": line ? "normal" : "bold" }, Text.markup(text)));
    const narrow = pieces.map(({ x, y, wide: much, colour }) => tag("rect", { x, y, width: much, height: ROW - 1, fill: colour }));
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tag("svg", { xmlns: "http://www.w3.org/2000/svg", width: wide, height: high,
      viewBox: "0 0 " + wide + " " + high, "font-family": FONT, "font-size": 12 },
    [tag("title", {}, Text.markup(heads(app)[0])), tag("rect", { width: wide, height: high, fill: palette.paper }), ...texts,
     tag("g", { transform: "translate(" + EDGE + " " + HEAD + ")" }, "\n" + [...narrow, ...frames.map(frame)].join("\n") + "\n")].join("\n") + "\n") + "\n";
  }

  return { png, svg };
})();
