// SPDX-License-Identifier: GPL-2.0-or-later
// The command that prints what is on the screen; what it cannot ask for it says.
const Command = (() => {
  const SPELLED = /(?:\\x[0-9a-f]{2}|\\u\{[0-9a-f]+\})+/;
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

  // The node that is zoomed to, as what chains begin with: not all of it, if others do so.
  function ofZoom(app) {
    const { model, shape } = app, { tree } = model, path = [];
    for (let node = isOfDetails(app) ? 0 : app.views.flame.view.zoom; node > 0; node = shape.parent(node))
      path.unshift(node);
    if (!path.length || Shape.parts(app).length)
      return { whole: !path.length, domain: [], values: [] };
    const [domain, ...frames] = path, nameOf = (node) => model.frameName(tree.frame[node]);
    const alone = frames.every((node) => shape.children(tree.parent[node]).every((one) => one === node || nameOf(one) !== nameOf(node)));
    return { whole: alone, domain: values("domain", Link.plainNames(app).domains[tree.domain[domain]]),
             values: frames.length ? [value("stack", frames.map((node) => pattern(nameOf(node)).replaceAll(";", "?")).join(";"))] : [] };
  }

  // A function as --annotate names it.
  function named({ model }, frame) {
    const parts = [model.imageName(model.frames.image[frame]), model.frameName(frame)].filter((one) => one !== "").map(pattern);
    return parts.length > 1 && !parts[0].includes(":") ? parts.join(":") : parts.at(-1);
  }

  const isOfDetails = ({ model, state }) => state.details && Code.isNamed(model, state.frame);

  // The report that has what the flame graph shows, or the details of a function, and
  // what of that it has not.
  function report(app) {
    const { model } = app, { wishes: { inverted, overAll }, frame, base, selection } = app.state;
    const range = Link.range(model, selection), isPart = selection.from > 0 || selection.to < model.bins;
    if (isOfDetails(app))
      return { words: [...(isPart ? ["--filter=time=" + range] : []), "--annotate=" + named(app, frame)],
               others: app.result.sides ? ["the time before"] : [] };
    if (app.result.sides)
      return { words: ["--diff", "--before=" + Link.range(model, base), "--after=" + range, "--callgraph"],
               others: frame >= 0 ? ["function"] : [] };
    const has = [...(inverted ? ["inverted", "overAll"] : []), ...(frame >= 0 ? ["sandwich"] : [])];
    const words = inverted ? ["--callers", ...(overAll ? [] : ["--sort=domain"])]
      : frame >= 0 ? ["--symbol=" + model.frameName(frame)] : ["--callgraph"];
    return { words: [...(isPart ? ["--filter=time=" + range] : []), ...words],
             others: Shape.parts(app).filter(({ id }) => !has.includes(id)).map(({ text: said }) => said) };
  }

  // The command, and of what it has more or less, as a comment of the shell's.  lists are
  // [list, what it is called], split() says what of one is on.
  function text(app, lists, split) {
    const { info, type } = app.model, shown = report(app), zoom = ofZoom(app);
    const filters = lists.map(([list, what]) => ({ list, what, ...(list === "lanes" ? ofVcpus(app) : ofList(app, list, split(list))) }));
    const found = filters.map((one) => one.list === "domains" && zoom.domain.length ? zoom.domain : one.values).concat([zoom.values]);
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
