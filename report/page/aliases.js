// SPDX-License-Identifier: GPL-2.0-or-later
// The page's names, and made-up ones in their place: of domains, hosts, threads, paths and
// functions of programs.  Names of Xen, of kernels and of public libraries stay, by the
// rule of --anonymize (report/archive/anonymous.c).  Texts that may have names among other
// words are left out.
const Aliases = (() => {
  const USER = 2; // a mode
  const LEFT_OUT = "what it was is left out of this copy";
  const PUBLIC_DOMAINS = new Set(["Domain-0", "Xen", "idle"]);
  const PUBLIC_THREADS = ["[many]", "[not read]", "swapper/"], REST = "(more)";
  const OWN_CODE = /^(\[(unknown|truncated|guest moved|guest unknown|not named yet|not sampled|callers by perf|user)\]|0x[0-9a-f]+)$/;
  const USER_OF = /^\[user of (.*)\]$/s;
  // Of the session, texts that say nothing of whose it is.
  const KEPT = new Set(["state", "start", "end", "xen_version", "xen_build_id", "program", "sampler", "kind", "release", "build_id", "base",
                        "orc_layout", "found", "tasks", "text", "remedy", "type", "unit", "why"]);
  const KEPT_MARKERS = new Set(["Lost", "Frequency", "Slowed"]);

  // "thread-1" for the first name, and so on; the same name has the same one.
  function numbered(word) {
    const known = new Map();
    return (name) => {
      if (!known.has(name))
        known.set(name, word + "-" + (known.size + 1));
      return known.get(name);
    };
  }

  // "web (1)"; a domain without a name is its number.
  function domainTexts() {
    const alias = numbered("domain");
    const name = (text) => PUBLIC_DOMAINS.has(text) || /^\d*$/.test(text) ? text : alias(text);
    const text = (whole) => {
      const [, plain, number] = whole.match(/^(.*)( \(\d+\))$/s) ?? [null, whole, ""];
      return name(plain) + number;
    };
    return { name, text };
  }

  // Modes that code of each image has.
  function modesOfImages({ frames }) {
    const modes = [];
    frames.image.forEach((image, frame) => (modes[image] ??= new Set()).add(frames.mode[frame]));
    return modes;
  }

  function imageNames(model) {
    const { image_names: names, image_public: isPublic = [] } = model.info, alias = numbered("image"), modes = modesOfImages(model);
    return names.map((name, i) => {
      const used = modes[i + 1] ?? new Set();
      if (used.has(USER))
        return isPublic[i] ? name.replace(/^.*\//s, "") : alias(name);
      return name.includes("/") || (used.has(0) && !["xen", "xenoprof"].includes(name)) ? alias(name) : name;
    });
  }

  function frameNames({ info, frames }, images, thread) {
    const alias = numbered("function");
    return info.frame_names.map((name, frame) => {
      const image = frames.image[frame], [, user] = name.match(USER_OF) ?? [];
      if (user !== undefined)
        return "[user of " + thread(user) + "]";
      if (frames.mode[frame] !== USER || OWN_CODE.test(name) || (image && info.image_public?.[image - 1]))
        return name;
      return alias(image + "\n" + name) + (image ? " [" + images[image - 1] + "]" : "");
    });
  }

  // The same value without texts, but those that are kept.
  function withoutTexts(value, key) {
    if (typeof value === "string")
      return KEPT.has(key) && !value.includes("/") ? value : null;
    if (Array.isArray(value))
      return value.map((one) => withoutTexts(one, key)).filter((one) => one !== null);
    if (value !== null && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutTexts(part, name)]));
    return value;
  }

  function sessionOf(session, domain) {
    const made = withoutTexts(session, "");
    return {
      ...made, name: "session-1", host: session.host && "host-1",
      damage: session.damage.map(() => LEFT_OUT),
      domains: session.domains.map((one, i) => ({
        ...made.domains[i], name: one.name === null ? null : domain.name(one.name),
        kernel: one.kernel && { ...made.domains[i].kernel, missing: one.kernel.missing === null ? null : "the reason is left out" },
      })),
      ...(session.types ? { types: session.types.map((type, i) => ({ ...made.types[i], name: type.name })) } : {}),
    };
  }

  function sidesOf(diff) {
    return { ...diff, before: { ...diff.before, name: "session-1" }, after: { ...diff.after, name: "session-2" } };
  }

  // In Xen's functions, unless a process's code was there.
  function withoutUser(part) {
    return { ...part, functions: /\[user of |\//.test(part.functions) ? "" : part.functions };
  }

  // Another info of the page, without names.
  function make(model) {
    const { info } = model, domain = domainTexts(), aliasOf = numbered("thread");
    const thread = (name) => name === REST || PUBLIC_THREADS.some((known) => name.startsWith(known)) || !name ? name : aliasOf(name);
    const domains = info.domain_names.map((text, i) => i <= Model.IDLE_DOMAIN ? text : domain.text(text));
    const images = imageNames(model);
    return {
      ...info, title: info.diff ? "session-1 \u2192 session-2" : "session-1",
      ...(info.session ? { session: sessionOf(info.session, domain) } : {}), ...(info.diff ? { diff: sidesOf(info.diff) } : {}),
      filter: info.filter === null ? null : LEFT_OUT, notes: (info.notes ?? []).map(() => LEFT_OUT),
      domain_names: domains, image_names: images, frame_names: frameNames(model, images, thread),
      ...(info.comm_names ? { comm_names: info.comm_names.map(thread) } : {}),
      verdict: [], waits: (info.waits ?? []).map((row) => ({ ...row, domain: domain.text(row.domain) })),
      why: (info.why ?? []).map((row) => ({ ...row, domains: row.domains.map(withoutUser) })),
      markers: (info.markers ?? []).map((marker) => KEPT_MARKERS.has(marker.kind) ? marker : { ...marker, text: "" }),
    };
  }

  // Does something while the page has no names.  What it makes later has them again.
  function during(app, action) {
    const { model, state } = app, known = model.info, { words } = state;
    const had = { ...known };
    app.aliases ??= make(model);
    try {
      Object.assign(known, app.aliases);
      Object.assign(state, { words: "" });
      app.linkNames = null;
      app.views.flame.draw();
      return action();
    } finally {
      Object.assign(known, had);
      Object.assign(state, { words });
      app.linkNames = null;
      app.views.flame.draw();
    }
  }

  return { during };
})();
