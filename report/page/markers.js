// SPDX-License-Identifier: GPL-2.0-or-later
// What the session says beside its samples: marks over the lanes, and the same as a list.
const Markers = (() => {
  const HIGH = 11, NEAR = 6, TOLD = 6; // pixels: of the strip, of what is beside a mark; marks in a tip
  const BAD = new Set(["Lost", "Slowed", "Stopped", "Warning"]); // the others are news

  function all({ info }) {
    return info.markers ?? [];
  }

  // How much room they need above the lanes.
  function high(model) {
    return all(model).length ? HIGH : 0;
  }

  function line(model, { from_ns: from, to_ns: to, kind, text }) {
    const seconds = (ns) => Text.seconds(Math.max(0, ns / 1e3 - model.over));
    return seconds(from) + (to > from ? "\u2013" + seconds(to) : "") + " s: " + kind + (text && ": " + text);
  }

  // A triangle is bad, a diamond is news.
  function shape(context, at, isBad) {
    const middle = HIGH / 2 - 0.5, half = isBad ? 4 : 3.5;
    context.beginPath();
    context.moveTo(at - half, isBad ? middle - half : middle);
    context.lineTo(at, middle - half);
    context.lineTo(at + half, isBad ? middle - half : middle);
    context.lineTo(at, middle + half);
    context.fill();
  }

  // x says where a time is, in us since the first bin's begin.
  function draw(context, palette, model, x, bottom) {
    for (const { from_ns: from, to_ns: to, kind } of all(model)) {
      const at = Math.round(x(from / 1e3)), isBad = BAD.has(kind);
      context.fillStyle = isBad ? palette.alarm : palette.accent;
      if (to > from)
        context.fillRect(at, HIGH - 4, Math.max(1, x(to / 1e3) - at), 2);
      context.globalAlpha = 0.45;
      context.fillRect(at, HIGH - 1, 1, bottom - HIGH + 1);
      context.globalAlpha = 1;
      shape(context, at + 0.5, isBad);
    }
  }

  // What is said of marks beside a place; null: there is none.
  function tip(model, x, wanted) {
    const near = all(model).filter(({ from_ns: from, to_ns: to }) =>
      wanted >= x(from / 1e3) - NEAR && wanted <= Math.max(x(from / 1e3), x(to / 1e3)) + NEAR);
    const more = near.length > TOLD ? ["and " + (near.length - TOLD) + " more"] : [];
    return near.length ? [...near.slice(0, TOLD).map((one) => line(model, one)), ...more] : null;
  }

  // The list, behind a button.
  function create(app) {
    const { model } = app, { element, isolated } = Lists;
    const button = document.getElementById("marker-button"), list = document.getElementById("marker-list");
    const moreOf = () => model.info.markers_more ?? 0;

    function fill() {
      const more = moreOf();
      if (!list.hidden && !list.childElementCount)
        list.append(...all(model).map((one) => element("li", { className: BAD.has(one.kind) ? "bad" : "" }, isolated(line(model, one)))),
                    ...(more ? [element("li", {}, "and " + more + " more")] : []));
    }

    function show() {
      const count = all(model).length + moreOf();
      button.hidden = !count;
      button.textContent = count + (count === 1 ? " event" : " events");
      list.replaceChildren();
      fill();
    }

    button.addEventListener("click", () => {
      list.hidden = !list.hidden;
      button.setAttribute("aria-expanded", String(!list.hidden));
      fill();
    });
    show();
    return { renewing: () => show };
  }

  return { create, high, draw, tip, needsTimes: true };
})();
VIEWS.markers = Markers;
