// SPDX-License-Identifier: GPL-2.0-or-later
// What keeps people from using the page, as axe-core finds it: names that are missing,
// contrast, roles.  In both themes and as wide as screens are, with all open that opens.
// "rich" is a session that has all that a page can show: tests/page/page.sh.
"use strict";

const fs = require("node:fs");
const { assert } = require("./tap.js");

const AXE = process.env.AXE_HERE ?? "";
const WIDTHS = [[1400, 900], [768, 1024], [390, 844], [320, 568]];
const ALL = "#open=web+(1)&pcpus=open&domain=web+(1)&domain=db+(2)&time=5..25&find=Exec" +
  "&function=user:/usr/lib/postgresql/postgres:heap_getnext&zoom=db+(2)";

// What is on the screen; prepare() opens what no link opens.
const STATES = [
  { what: "lanes, the tree of text, events, menus and a selection", page: "rich", link: ALL, prepare: () => {
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "e" }));
    document.getElementById("marker-button").click();
    document.querySelectorAll("#more, #save, #menu").forEach((one) => { one.open = true; });
  } },
  { what: "the details of a function", page: "code", link: "#details=1&function=xen:spin" },
  { what: "the shape by reason, turned round", page: "rich", link: "#shape=inverted&shape=by-reason" },
  { what: "two times compared", page: "rich", link: "#before=0..10&time=15..30" },
  { what: "the list of keys", page: "rich", link: "", prepare: () => document.getElementById("help").click() },
  { what: "two sessions compared", page: "diff", link: "" },
];

function add(tap, screen, file) {
  const { tab } = screen;
  const missing = fs.existsSync(AXE) ? "" : " # SKIP no axe-core: ./check --deps";

  // axe does not see gradients: bars are as if they were full, of one colour.
  async function load() {
    await tab.run("() => {" + fs.readFileSync(AXE, "utf8") + "\n}");
    await tab.run(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(".part { background-image: none !important; background-color: var(--accent-soft) !important; }");
      document.adoptedStyleSheets.push(sheet);
    });
  }

  // What axe finds, a line for each rule.
  function violations() {
    return tab.run(async () => {
      const { violations: found } = await window.axe.run(document, { resultTypes: ["violations"], preload: false });
      return found.map(({ id, help, nodes }) => id + ": " + help + ": " + nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)).join(" "));
    });
  }

  for (const { what, page, link, prepare } of STATES)
    tap.add("axe finds nothing: " + what + missing, async () => {
      if (missing)
        return;
      const begun = Date.now(), found = [];
      for (const scheme of ["light", "dark"]) {
        await screen.open(file("basic"));
        await screen.open(file(page), link, scheme);
        assert.equal(await screen.text("#misfit"), "");
        await load();
        await tab.run(prepare ?? (() => {}));
        for (const [width, height] of WIDTHS) {
          await tab.size(width, height);
          await tab.run(() => new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); }));
          found.push(...(await violations()).map((line) => `${scheme}, ${width}: ${line}`));
        }
        await tab.size(1440, 1000);
      }
      assert.deepEqual(found, []);
      return ((Date.now() - begun) / 1000).toFixed(1) + " s";
    });
}

module.exports = { add };
