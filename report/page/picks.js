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

    // Shares of all samples, not of the selection.
    function sums() {
      const { tree } = model;
      const made = { mode: new Float64Array(Model.MODES), domain: new Float64Array(model.info.domain_names.length),
                     image: new Float64Array(model.info.image_names.length + 1) };
      for (let i = 1; i < tree.count; i++) {
        made.mode[tree.mode[i]] += tree.ownTime[i];
        made.domain[tree.domain[i]] += tree.ownTime[i];
        made.image[tree.image[i]] += tree.ownTime[i];
      }
      return made;
    }

    function pick(list, index, value, alone) {
      if (alone)
        list.fill(0);
      list[index] = value;
    }

    function addModes(made) {
      const place = document.getElementById("modes");
      for (let mode = 0; mode < Model.MODES; mode++)
        if (made.mode[mode] > 0)
          row(place, Model.MODE_NAMES[mode], mode, Text.percent(made.mode[mode], model.allTime),
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

    function addDomains(made) {
      const place = document.getElementById("domains");
      const domains = model.info.domain_names.map((name, index) => index).filter((index) => made.domain[index] > 0);
      for (const domain of domains.sort((a, b) => made.domain[b] - made.domain[a])) {
        const lanes = lanesOf(domain);
        row(place, model.info.domain_names[domain], null, Text.percent(made.domain[domain], model.allTime),
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

    function addImages(made) {
      const place = document.getElementById("images");
      const images = [...made.image.keys()].filter((index) => made.image[index] > 0);
      for (const image of images.sort((a, b) => made.image[b] - made.image[a]).slice(0, 300))
        row(place, image ? model.imageName(image) : "without image", null,
            Text.percent(made.image[image], model.allTime), () => app.state.selection.images[image],
            (value, alone) => pick(app.state.selection.images, image, value, alone));
    }

    const made = sums();
    addModes(made);
    addDomains(made);
    addImages(made);
    return {
      numbersChanged: () => rows.forEach((update) => update()),
      keys: [{ key: "d", what: "to the selection", run: () => document.querySelector(".pick input")?.focus() }],
    };
  }

  return { create };
})();
