// SPDX-License-Identifier: GPL-2.0-or-later
// The state of the screen as the #fragment of a link to this file.
const Link = (() => {
  const LISTS = { m: "modes", d: "domains", v: "lanes", i: "images" };

  // Numbers of what is left out, "all" apart from what is the default.
  function listText(list, usual) {
    const off = [];
    for (let i = 0; i < list.length; i++)
      if (list[i] !== usual[i])
        off.push(i);
    return off.join(".");
  }

  function make(app) {
    const { state, model } = app;
    const usual = Model.selectAll(model);
    const words = new URLSearchParams();
    for (const [key, list] of Object.entries(LISTS)) {
      const text = listText(state.selection[list], usual[list]);
      if (text)
        words.set(key, text);
    }
    if (state.selection.from > 0 || state.selection.to < model.bins)
      words.set("t", state.selection.from + "-" + state.selection.to);
    if (app.views.flame.view.zoom > 0)
      words.set("z", app.views.flame.view.zoom);
    if (state.frame >= 0)
      words.set("f", state.frame);
    if (state.words)
      words.set("q", state.words);
    if (!app.views.flame.view.rootAbove)
      words.set("up", "1");
    return words.toString();
  }

  function whole(text, limit) {
    const value = /^\d{1,9}$/.test(text ?? "") ? Number(text) : -1;
    return value < limit ? value : -1;
  }

  // Parts of a link that are not valid here are ignored.
  function read(app, fragment) {
    const { model } = app;
    const words = new URLSearchParams(fragment.replace(/^#/, ""));
    const selection = Model.selectAll(model);
    for (const [key, list] of Object.entries(LISTS))
      for (const number of (words.get(key) ?? "").split(".")) {
        const index = whole(number, selection[list].length);
        if (index >= 0)
          selection[list][index] ^= 1;
      }
    const [from, to] = (words.get("t") ?? "").split("-").map((one) => whole(one, model.bins + 1));
    if (from >= 0 && to > from)
      Object.assign(selection, { from, to });
    return {
      selection, zoom: Math.max(0, whole(words.get("z"), model.tree.count)),
      frame: whole(words.get("f"), model.info.frame_names.length),
      words: (words.get("q") ?? "").slice(0, 1000), rootAbove: words.get("up") !== "1",
    };
  }

  return { make, read };
})();
