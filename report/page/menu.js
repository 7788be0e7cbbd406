// SPDX-License-Identifier: GPL-2.0-or-later
// The menu of the flame graph: which shape it has, and what becomes of the chosen
// function.  Each row of it has a key.
VIEWS.menu = (() => {
  function create(app) {
    const menu = Menus.create(document.getElementById("menu"));

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

    const buttons = [
      { key: "o", what: "chains from the chosen function on", run: focus, isOf: ofChosen },
      { key: "m", what: "no frames of the chosen function", run: hide, isOf: ofChosen },
      { key: "M", what: "the usual shape", run: () => wish(Shape.usual()), isOf: () => Shape.parts(app).length > 0 },
    ];
    const boxes = Shape.ROWS.filter(({ id }) => id !== "reasons" || (app.model.info.why ?? []).length)
      .map(({ id, key, what }) => ({ key, what, run: () => toggle(id), isOn: () => app.state.wishes[id], isOf: isShaped }));

    boxes.forEach(menu.addBox);
    buttons.forEach(menu.addButton);
    menu.show();
    document.getElementById("menu").hidden = false;
    return {
      wish, numbersChanged: menu.show, frameChosen: menu.show, reshaped: menu.show,
      keys: [...boxes, ...buttons].map(({ key, what, run }) => ({ key, what: "flame graph: " + what, run })),
    };
  }

  return { create, needsTimes: true }; // changes of two sessions are known of its chains alone
})();
