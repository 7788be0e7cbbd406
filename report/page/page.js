// SPDX-License-Identifier: GPL-2.0-or-later
// The page as a whole: keeps the selection, and informs the views when it
// changes.  A view is one file, VIEWS.name = { create(app), needsTimes }; what
// create() returns may have numbersChanged(), searched(), frameChosen(), zoomed(),
// reshaped(), turned(), draw() (after a change of colours), keys (keys.js), a panel
// (an element that may be out of sight: sight.js), and
// renewing(), before the session's data are other ones: it returns what is called when
// they are, and the state is as before, by name.
const Page = (() => {
  const byId = (id) => document.getElementById(id);
  const WARM = 3; // pictures that nobody asked for

  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    Canvas.forget();
  }

  function systemTheme() {
    return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }

  function makeApp(model) {
    /** @type {any} */ // what is on the screen follows
    const app = { model, state: { selection: Model.selectAll(model), base: null, frame: -1, words: "", wishes: Shape.usual(),
                                lanes: { open: new Set(), more: 0 } },
                  frameHits: null, views: {} };
    app.result = Model.select(model, app.state.selection);
    app.bins = new Map();
    Shape.update(app);
    for (const [name, view] of Object.entries(VIEWS))
      if (!(view.needsTimes && model.info.diff))
        app.views[name] = view.create(app);
    return app;
  }

  // Calls the function of that name of each view that has one.
  function inform(app, what) {
    for (const view of Object.values(app.views))
      if (view[what])
        Sight.call(view, what);
  }

  // After a change of the selection: updates everything with numbers.
  function recompute(app) {
    app.result = Compare.select(app.model, app.state);
    app.bins = Model.binsOf(app.model, app.state.selection);
    showNumbers(app);
  }

  // After a change of the range, which the pictures of time do not depend on.
  function recomputeRange(app) {
    app.result = Compare.select(app.model, app.state);
    showNumbers(app);
  }

  function showNumbers(app) {
    if (Shape.update(app))
      app.views.flame.begin(0);
    showLegend(app);
    showMatches(app);
    inform(app, "numbersChanged");
    showPath(app);
    remember(app);
  }

  // What is on the screen becomes the address, and what was before is one step back,
  // but for what comes of an address itself.
  let due = 0, followed = true;
  function remember(app) {
    clearTimeout(due);
    due = setTimeout(() => {
      const text = Link.make(app), now = location.hash.slice(1);
      if (text !== now)
        history[followed ? "replaceState" : "pushState"](null, "", text ? "#" + text : location.pathname + location.search);
      followed = false;
    }, 150);
  }

  function showPath(app) {
    const { shape } = app, path = [];
    for (let node = app.views.flame.view.zoom; ; node = shape.parent(node)) {
      path.unshift(node);
      if (node === 0)
        break;
    }
    const last = path.slice(-4);
    const shown = last[0] === 0 ? last : [0, ...last.slice(1)];
    byId("path").replaceChildren(...shown.flatMap((node, index) => {
      const button = Lists.element("button", { type: "button" }, Lists.isolated(shape.name(node)));
      button.addEventListener("click", () => app.views.flame.zoom(node));
      const gap = index === 1 && path.length > 4 ? "\u203a \u2026 \u203a" : "\u203a";
      return index ? [gap, button] : [button];
    }));
  }

  function reshape(app) {
    if (Shape.update(app))
      app.views.flame.begin(0);
  }

  function matchFrames(app) {
    const { words } = app.state;
    if (!words)
      return null;
    const pattern = new RegExp(words, "i");
    return Uint8Array.from(app.model.info.frame_names, (name) => pattern.test(name) ? 1 : 0);
  }

  function showMatches(app) {
    const place = byId("matched");
    place.classList.remove("bad");
    try {
      app.frameHits = matchFrames(app);
    } catch {
      app.frameHits = null;
      place.classList.add("bad");
      place.textContent = "no regular expression yet";
      app.views.flame.search(null);
      return;
    }
    const time = app.views.flame.search(app.frameHits);
    place.textContent = time === null ? "" : "matched " + Text.percent(time, app.result.total[0]);
  }

  function search(app, words) {
    app.state.words = words;
    byId("words").value = words;
    showMatches(app);
    inform(app, "searched");
    remember(app);
  }

  async function copyLink() {
    const button = byId("copy");
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = "Copied";
    } catch {
      button.textContent = "In the address";
    }
    setTimeout(() => { button.textContent = "Link"; }, 1500);
  }

  function addActions(app) {
    app.selectionChanged = () => recompute(app);
    app.setRange = (from, to) => {
      if (from === app.state.selection.from && to === app.state.selection.to)
        return;
      Object.assign(app.state.selection, { from, to });
      recomputeRange(app);
    };
    // The selected time is compared with the base, { from, to }; null: with nothing.
    app.setBase = (base, { from, to } = app.state.selection) => {
      Object.assign(app.state.selection, { from, to });
      app.state.base = base;
      recomputeRange(app);
    };
    app.chooseFrame = (frame) => {
      if (frame === app.state.frame)
        return;
      app.state.frame = frame;
      reshape(app);
      inform(app, "frameChosen");
      showPath(app);
      remember(app);
    };
    app.reshape = () => {
      reshape(app);
      inform(app, "reshaped");
      showPath(app);
      remember(app);
    };
    // Which lanes are open: { open, a set of domains and Lanes.PCPUS; more, domains }.
    app.setLanes = (lanes) => {
      app.state.lanes = lanes;
      remember(app);
    };
    app.search = (words) => search(app, words);
    app.zoomed = () => {
      showPath(app);
      inform(app, "zoomed");
      remember(app);
    };
    // What no view depends on.
    app.noted = () => remember(app);
    app.turned = () => {
      inform(app, "turned");
      remember(app);
    };
    app.showAll = () => {
      app.state.selection = Model.selectAll(app.model);
      app.state.base = null;
      showMisfit("");
      recompute(app);
    };
    app.forget = () => {
      showMisfit("");
      search(app, "");
      app.chooseFrame(-1);
      app.views.flame.forget();
    };
    app.renew = (data) => renew(app, data);
    app.nextTheme = () => {
      setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
      inform(app, "draw");
    };
  }

  function addSearch(app) {
    const words = byId("words");
    words.addEventListener("input", () => search(app, words.value));
    words.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== "Escape")
        return;
      event.preventDefault();
      if (event.key === "Escape")
        search(app, "");
      byId("flame").focus();
    });
  }

  let legend = null; // whether it is of two sides
  function showLegend(app) {
    if (legend === (legend = Boolean(app.result.sides)))
      return;
    const colours = legend
      ? [["more", "change-3"], ["less", "change-6"], ["within noise", "change-0"]]
      : [["Xen", "mode-0"], ["kernel", "mode-1"], ["user", "mode-2"]];
    byId("legend").replaceChildren(...colours.map(([name, colour]) =>
      Lists.element("span", {}, Lists.swatch(colour), name)));
  }

  function addButtons(app) {
    byId("all").addEventListener("click", app.showAll);
    byId("copy").addEventListener("click", copyLink);
    byId("theme").addEventListener("click", app.nextTheme);
  }

  // Keys of no view.
  function keysOfPage(app) {
    return [
      { key: "/", what: "search; Enter goes to the flame graph, Escape ends it", run: () => byId("words").focus() },
      { shown: "Tab", what: "to the next of all that can be used" },
      { key: "0", what: "show everything again", run: app.showAll },
      { key: "l", what: "copy a link to what is on the screen", run: copyLink },
      { key: "b", what: "dark or light", run: app.nextTheme },
      { key: "Escape", what: "close the details; else end the search, forget the function", run: () => app.views.drawer?.close() || app.forget() },
    ];
  }

  function showMisfit(text) {
    const place = byId("misfit");
    place.hidden = !text;
    place.replaceChildren(Lists.isolated(text));
  }

  // Other data of the same session; all else stays.
  function renew(app, data) {
    const link = Link.make(app), views = Object.values(app.views).map((view) => view.renewing?.());
    Model.renew(app.model, data);
    app.linkNames = app.shape = undefined;
    Info.show(app.model);
    follow(app, link, { complain: false, renewed: () => views.forEach((view) => view?.()) });
  }

  // Take the state from a link.
  function follow(app, link = location.hash, { complain = true, renewed = () => {} } = {}) {
    const wanted = Link.read(app, link);
    followed ||= complain;
    app.state.selection = wanted.selection;
    app.state.base = wanted.base;
    app.state.frame = wanted.frame;
    app.state.details = wanted.details;
    app.state.wishes = wanted.wishes;
    app.state.lanes = wanted.lanes;
    app.state.words = byId("words").value = wanted.words;
    app.views.flame.view.rootAbove = wanted.rootAbove;
    app.result = Compare.select(app.model, app.state);
    Shape.update(app);
    const { zoom, misfit } = wanted.zoom();
    app.views.flame.begin(zoom);
    if (complain)
      showMisfit(misfit);
    renewed();
    app.bins = Model.binsOf(app.model, app.state.selection);
    showNumbers(app);
    Sight.finish();
  }

  // What is done for the first time takes longest: code is compiled, and columns are made.
  // A page that gets other data has no time for that.
  function* warm(app) {
    for (let turn = 0; turn < WARM; turn++)
      for (const view of Object.values(app.views)) {
        view.draw?.();
        yield;
      }
    if (!app.model.info.diff) {
      yield* Compare.warm(app.model);
      yield* Shape.warm(app);
    }
  }

  // load() makes the data; the page's own are text in it.
  async function start(load = () => Decode.load(Types.take(location.hash))) {
    setTheme(systemTheme());
    const model = Model.create(await load());
    Types.show(model);
    Info.show(model);
    const app = makeApp(model);
    addActions(app);
    addSearch(app);
    document.querySelector(".times").hidden = Boolean(model.info.diff);
    addButtons(app);
    Sight.watch(Object.values(app.views));
    Keys.create([{ keys: keysOfPage(app) }, ...Object.values(app.views)]);
    follow(app);
    window.addEventListener("hashchange", () => {
      if (Types.asks(model, location.hash))
        location.reload();
      else
        follow(app);
    });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      setTheme(systemTheme());
      inform(app, "draw");
    });
    document.documentElement.dataset.ready = "1";
    if (!app.views.served)
      Later.whenIdle(warm(app));
  }

  function startOrExplain(load) {
    start(load).catch((error) => {
      const notes = byId("notes");
      notes.hidden = false;
      notes.textContent = "The page cannot show its data: " + error.message +
        ". A browser of 2023 or later is needed (DecompressionStream).";
    });
  }

  return { start: startOrExplain };
})();
