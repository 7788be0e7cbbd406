// SPDX-License-Identifier: GPL-2.0-or-later
// What is selected, and zoomed to, as a file.  Another format is a row.
VIEWS.save = (() => {
  function create(app) {
    const place = document.getElementById("save"), menu = Menus.create(place);
    const hasTimes = !app.model.info.diff, ofOneTime = () => !app.result.sides;

    // Of a format: the end of a file's name, and parts of the file, or a promise of them.
    /** @type {{ what: string, key?: string, end: string, make: (app: any) => any, isOf?: () => boolean }[]} */
    const formats = [
      ...(hasTimes ? [
        { what: "Page of its own", end: "html", make: SavePage.make, isOf: () => ofOneTime() && SavePage.canMake() },
        { what: "Folded text", end: "folded", make: SaveText.folded },
        { what: "speedscope", end: "speedscope.json", make: SaveText.speedscope },
        { what: "pprof", end: "pb.gz", make: SavePprof.make, isOf: ofOneTime },
        { what: "Firefox Profiler", end: "firefox.json", make: SaveFirefox.make, isOf: ofOneTime },
      ] : []),
      { what: "Picture, PNG", key: "p", end: "png", make: async () => [await Picture.png(app)] },
      { what: "Picture, SVG", key: "P", end: "svg", make: () => [Picture.svg(app)] },
    ];

    let replaced = false;
    async function save({ end, make }) {
      const begin = () => [make(app), Files.name(app, end)]; // what needs names is done at once
      try {
        const [parts, name] = replaced ? Aliases.during(app, begin) : begin();
        Files.keep(new Blob(await parts), name);
      } catch (error) {
        document.getElementById("copied").textContent = "It cannot be saved: " + error.message;
      }
    }

    menu.addBox({ what: "with names replaced", run: () => { replaced = !replaced; }, isOn: () => replaced,
                  title: "Of domains, threads, hosts, paths and functions of programs; those of Xen, kernels and public libraries stay" });

    for (const format of formats)
      menu.addButton({ ...format, run: () => {
        menu.close();
        save(format);
      } });
    menu.show();
    return { numbersChanged: menu.show, keys: [
      ...formats.filter(({ key }) => key).map((format) => ({ key: format.key, what: "save as " + format.what[0].toLowerCase() + format.what.slice(1), run: () => save(format) })),
      { key: "S", what: "save what is selected as a file", run: () => {
        place.open = true;
        place.querySelector("input, button").focus();
      } },
    ] };
  }

  return { create };
})();
