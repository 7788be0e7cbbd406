// SPDX-License-Identifier: GPL-2.0-or-later
// Two times of a session: the selected one is kept as the one before, and the next that
// is selected is compared with it (compare.js).
VIEWS.versus = (() => {
  function create(app) {
    const { model } = app;
    const button = document.getElementById("compare"), line = document.getElementById("compared");
    const swap = document.getElementById("swap"), times = document.getElementById("timeline");

    function say(text) {
      line.hidden = !text;
      line.firstElementChild.textContent = text;
    }

    function begin() {
      const { from, to } = app.state.selection;
      times.focus();
      if (app.moment)
        app.setBase({ from: app.moment.from, to: app.moment.at }, { from: app.moment.at, to: app.moment.to });
      else if (from > 0 || to < model.bins)
        app.setBase({ from, to });
      else
        say("First choose the time before: drag in the picture of time, or move there with arrows and select with Shift.");
    }

    function toggle() {
      if (app.state.base)
        app.setBase(null);
      else
        begin();
    }

    // How many nodes have any share, and how many of these changed beyond noise.
    function countChanges({ beyond, shared }) {
      let found = 0;
      for (let i = 0; i < beyond.length; i++)
        found += beyond[i];
      return Text.count(found) + " of " + Text.count(shared) + " changes are beyond noise";
    }

    function textOf({ sides }, { base, selection }) {
      if (!sides)
        return "Before: " + Range.text(model, base) + ". Now choose the time to compare it with.";
      const side = (time, { all, brush: { samples } }) => Range.text(model, time) + " (" + model.type.amount(all) + " of " + model.type.whole +
        ", " + Text.count(samples) + " samples)";
      return "Before " + side(base, sides.before) + ", after " + side(selection, sides.after) + ": shares of each one\u2019s own " +
        model.type.whole + "; " + countChanges(sides) + ".";
    }

    function show() {
      const { base } = app.state;
      button.textContent = base ? "End comparison" : "Compare with\u2026";
      swap.hidden = !app.result.sides;
      say(base ? textOf(app.result, app.state) : "");
    }

    button.addEventListener("click", toggle);
    swap.addEventListener("click", () => {
      const { from, to } = app.state.selection;
      app.setBase({ from, to }, app.state.base);
    });
    line.title = "A two-proportion z-test of samples, Benjamini-Hochberg at 5 %, as xenopreport --diff has it";
    return { numbersChanged: show, keys: [{ key: "v", what: "compare the selected time with the next that is selected; no more", run: toggle }] };
  }

  return { create, needsTimes: true };
})();
