// SPDX-License-Identifier: GPL-2.0-or-later
// The choice of modes, domains, vCPUs and images.
VIEWS.picks = (() => {
  function create(app) {
    const { model } = app;
    const rows = [];
    const { element } = Lists;

    // One line: a box, a name, its share of the whole page.
    function row(place, name, mode, part, get, set) {
      const input = element("input", { type: "checkbox" });
      const label = element("span", { className: "label", title: name.slice(0, 1000) }, Lists.isolated(name));
      const only = element("button", { type: "button", className: "only", textContent: "only" });
      only.setAttribute("aria-label", "only " + name.slice(0, 100));
      const line = element("label", { className: "pick" }, input, ...(mode === null ? [] : [Lists.swatch("mode-" + mode)]),
                           label, only, element("span", { className: "part", textContent: part }));
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
      });
    }

    // Sums of what is each node's own: of all samples, not of the selection.
    function sums(own) {
      const { tree } = model;
      const made = { mode: new Float64Array(Model.MODES), domain: new Float64Array(model.info.domain_names.length),
                     image: new Float64Array(model.info.image_names.length + 1) };
      for (let i = 1; i < tree.count; i++) {
        made.mode[tree.mode[i]] += own(i);
        made.domain[tree.domain[i]] += own(i);
        made.image[tree.image[i]] += own(i);
      }
      return made;
    }

    // The share of what has this index; of two sessions, what it was and what it is.
    function share(kind, index) {
      return sides ? Compare.both(sides.before[kind][index], sides.after[kind][index])
        : Text.percent(made[kind][index], model.allTime);
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
          row(place, Model.MODE_NAMES[mode], mode, share("mode", mode),
              () => app.state.selection.modes[mode],
              (value, alone) => pick(app.state.selection.modes, mode, value, alone));
    }

    function lanesOf(domain) {
      return model.lanes.map((lane, index) => ({ ...lane, index })).filter((lane) => lane.domain === domain)
        .sort((a, b) => a.vcpu - b.vcpu);
    }

    function addVcpus(place, lanes) {
      const box = element("div", { className: "vcpus" });
      for (const lane of lanes) {
        const button = element("button", { type: "button", textContent: String(lane.vcpu) });
        button.setAttribute("aria-label", (lane.domain === Model.IDLE_DOMAIN ? "pCPU " : "vCPU ") + lane.vcpu);
        button.addEventListener("click", () => {
          app.state.selection.lanes[lane.index] ^= 1;
          app.selectionChanged();
        });
        rows.push(() => button.setAttribute("aria-pressed", String(app.state.selection.lanes[lane.index] === 1)));
        box.append(button);
      }
      place.append(box);
    }

    function domainState(domain, lanes) {
      const { selection } = app.state;
      if (!selection.domains[domain])
        return 0;
      return lanes.every((lane) => selection.lanes[lane.index]) ? 1 : 2;
    }

    function addDomains() {
      const place = document.getElementById("domains");
      const domains = model.info.domain_names.map((name, index) => index).filter((index) => made.domain[index] > 0);
      for (const domain of domains.sort((a, b) => made.domain[b] - made.domain[a])) {
        const lanes = lanesOf(domain);
        row(place, model.info.domain_names[domain], null, share("domain", domain),
            () => domainState(domain, lanes),
            (value, alone) => {
              pick(app.state.selection.domains, domain, value, alone);
              for (const lane of lanes)
                app.state.selection.lanes[lane.index] = 1;
            });
        if (lanes.length > 1)
          addVcpus(place, lanes);
      }
    }

    function addImages() {
      const place = document.getElementById("images");
      const images = [...made.image.keys()].filter((index) => made.image[index] > 0);
      for (const image of images.sort((a, b) => made.image[b] - made.image[a]).slice(0, 300))
        row(place, image ? model.imageName(image) : "without image", null, share("image", image), () => app.state.selection.images[image],
            (value, alone) => pick(app.state.selection.images, image, value, alone));
    }

    const made = sums((node) => model.tree.ownTime[node]);
    const sides = model.info.diff && { before: sums((node) => model.before[node - 1]),
                                       after: sums((node) => model.after[node - 1]) };
    addModes();
    addDomains();
    addImages();
    return {
      numbersChanged: () => rows.forEach((update) => update()),
      keys: [{ key: "d", what: "to the selection", run: () => document.querySelector(".pick input")?.focus() }],
    };
  }

  return { create };
})();
