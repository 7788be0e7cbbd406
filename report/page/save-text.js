// SPDX-License-Identifier: GPL-2.0-or-later
// What is selected as folded text, and for speedscope.
const SaveText = (() => {
  const SUFFIXES = ["_[x]", "_[k]"]; // of --folded: Xen, kernel

  function folded(app) {
    const { model } = app, { tree } = model, amounts = Saved.columns(app), domains = Link.plainNames(app).domains;
    const name = (node) => (tree.frame[node] < 0 ? domains[tree.domain[node]]
      : model.frameName(tree.frame[node]) + (SUFFIXES[tree.mode[node]] ?? "")).replaceAll(";", ":");
    const line = (node) => Saved.chain(tree, node).map(name).join(";") + (tree.frame[node] < 0 ? ";" + Saved.NOT_SAMPLED : "") + " " +
      amounts.map(({ of }) => of(node)).join(" ") + "\n";
    return Saved.nodes(app, amounts).map(line);
  }

  // github.com/jlfwong/speedscope, src/lib/file-format-spec.ts.
  function speedscope(app) {
    const { model } = app, { tree, type } = model;
    const amounts = Saved.columns(app), nodes = Saved.nodes(app, amounts), known = new Map(), frames = [];
    const number = (node) => {
      const key = tree.frame[node] < 0 ? -1 - tree.domain[node] : tree.frame[node];
      if (!known.has(key)) {
        const file = model.imageName(tree.image[node]);
        const name = tree.frame[node] < 0 ? model.info.domain_names[tree.domain[node]] : model.frameName(tree.frame[node]);
        known.set(key, frames.push({ name, ...(file ? { file } : {}) }) - 1);
      }
      return known.get(key);
    };
    const samples = nodes.map((node) => Saved.chain(tree, node).map(number));
    const profiles = amounts.map(({ name, of }) => {
      const weights = nodes.map(of);
      return { type: "sampled", name, unit: type.scale === 1 ? "none" : "nanoseconds", startValue: 0,
               endValue: weights.reduce((a, b) => a + b, 0), samples, weights };
    });
    return [JSON.stringify({ $schema: "https://www.speedscope.app/file-format-schema.json", exporter: "xenoprof",
                             name: model.info.title, shared: { frames }, profiles })];
  }

  return { folded, speedscope };
})();
