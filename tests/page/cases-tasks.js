// SPDX-License-Identifier: GPL-2.0-or-later
// What a stranger is asked, by keyboard alone, and in how many keys.  "task" is a session
// of two guests: tests/page/page.sh.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const { assert } = require("./tap.js");

function add(tap, screen, file) {
  // Presses keys, at most so many.
  async function press(most, ...keys) {
    assert.ok(keys.length <= most, keys.length + " keys");
    for (const key of keys)
      await screen.tab.key(key);
  }
  const open = async (name) => {
    await screen.open(file("basic"));
    await screen.open(file(name));
  };

  tap.add("which guest takes most of Xen, and why: 2 keys", async () => {
    await open("task");
    assert.match((await screen.texts("#whom button"))[0], /^db \(2\) 1\d\.\d\d %$/); // in sight before any
    await press(2, "g", "Enter");
    assert.deepEqual(await screen.texts("#chosen li"), ["db (2) \u00d7"]);
    assert.match((await screen.texts("#why .card"))[0], /^1\d\.\d\d %\s+hypercall mmu_update: page tables of a PV guest\s+db \(2\)\s+As PVH/);
    assert.equal(await screen.tab.run(() => document.activeElement.getAttribute("aria-pressed")), "true");
    await press(1, "Enter");
    assert.deepEqual(await screen.texts("#chosen li"), []);
  });
  tap.add("when it began, and ended: 3 keys", async () => {
    await open("task");
    await press(3, "w", "Enter", "j");
    assert.match(await screen.text("#moment"), /^At 15 s \(1 of 2\): what is selected goes from 1\.00 % to 3\d\.\d\d % of pCPU time; v compares both times\.$/);
    assert.equal(await screen.tab.run(() => document.activeElement.id), "timeline");
    await press(1, "j");
    assert.match(await screen.text("#moment"), /^At 35 s \(2 of 2\): what is selected goes from 3\d\.\d\d % to 1\.00 %/);
    await press(1, "j");
    assert.match(await screen.text("#moment"), /^At 15 s/);
    await press(1, "0");
    assert.equal(await screen.tab.run(() => document.getElementById("moment").hidden), true);
  });
  tap.add("what changed between two times: 4 keys", async () => {
    await open("task");
    await press(4, "j", "v", "s");
    assert.match(await screen.text("#compared"), /^Before 0\u201315 s .*, after 15\u201335 s/);
    const [first] = await screen.texts("#functions tbody tr");
    assert.match(first, /\+3\d\.\d\d %\s+\u00b1\d\.\d\d \*\s+1\.00 %\s+3\d\.\d\d %\s+do_mmu_update/);
    assert.match(await screen.tab.run(() => document.activeElement.innerText), /do_mmu_update/);
    assert.deepEqual(screen.tab.complaints, []);
  });
  tap.add("what is about as much all of the time has no beginning", async () => {
    await screen.open(file("basic"));
    await screen.open(file("task"), "#domain=web+(1)");
    await press(1, "j");
    assert.equal(await screen.text("#moment"), "What is selected does not begin or end: it is about as much all of the time.");
  });
  tap.add("chance alone makes no beginning", () => {
    const source = fs.readFileSync(path.join(__dirname, "../../report/page/moments.js"), "utf8");
    const { find } = vm.runInNewContext("const VIEWS = {};" + source + "; VIEWS.moments");
    let seed = 1, found = 0;
    const random = () => (seed = seed * 16807 % 2147483647) / 2147483647, normal = () => random() + random() + random() - 1.5;
    for (let round = 0; round < 300; round++)
      found += find(Float64Array.from({ length: 10 + 200 * random() }, () => 10 + normal())).length > 0 ? 1 : 0;
    assert.ok(found <= 3, found + " of 300");
    assert.deepEqual(Array.from(find(Float64Array.from({ length: 60 }, (none, i) => (i >= 20 && i < 40 ? 5 : 1) + normal() / 3))), [20, 40]);
    assert.deepEqual(Array.from(find(new Float64Array(50))), []);
  });
}

module.exports = { add };
