// SPDX-License-Identifier: GPL-2.0-or-later
// The details of the chosen function: its instructions, when it ran, in which domains,
// for which reasons, and who called it.  All but the instructions is of what is selected.
VIEWS.drawer = (() => {
  const LATER = 150; // ms: lists and the picture follow a selection
  const ROWS = 12; // of a list
  const SAID = 10000; // ms
  const HEIGHT = 44, NARROW = "(max-width: 700px)";

  // Of two sessions compared there are shares alone: it says where the rest is.
  function absent({ model: { info: { diff } } }) {
    const said = document.getElementById("copied");
    let until = 0;
    const open = () => {
      clearTimeout(until);
      said.textContent = Text.clean("Two sessions compared have no details of functions; the page of each has them: xenopreport --html=FILE --session=" +
        diff.before.name + ", or " + diff.after.name + ".");
      until = setTimeout(() => { said.textContent = ""; }, SAID);
    };
    document.getElementById("details").addEventListener("click", open);
    return { open, close: () => false, keys: [{ key: "D", what: "where details of functions are", run: open }] };
  }

  function create(app) {
    if (app.model.info.diff)
      return absent(app);
    const { model } = app, { element, isolated } = Lists;
    const place = document.getElementById("drawer"), button = document.getElementById("details");
    const narrow = window.matchMedia(NARROW);
    let shown = -1, built = "", body = 0, before = null, due = 0, bars = null; // built: of which code

    const isOpen = () => app.state.details && app.state.frame >= 0;

    // Its parts, which stay.
    const title = element("h2", { id: "drawer-title", tabIndex: -1 }), where = element("p", { className: "quiet" });
    const shut = element("button", { type: "button", textContent: "Close" });
    const figures = element("table", { className: "figures" }), which = element("label", {}, "of ");
    const rows = element("div", { className: "scroll rows" }), notes = element("div", { className: "said" });
    const canvas = element("canvas", {}), box = element("div", { className: "canvas when" }, canvas), when = element("p", { className: "quiet" });
    const parts = { domains: "Domains", reasons: "Reasons", callers: "Callers" };
    const lists = Object.fromEntries(Object.keys(parts).map((id) => [id, element("ul", { className: "shares" })]));

    function section(heading, ...contents) {
      return element("section", {}, element("h3", { textContent: heading }), ...contents);
    }

    const sections = Object.fromEntries(Object.entries(parts).map(([id, heading]) => [id, section(heading, lists[id])]));
    const whenPart = section("When", box, when);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "When it ran");
    place.append(element("header", {}, element("div", {}, title, where), shut), figures,
                 element("section", {}, element("div", { className: "head" }, element("h3", { textContent: "Instructions" }), which), rows, notes),
                 whenPart, ...Object.values(sections));

    function showHead() {
      const { frame } = app.state, { sides } = app.result, one = Inside.side(app);
      const mode = Model.MODE_NAMES[model.frames.mode[frame]], image = model.imageName(model.frames.image[frame]);
      title.replaceChildren(isolated(model.frameName(frame)));
      where.replaceChildren(isolated([mode, ...(image && image !== mode.toLowerCase() ? [image] : [])].join(", ")));
      const { own, total, count } = Model.ofFunction(model, one.result, frame), { amount, whole } = model.type;
      const line = (name, time) => [name, amount(sides ? time * one.all / one.whole : time), Text.percent(time, one.whole),
                                    Text.percent(time, one.result.total[0])];
      const cells = (kind, texts) => texts.map((textContent) => element(kind, { textContent }));
      const note = Text.count(count) + " samples" + (sides ? " of the time after; " + Compare.linesOfFunction(app, frame).join("; ") : "");
      figures.replaceChildren(
        element("caption", { textContent: note }),
        element("thead", {}, element("tr", {}, element("td", {}), ...cells("th", [model.type.scale === 1 ? "amount" : "time", "of " + whole, "of what is selected"]))),
        element("tbody", {}, ...[line("itself", own), line("with what it called", total)].map((texts) => element("tr", {}, ...cells("td", texts)))));
    }

    // A row of a list: how much of the whole, and what it is; with choose it is a button.
    function share({ time, name, choose }, whole, most) {
      const part = element("span", { className: "part", textContent: Text.percent(time, whole) });
      part.style.backgroundSize = (most > 0 ? 100 * time / most : 0).toFixed(1) + "% 100%";
      const made = [part, element("span", { className: "name", title: name.slice(0, 1000) }, isolated(name))];
      if (!choose)
        return element("li", {}, ...made);
      const chooser = element("button", { type: "button" }, ...made);
      chooser.addEventListener("click", choose);
      return element("li", {}, chooser);
    }

    function fill(id, found, whole) {
      const shown = found.filter(({ time }) => time > 0).sort((a, b) => b.time - a.time), most = shown.length ? shown[0].time : 0;
      lists[id].replaceChildren(...shown.slice(0, ROWS).map((row) => share(row, whole, most)),
        ...(shown.length > ROWS ? [element("li", { className: "quiet", textContent: Text.count(shown.length - ROWS) + " more" })] : []),
        ...(shown.length ? [] : [element("li", { className: "quiet", textContent: "None of what is selected." })]));
    }

    function choose(frame) {
      app.chooseFrame(frame);
      title.focus();
    }

    function showShares(frame, { result }) {
      const { callers } = Model.relatives(model, result, frame), names = model.info.domain_names;
      const total = [...callers.values()].reduce((a, b) => a + b, 0);
      fill("callers", [...callers].map(([key, time]) => key < 0 ? { time, name: names[-1 - key] }
        : { time, name: model.frameName(key), choose: () => choose(key) }), total);
      fill("domains", Inside.byDomain(model, result, frame).map(({ domain, total: time }) => ({ time, name: names[domain] })), total);
    }

    // What takes a look at each sample, or at each node several times.
    function showRest() {
      if (!isOpen())
        return;
      const { selection, frame } = app.state, one = Inside.side(app), { brush } = one;
      showCode();
      showShares(frame, one);
      const found = Inside.bySample(model, brush, selection, frame), whole = found.reasons.reduce((a, b) => a + b, 0);
      const words = (model.info.why ?? []).map(({ reason }) => reason);
      bars = { ...found, from: selection.from };
      sections.reasons.hidden = !words.length;
      fill("reasons", [...found.reasons].map((time, i) => ({ time, name: i ? words[i - 1] : "not in Xen" })), whole);
      draw();
    }

    function draw() {
      if (!isOpen() || !bars)
        return;
      const width = Math.max(100, Canvas.width(box, draw)), palette = Canvas.palette(), context = Canvas.prepare(canvas, width, HEIGHT);
      const { bars: sums, each, from } = bars, most = sums.reduce((a, b) => Math.max(a, b), 0), wide = width / sums.length;
      const at = (bar) => Text.seconds(model.since + Model.timeOf(model, Math.min(from + bar * each, app.state.selection.to)));
      context.fillStyle = palette.line;
      context.fillRect(0, HEIGHT - 1, width, 1);
      context.fillStyle = palette.modes[model.frames.mode[app.state.frame]];
      sums.forEach((sum, bar) => {
        const high = most > 0 && sum > 0 ? Math.max(1, (HEIGHT - 2) * sum / most) : 0;
        context.fillRect(bar * wide, HEIGHT - 1 - high, Math.max(1, wide - (wide > 4 ? 1 : 0)), high);
      });
      const peak = sums.indexOf(most), text = "from " + at(0) + " to " + at(sums.length) + " s" +
        (most > 0 ? "; most from " + at(peak) + " to " + at(peak + 1) + " s: " + model.type.amount(most) : "");
      when.textContent = text;
      canvas.setAttribute("aria-label", "When it ran, " + text);
    }

    // The rows of the function that is chosen among those of that name.
    function showBody() {
      const { frame } = app.state, { bodies } = Code.of(model, frame), one = bodies[body];
      rows.hidden = !one;
      const focused = rows.contains(document.activeElement);
      built = keyOf(body);
      const counted = one && Code.counts(one, app.state.selection.domains);
      rows.replaceChildren(...(one ? [Code.table(one, counted)] : []));
      const own = Model.nodesOf(model, frame).reduce((sum, node) => sum + model.tree.ownTime[node], 0);
      const advice = Code.remedy(model, frame, one, own);
      notes.replaceChildren(...[...(advice ? [advice] : []), ...(one ? Code.notes(one) : [])].map((text) => element("p", { className: "quiet" }, isolated(text))));
      if (advice.endsWith(":"))
        notes.firstChild.after(element("code", { textContent: Command.annotate(app, frame) }));
      if (one)
        standAt(Code.hottest(counted), focused);
    }

    // What the rows depend on.
    function keyOf(index) {
      const { frame, selection: { domains } } = app.state, one = Code.of(model, frame).bodies[index];
      return [frame, index, one ? Code.key(one, domains) : ""].join("/");
    }

    // Of what several have, it is that of a selected domain.
    function showCode() {
      const { frame, selection: { domains } } = app.state, { bodies } = Code.of(model, frame);
      const isSelected = (one) => Code.key(one, domains) !== "";
      const found = bodies[body] && isSelected(bodies[body]) ? body : Math.max(0, bodies.findIndex(isSelected));
      if (keyOf(found) === built)
        return;
      body = found;
      which.hidden = bodies.length < 2;
      const choice = element("select", {}, ...bodies.map((one, i) =>
        element("option", { value: String(i), selected: i === body, textContent: Code.whose(model, one) + ", " + model.type.amount(one.time_ns / model.type.scale) })));
      choice.addEventListener("change", () => {
        body = Number(choice.value);
        showBody();
      });
      which.replaceChildren("of ", choice);
      showBody();
    }

    const instructions = () => [...rows.querySelectorAll("tbody tr[data-offset]")];
    const current = () => rows.querySelector('tr[tabindex="0"]');

    // Makes a row the current one, in the middle of what is in sight.
    function stand(row, focusing) {
      const last = current();
      if (last) {
        last.tabIndex = -1;
        last.removeAttribute("aria-current");
      }
      row.tabIndex = 0;
      row.setAttribute("aria-current", "true");
      rows.scrollTop = row.offsetTop - (rows.clientHeight - row.offsetHeight) / 2;
      if (focusing)
        row.focus({ preventScroll: true });
    }

    // At the row of that index; -1: at the first one.
    function standAt(index, focusing) {
      const row = index >= 0 ? rows.querySelectorAll("tbody tr")[index] : instructions()[0];
      if (row)
        stand(row, focusing);
    }

    // The next hot instruction, and behind the last one the first.
    function nextHot(step) {
      const hot = instructions().filter((row) => row.classList.contains("hot")), all = instructions(), at = all.indexOf(current());
      const next = step > 0 ? hot.find((row) => all.indexOf(row) > at) : hot.findLast((row) => all.indexOf(row) < at);
      if (hot.length)
        stand(next ?? hot[step > 0 ? 0 : hot.length - 1], true);
    }

    function walk(step) {
      const all = instructions(), next = all[all.indexOf(current()) + step];
      if (next)
        stand(next, true);
    }

    // On a phone it covers the page, of which nothing can be used then.
    function cover() {
      const open = isOpen();
      document.body.classList.toggle("with-drawer", open);
      place.hidden = !open;
      button.setAttribute("aria-expanded", String(open));
      for (const one of document.querySelectorAll("body > :not(#drawer, dialog, script, #copied)"))
        one.inert = open && narrow.matches;
    }

    function show() {
      cover();
      if (!isOpen()) {
        shown = -1;
        built = "";
        return;
      }
      showHead();
      if (shown !== app.state.frame) {
        shown = app.state.frame;
        bars = null;
        body = 0;
        place.scrollTop = 0;
        Object.values(lists).forEach((list) => list.replaceChildren());
        showCode();
      }
      clearTimeout(due);
      due = setTimeout(showRest, LATER);
    }

    // The function in which most time is itself, of what is selected: one of which there is
    // something to say, if there is any.
    function hottest() {
      const { own } = Model.functions(model, Inside.side(app).result);
      const most = (fits) => own.reduce((best, time, frame) => time > (own[best] ?? 0) && fits(frame) ? frame : best, -1);
      const known = most((frame) => Code.isNamed(model, frame) || Code.of(model, frame).bodies.length > 0);
      return known >= 0 ? known : most(() => true);
    }

    function set(open) {
      app.state.details = open;
      show();
      app.noted();
    }

    function open() {
      if (app.state.frame < 0)
        app.chooseFrame(hottest());
      if (app.state.frame < 0)
        return;
      if (!place.contains(document.activeElement))
        before = document.activeElement;
      if (!isOpen())
        set(true);
      (current() ?? title).focus({ preventScroll: true });
    }

    // Returns whether it was open.
    function close() {
      if (!isOpen())
        return false;
      const inside = place.contains(document.activeElement);
      set(false);
      if (inside)
        (before?.isConnected && before !== document.body ? before : button).focus();
      return true;
    }

    function toggle() {
      if (isOpen() && place.contains(document.activeElement))
        close();
      else
        open();
    }

    const actions = {
      n: () => nextHot(1), p: () => nextHot(-1), Escape: close,
      ArrowDown: () => walk(1), ArrowUp: () => walk(-1),
      Home: () => instructions().length && stand(instructions()[0], true),
      End: () => instructions().length && stand(instructions().at(-1), true),
    };
    const ofRows = new Set(["ArrowDown", "ArrowUp", "Home", "End"]);

    place.addEventListener("keydown", (event) => {
      const { key, target } = event;
      if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(actions, key) || target instanceof HTMLSelectElement)
        return;
      if (ofRows.has(key) && !rows.contains(target))
        return;
      event.preventDefault();
      actions[key]();
    });
    rows.addEventListener("click", (event) => {
      const row = event.target.closest("tr[data-offset]");
      if (row)
        stand(row, true);
    });
    shut.addEventListener("click", close);
    button.addEventListener("click", open);
    narrow.addEventListener("change", cover);
    // Of other data a function has another number, and its rows other counts.
    function renewed() {
      shown = isOpen() ? app.state.frame : -1;
      built = "";
      bars = null;
    }

    return {
      numbersChanged: show, frameChosen: show, draw, open, close, renewing: () => renewed,
      keys: [{ key: "D", what: "details of the chosen function, or of the hottest with a name; close them", run: toggle },
             { shown: "n, p", what: "in the details: the next and the last hot instruction" },
             { shown: "Enter", what: "in the table of functions: details of the chosen one" }],
    };
  }

  return { create };
})();
