// SPDX-License-Identifier: GPL-2.0-or-later
// The page and the picture in a browser; tests/page/page.sh makes the files.
//
//   node run.js CHROMIUM FOLDER STACKS,...
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { Browser } = require("./browser.js");
const { Screen } = require("./screen.js");
const { Tap } = require("./tap.js");

async function main() {
  const [, , program, folder, stacks] = process.argv;
  const tap = new Tap();
  const browser = await Browser.start(program);
  const screen = new Screen(await browser.tab());
  const file = (name) => path.join(folder, name + ".html");
  const json = (name) => JSON.parse(fs.readFileSync(path.join(folder, name + ".json"), "utf8"));

  require("./cases-page.js").add(tap, screen, file, json);
  require("./cases-first.js").add(tap, screen, file);
  require("./cases-why.js").add(tap, screen, file, json);
  require("./cases-diff.js").add(tap, screen, file);
  require("./cases-versus.js").add(tap, screen, file, json, folder);
  require("./cases-save.js").add(tap, screen, file, folder);
  require("./cases-share.js").add(tap, screen, file, folder);
  require("./cases-own-page.js").add(tap, screen, file, folder);
  require("./cases-aliases.js").add(tap, screen, file);
  require("./cases-colour.js").add(tap, screen, file);
  require("./cases-svg.js").add(tap, screen, path.join(folder, "chains.svg"), path.join(folder, "torn.svg"), file("chains"));
  require("./cases-hostile.js").add(tap, screen, file, (name) => path.join(folder, name + ".svg"));
  require("./cases-true.js").add(tap, screen, file);
  require("./cases-sums.js").add(tap, screen, file, json);
  require("./cases-follow.js").add(tap, screen, file, folder);
  require("./cases-tasks.js").add(tap, screen, file);
  require("./cases-random.js").add(tap, screen, file, folder);
  require("./cases-lanes.js").add(tap, screen, file);
  require("./cases-types.js").add(tap, screen, file, json);
  require("./cases-tree.js").add(tap, screen, file);
  require("./cases-shapes.js").add(tap, screen, file);
  require("./cases-flame.js").add(tap, screen, file);
  require("./cases-drawer.js").add(tap, screen, file, folder);
  require("./cases-axe.js").add(tap, screen, file);
  require("./cases-size.js").add(tap, screen, file, json, stacks.split(",").map(Number));
  // Last, since a tab of its own hides the other: this one has forgotten where steps
  // back would lead.
  require("./cases-chosen.js").add(tap, async () => new Screen(await browser.tab()), file, folder);
  require("./cases-served.js").add(tap, async () => new Screen(await browser.tab()), folder);
  try {
    await tap.runAll();
  } finally {
    await browser.stop();
  }
  process.exitCode = tap.failed ? 1 : 0;
}

main().catch((error) => {
  console.log("not ok - the browser runs");
  console.log(String(error.stack ?? error).replace(/^/gm, "# "));
  process.exitCode = 1;
});
