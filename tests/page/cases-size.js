// SPDX-License-Identifier: GPL-2.0-or-later
// Pages of sessions without call chains up to very many.
"use strict";

const fs = require("node:fs");
const { assert } = require("./tap.js");

const MOST = 4e6; // bytes of a page of 100,000 chains and 1 M samples

// 64 pCPUs, 125 domains of eight vCPUs each.
function addWide(tap, screen, file, json) {
  const vcpus = "#domains details:first-of-type summary", first = "#domains details:first-of-type button";
  tap.add("a host of 64 pCPUs and 1,000 vCPUs has lanes that open, and more of them", async () => {
    await screen.open(file("wide-host"));
    assert.equal(await screen.text("#more-lanes"), "101 more domains");
    await screen.click("#more-lanes");
    assert.equal(await screen.text("#more-lanes"), "77 more domains");
    await screen.click("#lanes button.domain");
    assert.equal((await screen.texts("#lanes .vcpu")).length, 8);
    await screen.click("#lanes button.pcpus");
    assert.equal((await screen.texts("#lanes .pcpu")).length, 64);
    assert.deepEqual(screen.tab.complaints, []);
  });
  tap.add("... and a domain's vCPUs are chosen from a line that opens", async () => {
    await screen.open(file("wide-host"));
    const { samples } = json("wide-host").selected, taken = () => screen.text("#taken");
    assert.equal((await screen.texts("#domains .vcpus button")).length, 0);
    assert.equal(await screen.text(vcpus), "8 vCPUs");
    await screen.click(vcpus);
    await screen.tab.until(() => document.querySelectorAll("#domains .vcpus button").length === 8);
    const before = await taken();
    await screen.click(first);
    assert.equal(await screen.text(vcpus), "7 of 8 vCPUs");
    assert.notEqual(await taken(), before);
    assert.ok(before.replace(/\u202f/g, "").startsWith(samples + " of " + samples));
    await screen.tab.key("0");
    assert.equal(await screen.text(vcpus), "8 vCPUs");
    assert.equal(await taken(), before);
  });
}

function add(tap, screen, file, json, sizes) {
  addWide(tap, screen, file, json);
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
