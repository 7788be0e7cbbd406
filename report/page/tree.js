// SPDX-License-Identifier: GPL-2.0-or-later
// The call chains as a tree of text, for who listens to the page or walks it by
// keys: what the flame graph draws.  Only what is opened has rows, and only rows in
// sight, and some around them, have elements.
VIEWS.tree = (() => {
  const SHOWN = 100; // below one node, and each time that the rest is asked for
  const INDENT = 16, ROW = 20; // pixels, as the style has them
  const AROUND = 20; // rows with elements above and below those in sight

  function create(app) {
    const { element, isolated } = Lists;
    const part = document.getElementById("tree-part"), place = document.getElementById("tree");
    const opened = new Set([0]), limits = new Map();
    let rows = [], current = 0; // a row's key: its node, or -1 - node for the rest below that
    let drawn = { from: 0, to: 0 }; // rows that have elements, besides the current one
    let shape = app.shape; // that rows are of
    let elements = new Map(), last = null; // by key; the one that leaves room below it
    const states = new WeakMap(); // of elements: what was set
    let scrolled = 0; // pixels; to ask the browser each time would have it lay the page out

    // Those below a node; callers that are not known have no row: those below stand in
    // their place.  Of a function with its callers, these have a row before all others.
    function below(node) {
      const children = shape.children(node);
      return (node === 0 && shape.callers >= 0 ? [shape.callers] : [])
        .concat(children.some(shape.isAbsent) ? children.flatMap((one) => shape.isAbsent(one) ? below(one) : [one]) : children)
        .filter((one) => shape.total(one) > 0);
    }

    function hasChildren(node) {
      return (node === 0 && shape.callers >= 0) ||
        shape.children(node).some((one) => shape.total(one) > 0 && (!shape.isAbsent(one) || hasChildren(one)));
    }

    // The largest first.
    function children(node) {
      const { callers, total } = shape;
      return below(node).sort((a, b) => Number(b === callers) - Number(a === callers) || total(b) - total(a) || a - b);
    }

    function parent(node) {
      let above = shape.parent(node);
      while (shape.isAbsent(above))
        above = shape.parent(above);
      return above;
    }

    function addRows(node, level, position, count) {
      rows.push({ key: node, level, position, count });
      if (!opened.has(node))
        return;
      const below = children(node), shown = below.slice(0, limits.get(node) ?? SHOWN);
      const all = shown.length + (below.length > shown.length ? 1 : 0);
      shown.forEach((child, index) => addRows(child, level + 1, index + 1, all));
      if (all > shown.length)
        rows.push({ key: -1 - node, level: level + 1, position: all, count: all, rest: below.length - shown.length });
    }

    function figures(node) {
      const { all, sides } = app.result, own = shape.own(node);
      if (sides)
        return Compare.lines(app, node)[0];
      return Text.percent(shape.total(node), all) + (own > 0 ? ", itself " + Text.percent(own, all) : "");
    }

    function textOf({ key, rest }) {
      return rest ? Text.count(rest) + " more" : " " + figures(key);
    }

    function isChosen(key) {
      return key > 0 && app.state.frame >= 0 && shape.frame(key) === app.state.frame;
    }

    // An element of a row; its states and the text at its end follow.
    function makeElement({ key, rest }) {
      const name = rest ? [] : [shape.isTorn(key) ? "who called it is not known: " : "", isolated(shape.name(key))];
      const made = element("div", {}, ...name, "");
      made.setAttribute("role", "treeitem");
      made.dataset.key = key;
      return made;
    }

    // Sets what has changed: elements stay, and with them the focus and most of the layout.
    function setElement(made, row, gap) {
      const { key, level, position, count } = row, known = states.get(made) ?? {}, text = textOf(row);
      const wanted = { "aria-level": level, "aria-posinset": position, "aria-setsize": count, "aria-selected": isChosen(key),
                       "aria-expanded": key >= 0 && hasChildren(key) ? opened.has(key) : null, tabindex: key === current ? 0 : -1,
                       class: key > 0 && app.frameHits && app.frameHits[shape.frame(key)] ? "hit" : null };
      for (const [name, value] of Object.entries(wanted))
        if (known[name] === value)
          continue;
        else if (value === null)
          made.removeAttribute(name);
        else
          made.setAttribute(name, String(value));
      if (known["aria-level"] !== level)
        made.style.paddingLeft = level * INDENT + "px";
      if (known.gap !== gap)
        made.style.marginTop = gap * ROW + "px";
      if (known.text !== text)
        made.lastChild.data = text;
      states.set(made, { ...wanted, gap, text });
    }

    function elementOf(key) {
      return elements.get(key);
    }

    // The current row has an element wherever it is, since it may have the focus.
    function drawnRows() {
      const at = rowOf(current), { from, to } = drawn;
      const indexes = Array.from({ length: to - from }, (none, i) => from + i);
      return at < from ? [at, ...indexes] : at >= to ? [...indexes, at] : indexes;
    }

    // Rows in sight, if the tree is as high as the window: it is no higher.
    function inSight() {
      const first = Math.floor(scrolled / ROW), high = Math.ceil(window.innerHeight / ROW);
      const from = Math.max(0, Math.min(first, rows.length - high));
      return { from, to: Math.min(rows.length, from + high) };
    }

    // What has no element leaves its room to the next one that has.
    function drawRows(focusing = {}) {
      const focused = place.contains(document.activeElement), { from, to } = inSight();
      drawn = { from: Math.max(0, from - AROUND), to: Math.min(rows.length, to + AROUND) };
      const shown = drawnRows().map((index) => ({ index, row: rows[index] })), before = elements;
      elements = new Map(shown.map(({ row }) => [row.key, before.get(row.key) ?? makeElement(row)]));
      before.forEach((one, key) => elements.has(key) || one.remove());
      let end = 0, next = place.firstChild;
      for (const { index, row } of shown) {
        const made = elements.get(row.key);
        setElement(made, row, index - end);
        end = index + 1;
        if (made === next)
          next = next.nextSibling;
        else
          place.insertBefore(made, next);
      }
      if (last !== place.lastChild && last)
        last.style.marginBottom = "";
      last = place.lastChild;
      last.style.marginBottom = (rows.length - end) * ROW + "px";
      if (focused && document.activeElement !== elementOf(current))
        elementOf(current).focus(focusing);
    }

    // After it was scrolled, or the window has another height.
    function follow() {
      scrolled = place.scrollTop;
      const { from, to } = inSight();
      if (from < drawn.from || to > drawn.to)
        drawRows({ preventScroll: true });
    }

    function rowOf(key) {
      return rows.findIndex((row) => row.key === key);
    }

    // Nodes of another shape have other numbers.
    function forget() {
      shape = app.shape;
      elements.forEach((one) => one.remove());
      elements = new Map();
      opened.clear();
      limits.clear();
      opened.add(0).add(shape.callers);
      current = 0;
    }

    // What is open stays open, by name.
    function renewing() {
      const paths = [...opened].filter((node) => node > 0).map((node) => Link.pathOf(app, node));
      const at = current > 0 ? Link.pathOf(app, current) : [], { callers } = app.shape;
      const isOpen = opened.has(callers);
      return () => {
        forget();
        if (!isOpen)
          opened.delete(shape.callers);
        const found = paths.map((path) => Link.walk(app, path)).filter(({ missing }) => missing === undefined);
        found.forEach(({ node }) => opened.add(node));
        current = Link.walk(app, at).node;
      };
    }

    function show() {
      if (shape !== app.shape)
        forget();
      if (!part.open)
        return;
      rows = [];
      addRows(0, 1, 1, 1);
      while (rowOf(current) < 0)
        current = current < 0 ? -1 - current : parent(current);
      drawRows();
    }

    function setTabIndex(made, tabindex) {
      made.tabIndex = tabindex;
      states.set(made, { ...states.get(made), tabindex });
    }

    function walk(index) {
      const row = rows[index];
      if (!row)
        return;
      const before = elementOf(current), made = elementOf(row.key);
      current = row.key;
      if (made) {
        setTabIndex(before, -1);
        setTabIndex(made, 0);
      } else
        drawRows();
      elementOf(current).focus();
    }

    function setOpen(node, open) {
      if (open)
        opened.add(node);
      else
        opened.delete(node);
      show();
    }

    // The first of the rest gets the focus.
    function showMore(node) {
      const index = rowOf(current);
      limits.set(node, (limits.get(node) ?? SHOWN) + SHOWN);
      show();
      walk(index);
    }

    function choose() {
      if (current < 0) {
        showMore(-1 - current);
        return;
      }
      const before = app.shape, node = current;
      app.chooseFrame(before.frame(node));
      if (app.shape === before)
        app.views.flame.zoom(node);
    }

    function right() {
      if (current >= 0 && opened.has(current))
        walk(rowOf(current) + (hasChildren(current) ? 1 : 0));
      else if (current >= 0 && hasChildren(current))
        setOpen(current, true);
    }

    function left() {
      if (current >= 0 && opened.has(current) && hasChildren(current))
        setOpen(current, false);
      else
        walk(rowOf(current < 0 ? -1 - current : parent(current)));
    }

    const keys = {
      ArrowDown: () => walk(rowOf(current) + 1), ArrowUp: () => walk(rowOf(current) - 1),
      Home: () => walk(0), End: () => walk(rows.length - 1),
      ArrowRight: right, ArrowLeft: left, Enter: choose, " ": choose,
    };

    place.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key))
        return;
      event.preventDefault();
      keys[event.key]();
    });
    place.addEventListener("click", (event) => {
      const row = event.target.closest("[role=treeitem]");
      if (!row)
        return;
      walk(rowOf(Number(row.dataset.key)));
      if (current < 0)
        choose();
      else
        setOpen(current, !opened.has(current));
    });
    part.addEventListener("toggle", show);
    place.addEventListener("scroll", follow);
    window.addEventListener("resize", follow);

    function enter() {
      part.open = true;
      show();
      walk(rowOf(current));
    }

    return {
      panel: part, numbersChanged: show, searched: show, frameChosen: show, reshaped: show, renewing,
      keys: [
        { key: "e", what: "to the call chains as a tree", run: enter },
        { shown: "Arrows", what: "in the tree: up and down, open and close" },
        { shown: "Enter", what: "in the tree: choose the function, zoom the flame graph to it" },
      ],
    };
  }

  return { create };
})();
