// SPDX-License-Identifier: GPL-2.0-or-later
// What is selected, and zoomed to, as a file for other tools.  Another format is a row.
VIEWS.save = (() => {
  const SUFFIXES = ["_[x]", "_[k]"]; // of --folded: Xen, kernel

  function create(app) {
    const { model } = app, { tree, type } = model, { element } = Lists;
    const menu = document.getElementById("save");

    // What is saved: a name, and the amount of a node, in ns or events; of two times both.
    function columns() {
      const { own, sides } = app.result;
      const amount = (value) => Math.round(value * type.scale);
      if (!sides)
        return [{ name: model.info.title, of: (node) => amount(own[node]) }];
      return ["before", "after"].map((name) => {
        const side = sides[name];
        return { name, of: (node) => amount(side.own[node] * side.all / Compare.WHOLE) };
      });
    }

    // Nodes below the zoom, if the flame graph has the model's, that have something
    // themselves.  Idle time is not saved.
    function saved(amounts) {
      const zoom = Shape.parts(app).length ? 0 : app.views.flame.view.zoom, nodes = [];
      for (let node = Math.max(1, zoom); node < tree.end[zoom]; node++)
        if (!(tree.frame[node] < 0 && tree.domain[node] === Model.IDLE_DOMAIN) && amounts.some(({ of }) => of(node) > 0))
          nodes.push(node);
      return nodes;
    }

    // Nodes from the domain to one, which is the last.
    function chain(node) {
      const nodes = [];
      for (let at = node; at > 0; at = tree.parent[at])
        nodes.unshift(at);
      return nodes;
    }

    function folded() {
      const amounts = columns(), domains = Link.plainNames(app).domains;
      const name = (node) => (tree.frame[node] < 0 ? domains[tree.domain[node]]
        : model.frameName(tree.frame[node]) + (SUFFIXES[tree.mode[node]] ?? "")).replaceAll(";", ":");
      const line = (node) => chain(node).map(name).join(";") + (tree.frame[node] < 0 ? ";[not sampled]" : "") + " " +
        amounts.map(({ of }) => of(node)).join(" ") + "\n";
      return saved(amounts).map(line);
    }

    // github.com/jlfwong/speedscope, src/lib/file-format-spec.ts.
    function speedscope() {
      const amounts = columns(), nodes = saved(amounts), known = new Map(), frames = [];
      const number = (node) => {
        const key = tree.frame[node] < 0 ? -1 - tree.domain[node] : tree.frame[node];
        if (!known.has(key)) {
          const file = model.imageName(tree.image[node]);
          const name = tree.frame[node] < 0 ? model.info.domain_names[tree.domain[node]] : model.frameName(tree.frame[node]);
          known.set(key, frames.push({ name, ...(file ? { file } : {}) }) - 1);
        }
        return known.get(key);
      };
      const samples = nodes.map((node) => chain(node).map(number));
      const profiles = amounts.map(({ name, of }) => {
        const weights = nodes.map(of);
        return { type: "sampled", name, unit: type.scale === 1 ? "none" : "nanoseconds", startValue: 0,
                 endValue: weights.reduce((a, b) => a + b, 0), samples, weights };
      });
      return [JSON.stringify({ $schema: "https://www.speedscope.app/file-format-schema.json", exporter: "xenoprof",
                               name: model.info.title, shared: { frames }, profiles })];
    }

    const formats = [{ text: "Folded text", end: ".folded", make: folded },
                     { text: "speedscope", end: ".speedscope.json", make: speedscope }];

    // "current-5..10.folded".
    function fileName(end) {
      const { selection, base } = app.state, part = selection.from > 0 || selection.to < model.bins;
      const times = [...(app.result.sides ? [Link.range(model, base)] : []), ...(part ? [Link.range(model, selection)] : [])];
      return [model.info.session.name.slice(0, 100), ...times].join("-").replace(/[^\w.-]+/g, "_") + end;
    }

    function save({ end, make }) {
      const address = URL.createObjectURL(new Blob(make()));
      element("a", { href: address, download: fileName(end) }).click();
      setTimeout(() => URL.revokeObjectURL(address), 6e4);
      close();
    }

    function close() {
      menu.open = false;
      menu.firstElementChild.focus();
    }

    menu.hidden = false;
    menu.lastElementChild.append(...formats.map((format) => {
      const button = element("button", { type: "button", textContent: format.text });
      button.addEventListener("click", () => save(format));
      return button;
    }));
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open)
        return;
      event.stopPropagation();
      close();
    });
    return { keys: [{ key: "S", what: "save what is selected for other tools", run: () => {
      menu.open = true;
      menu.querySelector("button").focus();
    } }] };
  }

  return { create, needsTimes: true };
})();
