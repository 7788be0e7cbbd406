// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of functions: the hottest, and callers and callees of the chosen one.
const Lists = (() => {
  const SHOWN = 100;
  const AT_ONCE = 24, LATER = 150; // rows: more than are in sight, or in print; ms

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  // A browser lays out a text of 64 KiB for half a minute.
  function isolated(text) {
    return element("bdi", { textContent: text.slice(0, 300) });
  }

  function partCell(time, whole, most) {
    const cell = element("td", { className: "part", textContent: Text.percent(time, whole) });
    cell.style.backgroundSize = (most > 0 ? 100 * time / most : 0).toFixed(1) + "% 100%";
    return cell;
  }

  function changeCell(change, most) {
    const cell = partCell(Math.abs(change), Compare.WHOLE, most);
    cell.textContent = Compare.signed(change);
    return cell;
  }

  // A small square in a colour of the style sheet.
  function swatch(colour) {
    const made = element("span", { className: "swatch" });
    made.style.background = "var(--" + colour + ")";
    return made;
  }

  function columns(table, names, sort, onSort) {
    const group = element("colgroup", {}, ...names.map((one) => element("col", { className: one.kind })));
    const cells = names.map((one) => {
      const cell = element("th", { scope: "col", className: one.kind });
      if (!onSort || !one.key) {
        cell.append(element("button", { type: "button", disabled: true, textContent: one.title }));
        return cell;
      }
      cell.setAttribute("aria-sort", sort === one.key ? (one.key === "name" ? "ascending" : "descending") : "none");
      const button = element("button", { type: "button", textContent: one.title + (sort === one.key ? " \u2193" : "") });
      button.addEventListener("click", () => onSort(one.key));
      cell.append(button);
      return cell;
    });
    table.replaceChildren(group, element("thead", {}, element("tr", {}, ...cells)), element("tbody", {}));
    return table.tBodies[0];
  }

  // Rows of a new table: those that can be in sight at once, and soon after it the rest,
  // which takes longer.
  let atOnce = AT_ONCE;
  function fill(body, frames, row) {
    const first = atOnce;
    body.append(...frames.slice(0, first).map(row));
    setTimeout(() => {
      if (body.isConnected) // else the table has newer ones
        body.append(...frames.slice(first).map((frame, index) => row(frame, first + index)));
    }, LATER);
  }

  // Arrow keys walk through the rows, Enter or a click chooses one.
  function walkable(table, choose) {
    table.addEventListener("click", (event) => {
      const row = event.target.closest("tbody tr[data-frame]");
      if (row)
        choose(Number(row.dataset.frame));
    });
    table.addEventListener("keydown", (event) => {
      const row = event.target.closest("tbody tr[data-frame]");
      if (!row || event.ctrlKey || event.altKey || event.metaKey)
        return;
      const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling,
                     Home: row.parentNode.firstElementChild, End: row.parentNode.lastElementChild }[event.key];
      if (next) {
        event.preventDefault();
        row.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
      } else if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        choose(Number(row.dataset.frame));
      }
    });
  }

  function create(app) {
    const { model } = app;
    const tables = Object.fromEntries(["functions", "callers", "callees"]
      .map((id) => [id, document.getElementById(id)]));
    let sums = null;

    function label(frame) {
      return frame < 0 ? model.info.domain_names[-1 - frame] : model.frameName(frame);
    }

    function nameCell(frame, text = label(frame)) {
      return element("td", { className: "name", title: label(frame).slice(0, 1000) },
                     swatch("mode-" + (frame < 0 ? Model.NO_MODE : model.frames.mode[frame])), isolated(text));
    }

    const whole = model.info.diff && Compare.whole(model);

    function errorCell(frame) {
      const text = Compare.error(app, sums, whole, frame);
      return element("td", { className: "error", textContent: text, title: text.endsWith("*") ? "beyond noise" : "" });
    }

    // The first columns of the table depend on the sort key.
    const changes = [
      { key: "change", title: "change", by: (frame) => Math.abs(sums.change[frame]),
        cell: (frame, most) => changeCell(sums.change[frame], most) },
      { key: undefined, title: "error", by: () => 0, cell: (frame) => errorCell(frame) },
      { key: "was", title: "before", by: (frame) => sums.was[frame],
        cell: (frame, most) => partCell(sums.was[frame], Compare.WHOLE, most) },
      { key: "is", title: "after", by: (frame) => sums.is[frame],
        cell: (frame, most) => partCell(sums.is[frame], Compare.WHOLE, most) }];
    const shares = [
      { key: "own", title: "self", by: (frame) => sums.own[frame],
        cell: (frame, most) => partCell(sums.own[frame], app.result.all, most) },
      { key: "total", title: "total", by: (frame) => sums.total[frame],
        cell: (frame, most) => partCell(sums.total[frame], app.result.all, most) }];
    let figures = shares, sort = "";

    function functionRow(frame, most, first) {
      const row = element("tr", { tabIndex: first ? 0 : -1 });
      row.dataset.frame = frame;
      row.setAttribute("aria-selected", String(frame === app.state.frame));
      const image = model.imageName(model.frames.image[frame]);
      row.append(...figures.map((figure, index) => figure.cell(frame, most[index])), nameCell(frame));
      if (!app.result.sides) // of two sessions the name has it, of two times there is no room
        row.append(element("td", { className: "image", title: image }, isolated(image.split("/").pop())));
      return row;
    }

    // Whether it stands for callers that are not known.
    function isAbsent(frame) {
      return model.frames.mode[frame] === Model.NO_MODE;
    }

    // Callers that are not known, apart from the functions.
    function showAbsent() {
      const frames = [...sums.total.keys()].filter((frame) => isAbsent(frame) && sums.total[frame] > 0)
        .sort((a, b) => sums.total[b] - sums.total[a]);
      const texts = frames.flatMap((frame) => [isolated(label(frame)), " " + Text.percent(sums.total[frame], app.result.all)]);
      const place = document.getElementById("absent");
      place.hidden = !frames.length || Boolean(app.result.sides);
      place.replaceChildren("Callers that are not known: ", ...texts.flatMap((one, i) => i > 1 && i % 2 === 0 ? [", ", one] : [one]));
    }

    // Those of functions that are shown, in their order.
    function order(frames) {
      if (sort === "name")
        return frames.sort((a, b) => label(a) < label(b) ? -1 : label(a) > label(b) ? 1 : a - b).slice(0, SHOWN);
      const { by } = figures.find((figure) => figure.key === sort), keys = Float64Array.from(frames, by);
      const least = keys.slice().sort()[Math.max(0, keys.length - SHOWN)]; // few of thousands are sorted themselves
      return frames.filter((frame, i) => keys[i] >= least).sort((a, b) => by(b) - by(a) || sums.total[b] - sums.total[a]).slice(0, SHOWN);
    }

    function shownFrames() {
      const frames = [];
      for (let frame = 0; frame < sums.total.length; frame++)
        if (sums.total[frame] > 0 && (!app.frameHits || app.frameHits[frame]) && !isAbsent(frame))
          frames.push(frame);
      return frames;
    }

    function showFunctions() {
      tables.functions.classList.toggle("of-two", Boolean(app.result.sides));
      const body = columns(tables.functions, [
        ...figures.map(({ key, title }) => ({ key, title, kind: key ? "num" : "error" })),
        { key: "name", kind: "name", title: "function" },
        ...(app.result.sides ? [] : [{ kind: "image", title: "image" }])], sort, (key) => {
        sort = key;
        showFunctions();
        tables.functions.querySelector('th[aria-sort="descending"] button, th[aria-sort="ascending"] button').focus();
      });
      const frames = shownFrames(), { length } = frames, shown = order(frames);
      const most = figures.map((figure) => Math.max(0, ...shown.map(figure.by)));
      fill(body, shown, (frame, index) => functionRow(frame, most, index === 0));
      if (!length)
        body.append(element("tr", {}, element("td", { className: "none", colSpan: figures.length + 2,
          textContent: app.frameHits ? "No function that is shown matches." : "No function is shown." })));
      document.getElementById("functions-count").textContent =
        length > SHOWN ? SHOWN + " of " + Text.count(length) + "; search narrows" : length + "";
    }

    function showRelatives(table, times, whole, empty) {
      const body = columns(table, [{ kind: "num", title: "of it" }, { kind: "name", key: "name", title: "function" }]);
      const frames = [...times.keys()].sort((a, b) => times.get(b) - times.get(a)).slice(0, SHOWN);
      const most = frames.length ? times.get(frames[0]) : 0;
      fill(body, frames, (frame, index) => {
        const row = element("tr", { tabIndex: index === 0 ? 0 : -1 });
        if (frame >= 0)
          row.dataset.frame = frame;
        row.append(partCell(times.get(frame), whole, most),
                   frame === app.state.frame ? nameCell(frame, "(itself)") : nameCell(frame));
        return row;
      });
      if (!frames.length)
        body.append(element("tr", {}, element("td", { className: "none", colSpan: 2, textContent: empty })));
    }

    function showChosen() {
      const { frame } = app.state;
      const known = frame >= 0;
      const both = known ? Model.relatives(model, app.result, frame) : { callers: new Map(), callees: new Map() };
      const none = known ? "None." : "Choose a function: in the table, or in the flame graph.";
      const whole = known ? sums.total[frame] : 0;
      if (known && sums.own[frame] > 0)
        both.callees.set(frame, sums.own[frame]);
      showRelatives(tables.callers, both.callers, whole, none);
      showRelatives(tables.callees, both.callees, whole, none);
      for (const place of document.querySelectorAll(".chosen"))
        place.replaceChildren(known ? isolated("of " + label(frame)) : "");
      for (const row of tables.functions.querySelectorAll("tr[data-frame]"))
        row.setAttribute("aria-selected", String(Number(row.dataset.frame) === frame));
    }

    function update() {
      const { sides } = app.result;
      figures = sides ? changes : shares;
      if (sort !== "name" && !figures.some(({ key }) => key === sort))
        sort = figures[0].key;
      sums = Model.functions(model, app.result);
      if (sides)
        Object.assign(sums, Compare.functions(app));
      document.getElementById("functions-title").textContent = sides ? "What changed" : "Hot functions";
      showFunctions();
      showAbsent();
      showChosen();
    }

    // Rows of other data are there at once, so that what is scrolled stays where it is;
    // what has the focus has it again.
    function renewing() {
      const held = document.activeElement, table = Object.values(tables).find((one) => one.contains(held));
      const name = Link.names(app).frames[held?.dataset.frame], column = held?.closest("th")?.cellIndex ?? 0;
      const again = () => name === undefined ? table.tHead.rows[0].cells[column].firstElementChild
        : table.querySelector('tr[data-frame="' + Link.names(app).frames.indexOf(name) + '"]');
      return () => {
        atOnce = SHOWN;
        queueMicrotask(() => { // when the tables are filled
          atOnce = AT_ONCE;
          if (table)
            again()?.focus({ preventScroll: true });
        });
      };
    }

    for (const table of Object.values(tables))
      walkable(table, (frame) => frame === app.state.frame ? app.views.drawer?.open() : app.chooseFrame(frame));
    return {
      panel: document.querySelector(".lists"), numbersChanged: update, searched: showFunctions, frameChosen: showChosen, renewing,
      keys: [{ key: "s", what: "to the functions",
               run: () => {
                 Sight.finish();
                 tables.functions.querySelector('tbody tr[tabindex="0"]')?.focus();
               } },
             { shown: "Arrows, Enter", what: "in tables: from one to the next; choose the function" }],
    };
  }

  return { create, element, isolated, swatch, partCell, fill };
})();
VIEWS.lists = Lists;
