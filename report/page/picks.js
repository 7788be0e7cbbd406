// SPDX-License-Identifier: GPL-2.0-or-later
// The choice of modes, domains, vCPUs, subsystems, images, entries and processes.
VIEWS.picks = (() => {
  const ERROR_95 = 98; // points of a share of one sample, at 95 %
  const ALIKE = 10; // samples alike; of fewer nothing is said: report/time/sampling.h
  const SAID = 0.01; // of the time
  const PLACES = ["modes", "domains", "parts", "images", "entries", "comms"];
  const AT_ONCE = 64; // vCPUs

  function create(app) {
    const { model } = app;
    const rows = [];
    const { element } = Lists;

    // One line: a box, a name and a note, its share of the selected time.
    function row(place, name, mode, part, get, set, note = () => "") {
      const input = element("input", { type: "checkbox" });
      const label = element("span", { className: "label" });
      const share = element("span", { className: "part" });
      const only = element("button", { type: "button", className: "only", textContent: "only" });
      only.setAttribute("aria-label", "only " + name.slice(0, 100));
      const line = element("label", { className: "pick" }, input, ...(mode === null ? [] : [Lists.swatch("mode-" + mode)]),
                           label, only, share);
      input.addEventListener("change", () => {
        set(input.checked ? 1 : 0, false);
        app.selectionChanged();
      });
      only.addEventListener("click", (event) => {
        event.preventDefault();
        set(1, true);
        app.selectionChanged();
      });
      place.append(line);
      rows.push(() => {
        const state = get();
        input.checked = state > 0;
        input.indeterminate = state === 2;
        const much = part(), text = name + note();
        if (share.textContent !== much) // else the page would be laid out for nothing
          share.textContent = much;
        if (label.textContent === text)
          return;
        label.title = text.slice(0, 1000);
        label.replaceChildren(Lists.isolated(text));
      });
    }

    // Sums of what kinds of nodes have, whatever is ticked here.
    function sums(kinds) {
      const made = { mode: new Float64Array(Model.MODES), domain: new Float64Array(model.info.domain_names.length),
                     image: new Float64Array(model.info.image_names.length + 1),
                     part: new Float64Array(Subsystems.NAMES.length) };
      model.tree.kinds.forEach(({ mode, domain, image, part }, kind) => {
        made.mode[mode] += kinds[kind];
        made.domain[domain] += kinds[kind];
        made.image[image] += kinds[kind];
        made.part[part] += kinds[kind];
      });
      return made;
    }

    // The share of what has this index; of two sessions or times, what it was and is.
    function share(kind, index) {
      return sides ? Compare.both(sides.before[kind][index], sides.after[kind][index])
        : Text.percent(shown[kind][index], app.result.all);
    }

    function pick(list, index, value, alone) {
      if (alone)
        list.fill(0);
      list[index] = value;
    }

    function addModes() {
      const place = document.getElementById("modes");
      for (let mode = 0; mode < Model.MODES; mode++)
        if (made.mode[mode] > 0)
          row(place, Model.MODE_NAMES[mode], mode, () => share("mode", mode),
              () => app.state.selection.modes[mode],
              (value, alone) => pick(app.state.selection.modes, mode, value, alone));
    }

    function lanesOf(domain) {
      return model.lanes.map((lane, index) => ({ ...lane, index })).filter((lane) => lane.domain === domain)
        .sort((a, b) => a.vcpu - b.vcpu);
    }

    function vcpuButton(lane) {
      const button = element("button", { type: "button", textContent: String(lane.vcpu) });
      const update = () => button.setAttribute("aria-pressed", String(app.state.selection.lanes[lane.index] === 1));
      button.setAttribute("aria-label", (lane.domain === Model.IDLE_DOMAIN ? "pCPU " : "vCPU ") + lane.vcpu);
      button.addEventListener("click", () => {
        app.state.selection.lanes[lane.index] ^= 1;
        app.selectionChanged();
      });
      rows.push(update);
      update();
      return button;
    }

    // Of many vCPUs each domain has a line that opens to its own.
    function addVcpus(place, lanes) {
      const box = element("div", { className: "vcpus" }), fill = () => box.append(...lanes.map(vcpuButton));
      if (model.lanes.length <= AT_ONCE) {
        fill();
        place.append(box);
        return;
      }
      const count = element("summary", {}), part = element("details", { className: "many-vcpus" }, count, box);
      part.addEventListener("toggle", fill, { once: true });
      rows.push(() => {
        const taken = lanes.filter((lane) => app.state.selection.lanes[lane.index]).length;
        count.textContent = (taken < lanes.length ? taken + " of " : "") + lanes.length +
          (lanes[0].domain === Model.IDLE_DOMAIN ? " pCPUs" : " vCPUs");
      });
      place.append(part);
    }

    function domainState(domain, lanes) {
      const { selection } = app.state;
      if (!selection.domains[domain])
        return 0;
      return lanes.every((lane) => selection.lanes[lane.index]) ? 1 : 2;
    }

    // What of a domain's time is the profiler's.
    function costOf(domain) {
      const own = sessions || !model.type.isTime ? 0 : model.info.profiler_ns[domain];
      return own ? ", profiler " + Text.percent(own, model.info.session.pcpu_time_ns) : "";
    }

    function addDomains() {
      const place = document.getElementById("domains");
      const domains = model.info.domain_names.map((name, index) => index).filter((index) => made.domain[index] > 0);
      for (const domain of domains.sort((a, b) => made.domain[b] - made.domain[a])) {
        const lanes = lanesOf(domain);
        row(place, model.info.domain_names[domain], null, () => share("domain", domain),
            () => domainState(domain, lanes),
            (value, alone) => {
              pick(app.state.selection.domains, domain, value, alone);
              for (const lane of lanes)
                app.state.selection.lanes[lane.index] = 1;
            }, () => costOf(domain));
        if (lanes.length > 1)
          addVcpus(place, lanes);
      }
    }

    // What nodes are of, largest first: a list of the selection.
    function addKinds(id, kind, nameOf) {
      const place = document.getElementById(id), found = [...made[kind].keys()].filter((index) => made[kind][index] > 0);
      for (const index of found.sort((a, b) => made[kind][b] - made[kind][a]).slice(0, 300))
        row(place, nameOf(index), null, () => share(kind, index), () => app.state.selection[id][index],
            (value, alone) => pick(app.state.selection[id], index, value, alone));
    }

    // Why guests had entered Xen, or who ran in them: largest first.  What has neither
    // is called nameless; "": it has no row.
    function addTracks(id, kind, names, nameless) {
      const place = document.getElementById(id), whole = tracked[kind];
      const known = [...whole.keys()].filter((index) => whole[index] > 0 && (index || nameless));
      place.parentNode.hidden = known.length < (nameless ? 2 : 1);
      if (place.parentNode.hidden)
        return;
      for (const index of known.sort((a, b) => whole[b] - whole[a]).slice(0, 300))
        row(place, index ? names[index - 1] : nameless, null,
            () => share(kind, index),
            () => app.state.selection[kind][index],
            (value, alone) => pick(app.state.selection[kind], index, value, alone));
    }

    let tracked = null, made = null;
    const sessions = model.info.diff && { before: sums(Model.sumKinds(model, model.before, 1)),
                                          after: sums(Model.sumKinds(model, model.after, 1)) };
    let shown = null, sides = sessions, range = "", listed = "";

    function sumTime(result) {
      return { ...sums(Model.kindsInTime(model, result)), ...Model.sumTracks(model, result) };
    }

    // The same as shares.
    function sharesOf(result) {
      const made = sumTime(result);
      for (const column of Object.values(made))
        column.forEach((time, index) => { column[index] = result.all > 0 ? Compare.WHOLE * time / result.all : 0; });
      return made;
    }

    // Shares are of the time that is selected.
    function sumRange() {
      const { selection: { from, to }, base } = app.state, pair = app.result.sides;
      const key = [from, to, ...(pair && base ? [base.from, base.to] : [])].join(" ");
      if (range !== key && !sessions) {
        shown = sumTime(app.result);
        sides = pair && { before: sharesOf(pair.before), after: sharesOf(pair.after) };
      }
      range = key;
      document.querySelector(".side").classList.toggle("of-two", Boolean(sides));
    }

    // How far shares may be off: as report/text/header-short.c says it, of what is
    // selected.  Samples that have much time, where many were lost, count for less.
    function sureText({ samples, sampled, square, borrowed, unsampled, all }) {
      const alike = model.account ? sampled * sampled / (square || 1) : samples;
      const points = ERROR_95 / Math.sqrt(alike) * (model.account ? sampled / (all || 1) : 1);
      const alone = model.account ? (borrowed + unsampled.reduce((sum, time) => sum + time, 0)) / (all || 1) : 0;
      const within = model.account?.pcpusKnown ? "; shares of domains are Xen's own, those of functions within " : "; shares are within ";
      return (alike >= ALIKE ? within + points.toFixed(1) + " points" : "") +
        (alone >= SAID ? "; for " + Text.percent(alone, 1) + " of the time the vCPU had no sample in that second" : "");
    }

    // How many samples that is, and what they can say.
    function showTaken() {
      const { from, to } = app.state.selection, { brush, sides: pair } = app.result, samples = Text.count(app.result.samplesBelow(0));
      const part = from > 0 || to < model.bins
        ? " from " + Text.seconds(Model.timeOf(model, from)) + " to " + Text.seconds(Model.timeOf(model, to)) + " s" : "";
      document.getElementById("taken").textContent = sessions ? ""
        : pair ? Text.count(pair.before.samplesBelow(0)) + " and " + samples + " samples"
        : samples + " of " + Text.count(brush.samples) + " samples" + part + sureText(brush);
    }

    // What there is to choose from.
    function names() {
      const { domain_names: domains, image_names: images, entry_names: entries, comm_names: comms } = model.info;
      const some = Object.values({ ...made, ...tracked }).map((column) => column.map((time) => time > 0 ? 1 : 0).join(""));
      return JSON.stringify([domains, images, entries, comms, model.lanes, some]);
    }

    // All rows, the largest first, unless there are no others than before: rows stay
    // where they are.  brush: of all that is shown.
    function build(brush) {
      tracked = Model.sumTracks(model, { brush });
      shown = made = sums(Model.sumKinds(model, model.tree.ownTime, 0));
      range = "";
      if (listed === (listed = names()))
        return;
      rows.length = 0;
      PLACES.forEach((id) => document.getElementById(id).replaceChildren());
      addModes();
      addDomains();
      addKinds("parts", "part", (index) => Subsystems.NAMES[index]);
      addKinds("images", "image", (index) => index ? model.imageName(index) : "without image");
      addTracks("entries", "entries", model.info.entry_names, ""); // those were not in Xen
      addTracks("comms", "comms", model.info.comm_names, "not known");
    }

    // A row that has the focus has it again.
    function renewed() {
      const held = document.activeElement, place = PLACES.find((id) => document.getElementById(id).contains(held));
      const labelOf = (line) => line.querySelector(".label")?.textContent, text = place && labelOf(held.parentNode);
      build(Account.inTime(model, Model.selectAll(model), Model.makeColumns(model.tree.count)));
      if (!text || held.isConnected)
        return;
      rows.forEach((update) => update());
      const again = [...document.querySelectorAll("#" + place + " .pick")].find((line) => labelOf(line) === text);
      again?.querySelector(held.tagName)?.focus();
    }

    build(app.result.brush);
    return {
      renewing: () => renewed,
      numbersChanged: () => {
        sumRange();
        showTaken();
        rows.forEach((update) => update());
      },
      keys: [{ key: "d", what: "to the selection", run: () => document.querySelector(".pick input")?.focus() }],
    };
  }

  return { create };
})();
