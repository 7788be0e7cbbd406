// SPDX-License-Identifier: GPL-2.0-or-later
// The command that prints what is on the screen; what it cannot ask for it says.
const Command = (() => {
  const SPELLED = /(?:\\x[0-9a-f]{2}|\\u\{[0-9a-f]+\})+/;
  const FEW = 24; // names of functions
  // The keys of --filter that a selection's lists have, but for vCPUs.
  const KEYS = { domains: "domain", modes: "mode", reasons: "reason", entries: "entry", comms: "comm", images: "image" };

  // A word of a shell's.
  function quote(word) {
    return /^[\w./:=,@%+-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
  }

  // A name as a pattern; what text.js has spelled out may be anything.
  function pattern(name) {
    return name.split(SPELLED).map((part) => part.replace(/[\\*?[]/g, "\\$&")).join("*");
  }

  // A value of --filter's.
  function value(key, text) {
    return key + "=" + text.replace(/[\\,]/g, "\\$&");
  }

  // Of an entry the page has the first words.
  function values(key, name) {
    return (key === "entry" ? [pattern(name), pattern(name) + " *"] : [pattern(name)]).map((one) => value(key, one));
  }

  function ofList(app, list, { on, usual }) {
    const names = KEYS[list] ? on.map((i) => Link.plainNames(app)[list][i]) : [null];
    const known = names.filter((name) => name !== null);
    return { whole: usual || known.length === names.length,
             values: usual ? [] : known.flatMap((name) => values(KEYS[list], name)) };
  }

  // xenopreport knows nothing of subsystems: what is selected of them has these names, if
  // they are few, and no function of another subsystem has one of them.
  function ofParts({ model, result: { own, sides } }, { on, usual }) {
    const { frame } = model.tree, { part } = model.frames, names = new Set(), isOn = new Set(on);
    if (usual || sides)
      return { whole: usual, values: [] };
    own.forEach((time, node) => time > 0 && names.add(Code.isNamed(model, frame[node]) ? model.frameName(frame[node]) : ""));
    const alone = part.every((one, at) => isOn.has(one) || !names.has(model.frameName(at)));
    const whole = alone && !names.has("") && names.size > 0 && names.size <= FEW;
    return { whole, values: whole ? [...names].map((name) => value("symbol", pattern(name))) : [] };
  }

  // "0-3", "7": numbers that rise.
  function spans(numbers) {
    const made = [];
    for (const number of numbers)
      if (made.at(-1)?.last === number - 1)
        made.at(-1).last = number;
      else
        made.push({ first: number, last: number });
    return made.map(({ first, last }) => first === last ? String(first) : first + "-" + last);
  }

  // vCPUs by domain, of the domains that are selected: nothing, if all of these are.  To
  // who asks for vCPUs idle time is of a pCPU.
  function ofVcpus(app) {
    const { model, state: { selection: { lanes, domains, modes } } } = app, names = Link.plainNames(app).domains;
    const isOn = (domain) => domains[domain] && (domain !== Model.IDLE_DOMAIN || lanes.some((on, i) => model.lanes[i].domain === domain));
    if (model.lanes.every(({ domain }, i) => lanes[i] || !domains[domain]))
      return { whole: true, values: [] };
    const numbers = (domain) => model.lanes.filter((lane, i) => lanes[i] && lane.domain === domain).map(({ vcpu }) => vcpu).sort((a, b) => a - b);
    const found = names.flatMap((name, domain) => !isOn(domain) ? []
      : spans(numbers(domain)).map((span) => value("vcpu", pattern(name) + "/" + span)));
    return { whole: found.length > 0 && !modes[Model.IDLE], values: found };
  }

  // Chains that begin so; of a tree turned round, samples of its first function, to whose
  // callers no report zooms.
  function ofChains(app, frames) {
    const names = frames.map((node) => pattern(app.shape.name(node)));
    if (!app.state.wishes.inverted)
      return { whole: true, values: frames.length ? [value("stack", names.map((name) => name.replaceAll(";", "?")).join(";"))] : [] };
    const isNamed = frames.length > 0 && Code.isNamed(app.model, app.shape.frame(frames[0]));
    return { whole: frames.length === 0 || (frames.length === 1 && isNamed), values: isNamed ? [value("symbol", names[0])] : [] };
  }

  // Reason, domain and what chains begin with of the node that is zoomed to: not all of
  // it, if others have such names; nothing, if chains do not begin so.
  function ofZoom(app) {
    const { shape } = app, path = [], { domains, reasons } = Link.plainNames(app);
    for (let node = isOfDetails(app) ? 0 : app.views.flame.view.zoom; node > 0; node = shape.parent(node))
      path.unshift(node);
    if (!path.length || Shape.parts(app).some(({ id }) => !["overAll", "reasons", "inverted"].includes(id)))
      return { whole: !path.length, values: [] };
    const frames = path.filter((node) => shape.frame(node) >= 0), groups = path.filter((node) => shape.frame(node) < 0);
    const alone = frames.every((node) => shape.children(shape.parent(node)).every((one) => one === node || shape.name(one) !== shape.name(node)));
    const chains = ofChains(app, frames);
    return { whole: alone && chains.whole, domains: groups.filter((node) => shape.domain(node) >= 0).flatMap((node) => values("domain", domains[shape.domain(node)])),
             reasons: groups.filter((node) => shape.domain(node) < 0).flatMap((node) => values("reason", reasons[shape.treeOf(node).reason[shape.source(node)]])),
             values: chains.values };
  }

  // A function as --annotate names it.
  function named({ model }, frame) {
    const parts = [model.imageName(model.frames.image[frame]), model.frameName(frame)].filter((one) => one !== "").map(pattern);
    return parts.length > 1 && !parts[0].includes(":") ? parts.join(":") : parts.at(-1);
  }

  const isOfDetails = ({ model, state }) => state.details && Code.isNamed(model, state.frame);

  // Whether any chain of what is selected has a function twice.
  function recurs({ model: { tree: { frame, end } }, result: { total } }) {
    const inside = new Map(); // of each function, where what its outermost one called ends
    for (let i = 1; i < frame.length; i++) {
      if (frame[i] < 0 || !(total[i] > 0))
        continue;
      if (i < (inside.get(frame[i]) ?? 0))
        return true;
      inside.set(frame[i], end[i]);
    }
    return false;
  }

  // Whether what is shown by reason is of one.
  function isOfOneReason({ shape, state }) {
    return state.wishes.reasons && !state.wishes.inverted && state.wishes.focus < 0 && shape.middle < 0 &&
      shape.children(0).filter((node) => shape.total(node) > 0).length === 1;
  }

  // The report that has what the flame graph shows, or the details of a function, and
  // what of that it has not.  Of one reason alone chains need not begin with it.
  function report(app, ofOneReason) {
    const { model } = app, { wishes: { inverted, overAll }, frame, base, selection } = app.state;
    const range = Link.range(model, selection), isPart = selection.from > 0 || selection.to < model.bins;
    if (isOfDetails(app))
      return { words: [...(isPart ? ["--filter=time=" + range] : []), "--annotate=" + named(app, frame)],
               others: app.result.sides ? ["the time before"] : [] };
    if (app.result.sides)
      return { words: ["--diff", "--before=" + Link.range(model, base), "--after=" + range, "--callgraph"],
               others: frame >= 0 ? ["function"] : [] };
    // What a function calls is a part of what is said of it, or of all that have its name.
    const { focus } = app.state.wishes, isFocused = focus >= 0 && !inverted && Code.isNamed(model, focus) &&
      model.info.frame_names.filter((name) => name === model.frameName(focus)).length === 1, of = isFocused ? focus : frame;
    const has = ["overAll", ...(inverted ? ["inverted"] : []), ...(frame >= 0 ? ["sandwich"] : []), ...(isFocused ? ["focus"] : []),
                 ...(ofOneReason ? ["reasons"] : []), ...(recurs(app) ? [] : ["recursion"])];
    const words = inverted ? ["--callers", ...(overAll ? [] : ["--sort=domain"])]
      : of >= 0 ? ["--symbol=" + model.frameName(of), ...(isFocused && overAll ? ["--sort=symbol"] : [])] : ["--callgraph", ...(overAll ? ["--sort=symbol"] : [])];
    return { words: [...(isPart ? ["--filter=time=" + range] : []), ...words],
             others: Shape.parts(app).filter(({ id }) => !has.includes(id)).map(({ text: said }) => said) };
  }

  // The command, and of what it has more or less, as a comment of the shell's.  lists are
  // [list, what it is called], split() says what of one is on.
  function text(app, lists, split) {
    const { info, type } = app.model, zoom = ofZoom(app);
    const shown = report(app, zoom.reasons?.length || split("reasons").on.length === 1 || isOfOneReason(app));
    const of = { lanes: () => ofVcpus(app), parts: () => ofParts(app, split("parts")) };
    const filters = lists.map(([list, what]) => ({ list, what, ...(of[list]?.() ?? ofList(app, list, split(list))) }));
    const found = filters.map((one) => zoom[one.list]?.length ? zoom[one.list] : one.values).concat([zoom.values]);
    const words = ["xenopreport", "--session=" + info.session.name,
                   ...found.filter((list) => list.length).map((list) => "--filter=" + list.join(",")), ...shown.words,
                   ...(type.isTime ? [] : ["--event=" + type.name])];
    const others = [...filters.filter(({ whole }) => !whole).map(({ what }) => what), ...shown.others, ...(zoom.whole ? [] : ["zoom"])];
    return words.map(quote).join(" ") + (others.length ? "  # not quite: " + others.join(", ") : "");
  }

  // The command that shows a function's instructions, of the whole page.
  function annotate(app, frame) {
    const { info, type } = app.model;
    return ["xenopreport", "--session=" + info.session.name, "--annotate=" + named(app, frame),
            ...(type.isTime ? [] : ["--event=" + type.name])].map(quote).join(" ");
  }

  return { text, annotate };
})();
