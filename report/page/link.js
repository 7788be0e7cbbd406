// SPDX-License-Identifier: GPL-2.0-or-later
// The state of the screen as the #fragment of a link: by name and in seconds, and
// of which session, so that another page shows the same, or says what it lacks.
const Link = (() => {
  const LONGEST = 200; // letters of a name
  const KINDS = { modes: "mode", domains: "domain", lanes: "vcpu", images: "image", parts: "subsystem",
                  entries: "entry", comms: "comm", reasons: "reason" };

  // The same names, so that no two are alike: the second "x" is "x~2".
  function distinct(names) {
    const times = new Map();
    return names.map((name) => {
      const short = name.slice(0, LONGEST), nth = (times.get(short) ?? 0) + 1;
      times.set(short, nth);
      return nth === 1 ? short : short + "~" + nth;
    });
  }

  // "kernel:vfs_read", "user:libc.so:read"; an absence has no mode.
  function frameName(model, frame) {
    const mode = model.frames.mode[frame], image = model.imageName(model.frames.image[frame]);
    const where = mode === Model.NO_MODE ? "" : Model.MODE_NAMES[mode].toLowerCase();
    return [where, ...(image && image !== where ? [image] : []), model.frameName(frame)].join(":");
  }

  // What a link calls each mode, domain, vCPU, image and frame.
  function makeNames(model) {
    const domains = distinct(model.info.domain_names);
    return {
      modes: Model.MODE_NAMES, domains,
      lanes: distinct(model.lanes.map((lane) => domains[lane.domain] + "/" + lane.vcpu)),
      images: distinct(["without image", ...model.info.image_names]),
      parts: Subsystems.NAMES,
      entries: distinct(["not in Xen", ...model.info.entry_names ?? []]),
      comms: distinct(["not known", ...model.info.comm_names ?? []]),
      reasons: distinct(["none", ...(model.info.why ?? []).map(({ reason }) => reason)]),
      frames: distinct(model.info.frame_names.map((name, frame) => frameName(model, frame))),
    };
  }

  function names(app) {
    app.linkNames ??= makeNames(app.model);
    return app.linkNames;
  }

  // What --filter calls them; null: it cannot ask for that.
  function plainNames({ model: { info } }) {
    return { domains: info.domain_names.map((name) => name.replace(/ \((\d+)\)$/, "")),
             modes: Model.MODE_NAMES.map((name, mode) => mode === Model.NO_MODE ? null : name.toLowerCase()),
             images: [null, ...info.image_names], entries: [null, ...info.entry_names ?? []],
             comms: [null, ...info.comm_names ?? []], reasons: ["outside", ...(info.why ?? []).map(({ name }) => name)] };
  }

  // Which session a page is of; what a name alone does not say.
  function identity(info) {
    const { session, diff } = info;
    const side = ({ name, time }) => name + (time === null ? "" : " " + time);
    const name = diff ? side(diff.before) + " \u2192 " + side(diff.after) : session.name;
    return name.slice(0, LONGEST) + " @ " + (session.start ?? session.xen_start_ns);
  }

  // What is on, or what is off, whichever is shorter.
  function putList(words, kind, names, list, usual) {
    const on = [], off = [];
    if (list.every((value, i) => value === usual[i]))
      return;
    list.forEach((value, i) => (value ? on : off).push(names[i]));
    const few = on.length && on.length <= off.length ? on : off;
    words.append(few === on ? kind : "no-" + kind, few[0] ?? "");
    few.slice(1).forEach((name) => words.append(few === on ? kind : "no-" + kind, name));
  }

  function seconds(model, bin) {
    return Text.seconds(model.since + Model.timeOf(model, bin));
  }

  function range(model, { from, to }) {
    return seconds(model, from) + ".." + seconds(model, to);
  }

  function nodeName({ shape }, known, node) {
    const tree = shape.treeOf(node), at = shape.source(node);
    return tree.frame[at] >= 0 ? known.frames[tree.frame[at]]
      : tree.domain[at] >= 0 ? known.domains[tree.domain[at]] : known.reasons[tree.reason[at]];
  }

  // The names that lead from the root to a node.
  function pathOf(app, node) {
    const path = [];
    for (; node > 0; node = app.shape.parent(node))
      path.unshift(nodeName(app, names(app), node));
    return path;
  }

  function putZoom(words, app) {
    pathOf(app, app.views.flame.view.zoom).forEach((name) => words.append("zoom", name));
  }

  function putWishes(words, app) {
    const { wishes } = app.state, { frames } = names(app);
    Shape.ROWS.filter(({ id }) => wishes[id]).forEach(({ link }) => words.append("shape", link));
    if (wishes.focus >= 0)
      words.set("from", frames[wishes.focus]);
    wishes.hidden.forEach((frame) => words.append("without", frames[frame]));
  }

  const LANES_MOST = 1e5; // domains that a link may ask for

  function putLanes(words, app) {
    const { open, more } = app.state.lanes;
    [...open].filter((domain) => domain >= 0).forEach((domain) => words.append("open", names(app).domains[domain]));
    if (open.has(Lanes.PCPUS))
      words.set("pcpus", "open");
    if (more)
      words.set("more-lanes", String(more));
  }

  function readLanes(words, app, misfits) {
    const wanted = words.getAll("open"), { domains } = names(app), more = Number(words.get("more-lanes"));
    misfits.push(...wanted.filter((name) => !domains.includes(name)).map((name) => "no domain " + name));
    const open = wanted.map((name) => domains.indexOf(name)).filter((domain) => domain >= 0);
    return { open: new Set(words.get("pcpus") === "open" ? [...open, Lanes.PCPUS] : open),
             more: Number.isInteger(more) && more > 0 && more <= LANES_MOST ? more : 0 };
  }

  function make(app) {
    const { state, model } = app, { selection } = state;
    const words = new URLSearchParams(), usual = Model.selectAll(model);
    for (const [list, kind] of Object.entries(KINDS))
      putList(words, kind, names(app)[list], Array.from(selection[list]), usual[list]);
    if (selection.from > 0 || selection.to < model.bins)
      words.set("time", range(model, selection));
    if (state.base)
      words.set("before", range(model, state.base));
    putLanes(words, app);
    putWishes(words, app);
    putZoom(words, app);
    if (state.frame >= 0)
      words.set("function", names(app).frames[state.frame]);
    if (state.details && state.frame >= 0)
      words.set("details", "1");
    if (state.words)
      words.set("find", state.words);
    if (!app.views.flame.view.rootAbove)
      words.set("up", "1");
    if ([...words].length)
      words.set("session", identity(model.info));
    if (!Types.isFirst(model.type.name))
      words.set("type", model.type.name);
    return words.toString();
  }

  function readList(words, kind, names, list, misfits) {
    const on = words.getAll(kind), off = words.getAll("no-" + kind);
    if (!on.length && !off.length)
      return;
    const wanted = (on.length ? on : off).filter((name) => name !== "");
    const found = wanted.map((name) => names.indexOf(name));
    wanted.forEach((name, i) => found[i] < 0 && misfits.push("no " + kind + " " + name));
    if (on.length && !found.some((index) => index >= 0))
      return;
    list.fill(on.length ? 0 : 1);
    found.filter((index) => index >= 0).forEach((index) => { list[index] = on.length ? 1 : 0; });
  }

  // The bins of a time that a link names, or null.
  function readTime(words, key, model, misfits) {
    const text = words.get(key);
    if (text === null)
      return null;
    const [first, last] = text.split("..").map((one) => (Number(one) * 1e6 - model.since + model.over) / model.binTime);
    const from = Math.floor(first + 1e-3), to = Math.ceil(last - 1e-3);
    if (from >= 0 && to > from && to <= model.bins)
      return { from, to };
    misfits.push("not the time " + text + " s");
    return null;
  }

  // The node to which names lead, or the last before one that is missing.
  function walk(app, path) {
    const { shape } = app;
    let node = 0;
    for (const name of path) {
      const next = shape.children(node).find((one) => nodeName(app, names(app), one) === name);
      if (next === undefined)
        return { node, missing: name };
      node = next;
    }
    return { node };
  }

  function readZoom(words, app, misfits) {
    const { node, missing } = walk(app, words.getAll("zoom"));
    if (missing !== undefined)
      misfits.push("no " + missing + " where the link zooms to");
    return node;
  }

  // The functions that a link names so.
  function readFrames(words, kind, app, misfits) {
    const wanted = words.getAll(kind), { frames } = names(app);
    misfits.push(...wanted.filter((name) => !frames.includes(name)).map((name) => "no function " + name));
    return wanted.map((name) => frames.indexOf(name)).filter((frame) => frame >= 0);
  }

  function readWishes(words, app, misfits) {
    const rows = app.model.info.diff ? [] : Shape.ROWS, known = rows.map(({ link }) => link);
    const wanted = words.getAll("shape"), hidden = [...new Set(readFrames(words, "without", app, misfits))];
    misfits.push(...wanted.filter((name) => !known.includes(name)).map((name) => "no shape " + name));
    const wishes = Object.fromEntries(rows.map(({ id, link }) => [id, wanted.includes(link)]));
    const [focus = -1] = readFrames(words, "from", app, misfits);
    return app.model.info.diff ? Shape.usual() : Shape.change(Shape.usual(), { ...wishes, hidden, focus });
  }

  // A sentence on what does not fit, or "".
  function complaint(session, misfits) {
    if (!session && !misfits.length)
      return "";
    const of = session ? ": it is of " + session.slice(0, 2 * LONGEST) : "";
    const shown = misfits.slice(0, 4).map((one) => one.slice(0, LONGEST));
    const more = misfits.length > shown.length ? ["and " + (misfits.length - shown.length) + " more"] : [];
    return Text.clean("The link does not fit this page" + of + "." +
      (misfits.length ? " Here is " + [...shown, ...more].join("; ") + "." : "") + " The rest of it is shown.");
  }

  const KNOWN = new Set(["session", "type", "time", "before", "zoom", "function", "details", "find", "up", "shape", "from", "without", "open", "pcpus", "more-lanes",
                         ...Object.values(KINDS).flatMap((kind) => [kind, "no-" + kind])]);

  // Returns the state.  Where it zooms to, and in misfit what is to be said of a link of
  // another page, is known when the tree has the shape that is wished.
  function read(app, fragment) {
    const { model } = app;
    const words = new URLSearchParams(fragment.replace(/^#/, ""));
    const selection = Model.selectAll(model), misfits = [];
    for (const [list, kind] of Object.entries(KINDS))
      readList(words, kind, names(app)[list], selection[list], misfits);
    const session = words.get("session"), other = session !== null && session !== identity(model.info);
    if (other && (words.has("time") || words.has("before")))
      misfits.push("not that session's time");
    else
      Object.assign(selection, readTime(words, "time", model, misfits));
    const base = other ? null : readTime(words, "before", model, misfits);
    const type = Types.wanted(fragment);
    if (type !== null && type !== model.type.name)
      misfits.push("no samples of " + type);
    const strange = [...new Set(words.keys())].filter((key) => !KNOWN.has(key));
    misfits.push(...strange.map((key) => "nothing called " + key));
    const [frame = -1] = readFrames(words, "function", app, misfits), wishes = readWishes(words, app, misfits);
    return {
      selection, base, frame, wishes, lanes: readLanes(words, app, misfits), words: (words.get("find") ?? "").slice(0, 1000), rootAbove: words.get("up") !== "1",
      details: words.get("details") === "1",
      zoom: () => ({ zoom: readZoom(words, app, misfits), misfit: complaint(other ? session : "", misfits) }),
    };
  }

  return { make, read, range, names, plainNames, pathOf, walk };
})();
