// SPDX-License-Identifier: GPL-2.0-or-later
// What is selected, in words, each part with a cross that takes it back; as a command
// that prints the same; and as text.
VIEWS.chosen = (() => {
  const FEW = 3; // names; of more there is a number
  const SPELLED = /(?:\\x[0-9a-f]{2}|\\u\{[0-9a-f]+\})+/;
  const LINES = 10; // functions in the text
  // What a selection's lists are called, and the key of --filter that has them, if any.
  const LISTS = [["domains", "domains", "domain"], ["lanes", "vCPUs", null], ["modes", "modes", "mode"],
                 ["reasons", "reasons", null], ["entries", "entries", "entry"], ["comms", "processes", "comm"],
                 ["parts", "subsystems", null], ["images", "images", "image"]];

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
      return [{ text, clear: () => {
        app.state.selection[list] = Model.selectAll(model)[list];
        app.selectionChanged();
      } }];
    }

    function isPart() {
      return app.state.selection.from > 0 || app.state.selection.to < model.bins;
    }

    function parts() {
      const { zoom } = app.views.flame.view, { selection, base, frame, words } = app.state;
      return [
        ...LISTS.flatMap(ofList),
        ...(base ? [{ text: "before: " + Range.text(model, base), clear: () => app.setBase(null) }] : []),
        ...(isPart() && (!base || app.result.sides) ? [{ text: (base ? "after: " : "") + Range.text(model, selection), clear: () => app.setRange(0, model.bins) }] : []),
        ...(zoom ? [{ text: "below " + app.shape.name(zoom), clear: () => app.views.flame.zoom(0) }] : []),
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

    // A word of a shell's, and a value of --filter's.
    function quote(word) {
      return /^[\w./:=,@%+-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
    }

    // A name as a pattern; of an entry the page has the first words.  What text.js has
    // spelled out may be anything.
    function values(key, name) {
      const pattern = name.split(SPELLED).map((part) => part.replace(/[\\*?[]/g, "\\$&")).join("*").replace(/[\\,]/g, "\\$&");
      return (key === "entry" ? [pattern, pattern + " *"] : [pattern]).map((one) => key + "=" + one);
    }

    // What of a list is selected, as --filter has it, and whether that is all.
    function filterOf([list, what, key]) {
      const { on, usual } = split(list), names = key ? on.map((i) => Link.plainNames(app)[list][i]) : [null];
      const known = names.filter((name) => name !== null);
      return { what, whole: usual || known.length === names.length,
               word: usual || !known.length ? [] : ["--filter=" + known.flatMap((name) => values(key, name)).join(",")] };
    }

    // A function as --annotate names it.
    function pattern(frame) {
      const parts = [model.imageName(model.frames.image[frame]), model.frameName(frame)].filter((one) => one !== "");
      const escaped = parts.map((one) => one.split(SPELLED).map((part) => part.replace(/[\\*?[]/g, "\\$&")).join("*"));
      return parts.length > 1 && !parts[0].includes(":") ? escaped.join(":") : escaped.at(-1);
    }

    const isOfDetails = () => app.state.details && Code.isNamed(model, app.state.frame);

    // The report that has what the flame graph shows, or the details of a function, and
    // what of that it has not.
    function report(range) {
      const { wishes: { inverted, overAll }, frame, base } = app.state;
      if (isOfDetails())
        return { words: [...(isPart() ? ["--filter=time=" + range] : []), "--annotate=" + pattern(frame)],
                 others: app.result.sides ? ["the time before"] : [] };
      if (app.result.sides)
        return { words: ["--diff", "--before=" + Link.range(model, base), "--after=" + range, "--callgraph"],
                 others: frame >= 0 ? ["function"] : [] };
      const has = [...(inverted ? ["inverted", "overAll"] : []), ...(frame >= 0 ? ["sandwich"] : [])];
      const words = inverted ? ["--callers", ...(overAll ? [] : ["--sort=domain"])]
        : frame >= 0 ? ["--symbol=" + model.frameName(frame)] : ["--callgraph"];
      return { words: [...(isPart() ? ["--filter=time=" + range] : []), ...words],
               others: Shape.parts(app).filter(({ id }) => !has.includes(id)).map(({ text: said }) => said) };
    }

    // The command, and of what it has more or less, as a comment of the shell's.
    function command() {
      const zoom = isOfDetails() ? 0 : app.views.flame.view.zoom, shown = report(Link.range(model, app.state.selection));
      const filters = LISTS.map(filterOf);
      const words = ["xenopreport", "--session=" + model.info.session.name, ...filters.flatMap(({ word }) => word), ...shown.words,
                     ...(model.type.isTime ? [] : ["--event=" + model.type.name])];
      const others = [...filters.filter(({ whole }) => !whole).map(({ what }) => what), ...shown.others, ...(zoom ? ["zoom"] : [])];
      return words.map(quote).join(" ") + (others.length ? "  # not quite: " + others.join(", ") : "");
    }

    // The command that shows a function's instructions, of the whole page.
    function annotate(frame) {
      return ["xenopreport", "--session=" + model.info.session.name, "--annotate=" + pattern(frame),
              ...(model.type.isTime ? [] : ["--event=" + model.type.name])].map(quote).join(" ");
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
      : [{ key: "y", what: "copy the command that prints what is selected", run: () => copy("the command is", command()) },
         { key: "c", what: "copy what is selected as text", run: () => copy("the text is", text()) }];
    return { annotate, texts: () => parts().map((part) => part.text), numbersChanged: show, frameChosen: show, searched: show, zoomed: show, reshaped: show, keys: copies };
  }

  return { create };
})();
