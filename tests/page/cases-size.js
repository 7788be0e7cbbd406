// SPDX-License-Identifier: GPL-2.0-or-later
// Pages of sessions without call chains up to very many.
"use strict";

const fs = require("node:fs");
const { assert } = require("./tap.js");

const MOST = 5e6; // bytes of a page of 100,000 chains and 1 M samples

function add(tap, screen, file, json, sizes) {
  tap.add("a session without samples says so", async () => {
    await screen.open(file("empty"));
    assert.match(await screen.text("#functions"), /No function is shown/);
    assert.deepEqual(screen.tab.complaints, []);
  });
  for (const stacks of sizes)
    for (const scheme of ["light", "dark"])
      tap.add(stacks + " call chains, " + scheme, async () => {
        await screen.open(file("stacks-" + stacks), "", scheme);
        const { samples } = json("stacks-" + stacks).selected;
        assert.match((await screen.text("#info")).replace(/\u202f/g, ""), new RegExp("samples\\s+" + samples + "\\b"));
        await screen.tab.key("/");
        await screen.tab.type("_");
        assert.equal(await screen.text("#matched"), "matched 100.00 %");
        await screen.clickFrame(0.1, 2);
        assert.equal((await screen.path()).length, 3);
        assert.deepEqual(screen.tab.complaints, []);
        const { size } = fs.statSync(file("stacks-" + stacks));
        assert.ok(size < MOST, size + " bytes");
        return size + " bytes";
      });
}

module.exports = { add };
