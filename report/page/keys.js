// SPDX-License-Identifier: GPL-2.0-or-later
// Keys that work anywhere, and the list of all keys.  Each is a row of its
// owner's: { key, what, run }, or { shown, what } for keys that an element takes.
const Keys = (() => {
  function isTyping(target) {
    return target instanceof HTMLInputElement && target.type !== "checkbox";
  }

  function list(rows) {
    const { element } = Lists;
    return element("tbody", {}, ...rows.map(({ key, shown, what }) =>
      element("tr", {}, element("td", {}, element("kbd", { textContent: shown ?? key })),
              element("td", { textContent: what }))));
  }

  function create(owners) {
    const dialog = document.getElementById("keys"), help = () => dialog.showModal();
    const rows = [{ key: "?", what: "this list", run: help }].concat(...owners.map((owner) => owner.keys ?? []));
    const actions = new Map(rows.filter((row) => row.run).map((row) => [row.key, row.run]));
    document.getElementById("key-table").append(list(rows));
    document.getElementById("help").addEventListener("click", help);
    document.addEventListener("keydown", (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || dialog.open)
        return;
      if (isTyping(event.target) || !actions.has(event.key))
        return;
      event.preventDefault();
      actions.get(event.key)();
    });
  }

  return { create };
})();
