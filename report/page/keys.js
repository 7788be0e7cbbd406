// SPDX-License-Identifier: GPL-2.0-or-later
// Keys that work anywhere, and the list of all keys.
const Keys = (() => {
  const LIST = [
    ["?", "this list"], ["/", "search; Enter goes to the flame graph, Escape ends it"],
    ["n, N", "next and previous match in the flame graph"],
    ["f  t  h  s  d", "to the flame graph, the time, the heat map, the functions, the selection"],
    ["Tab", "to the next of all that can be used"],
    ["Arrows", "in the flame graph and in tables: from one to the next"],
    ["Enter", "flame graph: zoom in; tables: choose the function"],
    ["Backspace", "flame graph: zoom one level out"], ["r", "zoom out of everything"],
    ["i", "turn the flame graph: root on top or at the bottom"],
    ["Arrows, Shift+Arrows", "in the pictures of time: move; select a part"],
    ["Escape", "in the pictures of time: all of it; else: end the search, forget the function"],
    ["0", "show everything again"], ["l", "copy a link to what is on the screen"], ["c", "dark or light"],
  ];

  function isTyping(target) {
    return target instanceof HTMLInputElement && target.type !== "checkbox";
  }

  function create(app) {
    const dialog = document.getElementById("keys");
    document.getElementById("key-table").append(Lists.element("tbody", {}, ...LIST.map(([key, what]) =>
      Lists.element("tr", {}, Lists.element("td", {}, Lists.element("kbd", { textContent: key })),
                    Lists.element("td", { textContent: what })))));
    const focus = (selector) => document.querySelector(selector)?.focus();
    const actions = {
      "?": () => dialog.showModal(), "/": () => focus("#words"),
      n: () => app.nextMatch(1), N: () => app.nextMatch(-1),
      f: () => focus("#flame"), t: () => focus("#timeline"), h: () => focus("#heat"),
      s: () => focus('#functions tbody tr[tabindex="0"]'), d: () => focus(".pick input"),
      r: () => app.flame.zoom(0), i: () => app.turn(), 0: () => app.showAll(),
      l: () => app.copyLink(), c: () => app.nextTheme(), Escape: () => app.forget(),
    };
    document.getElementById("help").addEventListener("click", actions["?"]);
    document.addEventListener("keydown", (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || dialog.open)
        return;
      if (isTyping(event.target) || !Object.hasOwn(actions, event.key))
        return;
      event.preventDefault();
      actions[event.key]();
    });
  }

  return { create };
})();
