// SPDX-License-Identifier: GPL-2.0-or-later
// The picture is complete without this script, which adds zoom and search, and
// fits it to the window.  Each frame has "depth start length" in data-at (ns).
(function () {
  "use strict";

  const NS = "http://www.w3.org/2000/svg";
  const svg = document.documentElement;
  const ROW = 18, SIDE = 10, NARROW = 0.3, WIDE = 3, GAP = 0.5;
  const top = Number(svg.dataset.top), rows = Number(svg.dataset.rows);
  const frames = Array.from(svg.querySelectorAll(".f"), (group) => {
    const [depth, start, length] = group.dataset.at.split(" ").map(Number);
    const [title, rect, text] = group.children;
    const name = title.textContent.split("\n")[0].replace(/[\u2068\u2069]/g, "");
    return { group, rect, text, depth, start, end: start + length, name, title };
  });
  const whole = frames.length ? frames[0].end - frames[0].start : 0;
  let rootAbove = svg.dataset.form === "icicle";
  let zoomed = 0, current = 0, width = 1200, letter = 6.62;

  const byId = (id) => document.getElementById(id);

  function place(frame, from, scale) {
    const left = Math.max(0, (frame.start - from) * scale);
    const right = Math.min(width - 2 * SIDE, (frame.end - from) * scale);
    const wide = right - left;
    frame.wide = wide;
    if (wide < NARROW) {
      frame.group.style.display = "none";
      return;
    }
    const y = top + Frames.row(frame.depth, rows, rootAbove) * ROW;
    frame.group.style.display = "";
    frame.rect.setAttribute("x", (SIDE + left).toFixed(2));
    frame.rect.setAttribute("width", (wide > WIDE ? wide - GAP : wide).toFixed(2));
    frame.rect.setAttribute("y", y);
    frame.text.setAttribute("x", (SIDE + left + 3).toFixed(2));
    frame.text.setAttribute("y", y + 12.5);
    frame.text.textContent = Frames.shorten(frame.name, Math.floor((wide - 6) / letter), "..");
  }

  function layout() {
    const target = frames[zoomed];
    if (!target)
      return;
    const scale = (width - 2 * SIDE) / Math.max(1, target.end - target.start);
    for (const frame of frames) {
      frame.group.classList.toggle("above", frame.depth < target.depth);
      place(frame, target.start, scale);
    }
  }

  function percent(part) {
    return (whole ? 100 * part / whole : 0).toFixed(2) + " %";
  }

  function show(frame) {
    byId("status").textContent =
      frame ? frame.title.textContent.replace(/[\u2068\u2069]/g, "").replace(/\n/g, "   ") : "";
  }

  function select(index) {
    frames[current].group.classList.remove("at");
    current = index;
    frames[current].group.classList.add("at");
    show(frames[current]);
  }

  function zoom(index) {
    zoomed = index;
    layout();
  }

  // Marks frames that match, and adds up their time.
  function search(words) {
    let pattern = null;
    try {
      pattern = words ? new RegExp(words, "i") : null;
    } catch {
      byId("matched").textContent = "no valid regular expression";
      return;
    }
    for (const frame of frames) {
      frame.hit = pattern !== null && pattern.test(frame.name);
      frame.group.classList.toggle("hit", frame.hit);
    }
    const count = frames.filter((frame) => frame.hit).length;
    const sum = Frames.sumMatches(frames.length, (i) => frames[i].depth, (i) => frames[i].hit,
                                  (i) => frames[i].end - frames[i].start);
    byId("matched").textContent = pattern ? "matched " + percent(sum) + ", " + count + " frames" : "";
  }

  function reset() {
    byId("words").value = "";
    search("");
    zoom(0);
  }

  function flip() {
    rootAbove = !rootAbove;
    layout();
  }

  const keys = {
    Enter: () => zoom(current),
    Backspace: () => zoom(Frames.outward(frames, zoomed)),
    Escape: reset,
    r: reset,
    i: flip,
    "/": () => byId("words").focus(),
  };

  function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey)
      return;
    if (event.target.id === "words" && event.key !== "Escape")
      return;
    const button = event.target.closest ? event.target.closest(".button") : null;
    if (button && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      button.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      return;
    }
    const next = Frames.move(frames, current, event.key, rootAbove, NARROW);
    if (next < 0 && !Object.hasOwn(keys, event.key))
      return;
    event.preventDefault();
    if (event.target.id === "words")
      event.target.blur();
    if (next >= 0)
      select(next);
    else
      keys[event.key]();
  }

  function indexOf(event) {
    const group = event.target.closest ? event.target.closest(".f") : null;
    return group ? frames.findIndex((frame) => frame.group === group) : -1;
  }

  function onClick(event) {
    const index = indexOf(event);
    if (index < 0)
      return;
    select(index);
    zoom(index);
  }

  function fit() {
    width = Math.max(600, svg.parentNode === document ? window.innerWidth : svg.clientWidth);
    svg.setAttribute("width", width);
    svg.setAttribute("viewBox", "0 0 " + width + " " + svg.getAttribute("height"));
    byId("tools").setAttribute("transform", "translate(" + (width - 1200) + " 0)");
    byId("paper").setAttribute("width", width);
    layout();
  }

  function measure() {
    const text = document.createElementNS(NS, "text");
    text.textContent = "m".repeat(100);
    svg.append(text);
    letter = text.getComputedTextLength() / 100 || letter;
    text.remove();
  }

  function start() {
    if (!frames.length)
      return;
    svg.classList.add("live");
    measure();
    fit();
    svg.addEventListener("click", onClick);
    svg.addEventListener("mouseover", (event) => {
      const index = indexOf(event);
      show(index < 0 ? null : frames[index]);
    });
    document.addEventListener("keydown", onKey);
    window.addEventListener("resize", fit);
    byId("reset").addEventListener("click", reset);
    byId("flip").addEventListener("click", flip);
    byId("words").addEventListener("input", (event) => search(event.target.value));
  }

  start();
})();
