// SPDX-License-Identifier: GPL-2.0-or-later
// The page of two sessions: tests/golden/report/diff.session and diff-after.
"use strict";

const { assert } = require("./tap.js");

function add(tap, screen, file) {
  for (const scheme of ["light", "dark"])
    tap.add("what changed has the figures of --diff, " + scheme, async () => {
      await screen.open(file("diff"), "", scheme);
      const rows = await screen.tab.run(() => Array.from(document.querySelectorAll("#functions tbody tr"),
        (row) => Array.from(row.cells, (cell) => cell.innerText.trim())));
      assert.deepEqual(rows.slice(0, 3), [
        ["+6.02 %", "16.34 %", "22.36 %", "copy_to_guest_ll"],
        ["\u22124.92 %", "8.36 %", "3.45 %", "read_zero"],
        ["+2.05 %", "0.00 %", "2.05 %", "rebalance [dbd]"]]);
      assert.match(await screen.text("#info"), /beyond noise\s+10 of 36 changes/);
      assert.equal(await screen.tab.run(() => document.querySelector(".times").checkVisibility()), false);
      assert.deepEqual(screen.tab.complaints, []);
    });
  tap.add("a frame that is gone is in the picture", async () => {
    const { left, top, width } = await screen.place("#flame");
    await screen.tab.move(left + 0.5 * width, top + 9.5 * 20);
    assert.match(await screen.text("#tip"),
                 /^read_zero\nkernel\nbefore 8\.36 %, after 3\.45 %, change \u22124\.92 %, beyond noise/);
  });
  tap.add("selection, search, keys and links work there, too", async () => {
    await screen.click("#modes .pick:nth-child(1) input");
    assert.equal((await screen.functions()).has("copy_to_guest_ll"), false);
    for (const key of ["t", "h", "c", "/"])
      await screen.tab.key(key);
    await screen.tab.type("zero");
    await screen.tab.key("Enter");
    await screen.tab.run(() => document.activeElement.blur());
    const there = [await screen.text("#functions"), await screen.text("#matched")];
    await screen.open(file("diff"), await screen.link());
    assert.deepEqual([await screen.text("#functions"), await screen.text("#matched")], there);
    assert.deepEqual(screen.tab.complaints, []);
  });
}

module.exports = { add };
