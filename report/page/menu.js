// SPDX-License-Identifier: GPL-2.0-or-later
// The menu of the flame graph: which shape it has, what becomes of the chosen function,
// and what can be saved.  Each row of it has a key.
VIEWS.menu = (() => {
  function create(app) {
    const { element } = Lists;
    const menu = document.getElementById("menu"), place = document.getElementById("wishes");
    const rows = [];

    function wish(changes) {
      app.state.wishes = Shape.change(app.state.wishes, changes);
      app.reshape();
    }

    // The function in which most time is itself.
    function hottest() {
      const { own } = Model.functions(app.model, app.result);
      return own.reduce((best, time, frame) => time > (own[best] ?? 0) ? frame : best, -1);
    }

    // A comparison has the usual shape.
    const isShaped = () => !app.result.sides;
    const ofChosen = () => app.state.frame >= 0 && isShaped();

    function toggle(id) {
      if (!isShaped())
        return;
      if (id === "sandwich" && !app.state.wishes.sandwich && app.state.frame < 0)
        app.chooseFrame(hottest());
      wish({ [id]: !app.state.wishes[id] });
    }

    function hide() {
      const { frame, wishes } = app.state;
      if (ofChosen() && !wishes.hidden.includes(frame))
        wish({ hidden: [...wishes.hidden, frame] });
    }

    function focus() {
      const { frame, wishes } = app.state;
      if (ofChosen())
        wish({ focus: wishes.focus === frame ? -1 : frame });
    }

    function addBox({ id, key, what }) {
      const input = element("input", { type: "checkbox" });
      input.addEventListener("change", () => toggle(id));
      place.append(element("label", { className: "pick" }, input, element("span", { className: "label", textContent: what }),
                           element("kbd", { textContent: key })));
      rows.push(() => {
        input.checked = app.state.wishes[id];
        input.disabled = !isShaped();
      });
    }

    function addButton({ key, what, run, isOf }) {
      const button = element("button", { type: "button" }, what + " ", element("kbd", { textContent: key }));
      button.addEventListener("click", run);
      place.append(button);
      rows.push(() => { button.disabled = !isOf(); });
    }

    const buttons = [
      { key: "o", what: "chains from the chosen function on", run: focus, isOf: ofChosen },
      { key: "m", what: "no frames of the chosen function", run: hide, isOf: ofChosen },
      { key: "M", what: "the usual shape", run: () => wish(Shape.usual()), isOf: () => Shape.parts(app).length > 0 },
    ];
    const files = [
      { key: "p", what: "save as PNG", run: () => Picture.png(app), isOf: () => true },
      { key: "P", what: "save as SVG", run: () => Picture.svg(app), isOf: () => true },
    ];
    const shapes = app.model.info.diff ? []
      : Shape.ROWS.filter(({ id }) => id !== "reasons" || (app.model.info.why ?? []).length);

    function show() {
      rows.forEach((update) => update());
    }

    // A click elsewhere, and Escape, close it.
    function addClosing() {
      document.addEventListener("click", (event) => {
        if (!menu.contains(event.target))
          menu.open = false;
      });
      menu.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || !menu.open)
          return;
        event.stopPropagation();
        menu.open = false;
        menu.querySelector("summary").focus();
      });
    }

    shapes.forEach(addBox); // changes of two sessions are known of its chains alone
    const all = shapes.length ? [...buttons, ...files] : files;
    all.forEach(addButton);
    addClosing();
    show();
    return {
      wish, numbersChanged: show, frameChosen: show, reshaped: show,
      keys: [...shapes.map(({ id, key, what }) => ({ key, what: "flame graph: " + what, run: () => toggle(id) })),
             ...all.map(({ key, what, run }) => ({ key, what: "flame graph: " + what, run }))],
    };
  }

  return { create };
})();
