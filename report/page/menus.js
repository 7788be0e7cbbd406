// SPDX-License-Identifier: GPL-2.0-or-later
// What is behind a button: rows that do something, and boxes to tick.  Many have a key.
const Menus = (() => {
  function create(menu) {
    const { element } = Lists, place = menu.lastElementChild, updates = [];

    function close() {
      menu.open = false;
      menu.querySelector("summary").focus();
    }

    const mark = (key) => key ? [element("kbd", { textContent: key })] : [];

    /**
     * isOf says whether it can be done now.
     * @param {{ key?: string, what: string, title?: string, run: () => void, isOf?: () => boolean }} row
     */
    function addButton({ key, what, title = "", run, isOf = () => true }) {
      const button = element("button", { type: "button", title }, element("span", { textContent: what }), ...mark(key));
      button.addEventListener("click", run);
      place.append(button);
      updates.push(() => { button.disabled = !isOf(); });
    }

    /** @param {{ key?: string, what: string, title?: string, run: () => void, isOn: () => boolean, isOf?: () => boolean }} row */
    function addBox({ key, what, title = "", run, isOn, isOf = () => true }) {
      const input = element("input", { type: "checkbox" });
      input.addEventListener("change", run);
      place.append(element("label", { className: "pick", title }, input, element("span", { className: "label", textContent: what }), ...mark(key)));
      updates.push(() => {
        input.checked = isOn();
        input.disabled = !isOf();
      });
    }

    // A click elsewhere, and Escape, close it.
    document.addEventListener("click", (event) => {
      if (!menu.contains(event.target))
        menu.open = false;
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open)
        return;
      event.stopPropagation();
      close();
    });
    return { addButton, addBox, close, show: () => updates.forEach((update) => update()) };
  }

  return { create };
})();
