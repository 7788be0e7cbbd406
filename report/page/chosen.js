// SPDX-License-Identifier: GPL-2.0-or-later
// What is selected, in words, each part with a cross that takes it back; as a command
// that prints the same; and as text.
VIEWS.chosen = (() => {
  const FEW = 3; // names; of more there is a number
  const LINES = 10; // functions in the text
  // What a selection's lists are called.
  const LISTS = [["domains", "domains"], ["lanes", "vCPUs"], ["modes", "modes"], ["reasons", "reasons"], ["entries", "entries"],
                 ["comms", "processes"], ["parts", "subsystems"], ["images", "images"]];

  function create(app) {
    const { model } = app, { element, isolated } = Lists;
    const place = document.getElementById("chosen");

    function split(list) {
      const usual = Model.selectAll(model)[list], on = [], off = [];
      app.state.selection[list].forEach((value, i) => usual[i] || value ? (value ? on : off).push(i) : 0);
      return { on, off, usual: app.state.selection[list].every((value, i) => value === usual[i]) };
    }

    function namesOf(list, indexes, what) {
      return indexes.length > FEW ? indexes.length + " " + what : indexes.map((i) => Link.names(app)[list][i]).join(", ");
    }

    function ofList([list, what]) {
      const { on, off, usual } = split(list);
      if (usual)
        return [];
      const text = !on.length ? "no " + what : off.length && off.length < on.length ? "without " + namesOf(list, off, what)
        : namesOf(list, on, what);
      return [{ text, kept: text.startsWith("without ") ? "not all " + what : text, clear: () => {
        app.state.selection[list] = Model.selectAll(model)[list];
        app.selectionChanged();
      } }];
    }

    function isPart() {
      return app.state.selection.from > 0 || app.state.selection.to < model.bins;
    }

    /** @returns {{ text: string, kept?: string, clear: () => void }[]} */
    function parts() {
      const { zoom } = app.views.flame.view, { selection, base, frame, words } = app.state;
      return [
        ...LISTS.flatMap(ofList),
        ...(base ? [{ text: "before: " + Range.text(model, base), clear: () => app.setBase(null) }] : []),
        ...(isPart() && (!base || app.result.sides) ? [{ text: (base ? "after: " : "") + Range.text(model, selection), kept: Range.text(model, selection), clear: () => app.setRange(0, model.bins) }] : []),
        ...(zoom ? [{ text: "below " + app.shape.name(zoom), kept: Shape.parts(app).length ? "" : "below " + app.shape.name(zoom), clear: () => app.views.flame.zoom(0) }] : []),
        ...Shape.parts(app).map(({ text: said, changes }) => ({ text: said, clear: () => app.views.menu.wish(changes) })),
        ...(frame >= 0 ? [{ text: "function " + model.frameName(frame), clear: () => app.chooseFrame(-1) }] : []),
        ...(words ? [{ text: "matches " + words, clear: () => app.search("") }] : []),
      ];
    }

    function chip({ text, clear }) {
      const made = element("button", { type: "button" }, isolated(text.slice(0, 120)), " \u00d7");
      made.setAttribute("aria-label", "not only: " + text.slice(0, 120));
      made.addEventListener("click", clear);
      return element("li", {}, made);
    }

    function show() {
      const made = parts();
      place.hidden = !made.length;
      place.querySelector("ul").replaceChildren(...made.map(chip));
    }

    // The functions with most time, or those that changed most.
    function lines() {
      const { all, sides } = app.result;
      if (sides) {
        const { was, is, change } = Compare.functions(app), far = (frame) => Math.abs(change[frame]);
        return [...was.keys()].filter(far).sort((a, b) => far(b) - far(a)).slice(0, LINES)
          .map((frame) => (Compare.both(was[frame], is[frame]) + "  " + Compare.signed(change[frame])).padStart(27) + "  " + model.frameName(frame));
      }
      const { own } = Model.functions(model, app.result);
      return [...own.keys()].filter((frame) => own[frame] > 0).sort((a, b) => own[b] - own[a]).slice(0, LINES)
        .map((frame) => Text.percent(own[frame], all).padStart(8) + "  " + model.frameName(frame));
    }

    function text() {
      const { total, all, sides } = app.result;
      return [model.info.title + (parts().length ? ": " : "") + parts().map((part) => part.text).join(" \u00b7 "),
              (sides ? Compare.both(sides.before.total[0], sides.after.total[0]) : Text.percent(total[0], all)) + " of " + model.type.whole,
              ...lines()].join("\n") + "\n";
    }

    const said = document.getElementById("copied");
    let until = 0;

    // Where it cannot be copied, it is shown, and stays until the next.
    async function copy(what, made) {
      clearTimeout(until);
      try {
        await navigator.clipboard.writeText(made);
        said.textContent = what + " copied";
        until = setTimeout(() => { said.textContent = ""; }, 3000);
      } catch {
        said.textContent = made;
      }
    }

    const copies = model.info.diff ? []
      : [{ key: "y", what: "copy the command that prints what is selected", run: () => copy("the command is", Command.text(app, LISTS, split)) },
         { key: "c", what: "copy what is selected as text", run: () => copy("the text is", text()) }];
    // What says which samples are selected, without a name of what is not.
    const kept = () => parts().filter((part) => part.kept).map((part) => part.kept);
    return { texts: () => parts().map((part) => part.text), kept, numbersChanged: show, frameChosen: show, searched: show, zoomed: show, reshaped: show, keys: copies };
  }

  return { create };
})();
