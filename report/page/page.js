// SPDX-License-Identifier: GPL-2.0-or-later
// The page as a whole: keeps the selection, and updates the parts when it changes.
const Page = (() => {
  const byId = (id) => document.getElementById(id);

  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    Canvas.forget();
  }

  function systemTheme() {
    return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }

  function makeApp(model) {
    const app = { model, state: { selection: Model.selectAll(model), frame: -1, words: "" }, frameHits: null };
    app.result = Model.select(model, app.state.selection);
    app.binSums = new Map();
    app.flame = Flame.create(app);
    app.times = Times.create(app);
    app.heat = Heat.create(app);
    app.lists = Lists.create(app);
    app.picks = Picks.create(app);
    app.range = Range.create(app);
    return app;
  }

  // After a change of the selection: updates everything with numbers.
  function recompute(app) {
    app.result = Model.select(app.model, app.state.selection);
    app.binSums = Model.sumBins(app.model, app.state.selection, app.result.taken);
    showNumbers(app);
  }

  // After a change of the range, which the pictures of time do not depend on.
  function recomputeRange(app) {
    app.result = Model.select(app.model, app.state.selection);
    showNumbers(app);
  }

  function showNumbers(app) {
    showMatches(app);
    app.flame.draw();
    app.lists.update();
    app.picks.show();
    if (!app.model.info.diff) {
      app.times.draw();
      app.heat.draw();
      app.range.show();
    }
    showPath(app);
    remember(app);
  }

  function draw(app) {
    app.flame.draw();
    if (app.model.info.diff)
      return;
    app.times.draw();
    app.heat.draw();
  }

  let due = 0;
  function remember(app) {
    clearTimeout(due);
    due = setTimeout(() => {
      const text = Link.make(app);
      history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
    }, 150);
  }

  function showPath(app) {
    const { tree } = app.model;
    const path = [];
    for (let node = app.flame.view.zoom; ; node = tree.parent[node]) {
      path.unshift(node);
      if (node === 0)
        break;
    }
    const last = path.slice(-4);
    const shown = last[0] === 0 ? last : [0, ...last.slice(1)];
    byId("path").replaceChildren(...shown.flatMap((node, index) => {
      const button = Lists.element("button", { type: "button" }, Lists.isolated(app.flame.name(node)));
      button.addEventListener("click", () => app.flame.zoom(node));
      const gap = index === 1 && path.length > 4 ? "\u203a \u2026 \u203a" : "\u203a";
      return index ? [gap, button] : [button];
    }));
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
      app.flame.search(null);
      return;
    }
    const time = app.flame.search(app.frameHits);
    place.textContent = time === null ? "" : "matched " + Text.percent(time, app.result.total[0]);
  }

  function search(app, words) {
    app.state.words = words;
    byId("words").value = words;
    showMatches(app);
    app.flame.draw();
    app.lists.showFunctions();
    remember(app);
  }

  function nextMatch(app, step) {
    const { view } = app.flame;
    const found = view.boxes.map((item) => item.node).filter((node) => view.hits && view.hits[node])
      .sort((a, b) => a - b);
    if (!found.length)
      return;
    byId("flame").focus();
    const next = step > 0 ? found.find((node) => node > view.current)
      : found.findLast((node) => node < view.current);
    app.flame.select(next ?? (step > 0 ? found[0] : found[found.length - 1]));
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
    app.chooseFrame = (frame) => {
      if (frame === app.state.frame)
        return;
      app.state.frame = frame;
      app.lists.showChosen();
      app.flame.draw();
      remember(app);
    };
    app.zoomed = () => {
      showPath(app);
      remember(app);
    };
    app.turn = () => {
      app.flame.flip(!app.flame.view.rootAbove);
      remember(app);
    };
    app.showAll = () => {
      app.state.selection = Model.selectAll(app.model);
      recompute(app);
    };
    app.forget = () => {
      search(app, "");
      app.chooseFrame(-1);
    };
    app.nextTheme = () => {
      setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
      draw(app);
    };
    app.nextMatch = (step) => nextMatch(app, step);
    app.copyLink = copyLink;
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

  function addLegend(app) {
    const colours = app.model.info.diff
      ? [["more", "change-3"], ["less", "change-6"], ["within noise", "change-0"]]
      : [["Xen", "mode-0"], ["kernel", "mode-1"], ["user", "mode-2"]];
    byId("legend").replaceChildren(...colours.map(([name, colour]) =>
      Lists.element("span", {}, Lists.swatch(colour), name)));
  }

  function addButtons(app) {
    byId("all").addEventListener("click", app.showAll);
    byId("flip").addEventListener("click", app.turn);
    byId("reset").addEventListener("click", () => app.flame.zoom(0));
    byId("copy").addEventListener("click", app.copyLink);
    byId("theme").addEventListener("click", app.nextTheme);
  }

  // Take the state from a link.
  function follow(app) {
    const wanted = Link.read(app, location.hash);
    app.state.selection = wanted.selection;
    app.state.frame = wanted.frame;
    app.state.words = byId("words").value = wanted.words;
    app.flame.view.zoom = app.flame.view.current = wanted.zoom;
    app.flame.view.rootAbove = wanted.rootAbove;
    recompute(app);
  }

  async function start() {
    setTheme(systemTheme());
    const model = Model.create(await Decode.load(byId("data").textContent.trim()));
    byId("data").remove();
    Info.show(model);
    const app = makeApp(model);
    addActions(app);
    addSearch(app);
    addLegend(app);
    document.querySelector(".times").hidden = Boolean(model.info.diff);
    addButtons(app);
    Keys.create(app);
    follow(app);
    window.addEventListener("hashchange", () => follow(app));
    new ResizeObserver(() => draw(app)).observe(document.querySelector(".work"));
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      setTheme(systemTheme());
      draw(app);
    });
    document.documentElement.dataset.ready = "1";
  }

  return { start };
})();

Page.start().catch((error) => {
  const notes = document.getElementById("notes");
  notes.hidden = false;
  notes.textContent = "The page cannot show its data: " + error.message +
    ". A browser of 2023 or later is needed (DecompressionStream).";
});
