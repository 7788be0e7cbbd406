// SPDX-License-Identifier: GPL-2.0-or-later
// The page of two sessions: tests/golden/report/diff.session and diff-after.
"use strict";

const fs = require("fs");
const path = require("path");
const vm = require("vm");

const { assert } = require("./tap.js");

function add(tap, screen, file) {
  for (const scheme of ["light", "dark"])
    tap.add("what changed has the figures of --diff, " + scheme, async () => {
      await screen.open(file("diff"), "", scheme);
      const rows = await screen.tab.run(() => Array.from(document.querySelectorAll("#functions tbody tr"),
        (row) => Array.from(row.cells, (cell) => cell.innerText.trim())));
      assert.deepEqual(rows.slice(0, 3), [
        ["+3.52 %", "\u00b12.97", "13.34 %", "16.85 %", "copy_to_guest_ll"],
        ["+3.29 %", "\u00b11.06 *", "0.00 %", "3.29 %", "rebalance [dbd]"],
        ["\u22122.87 %", "\u00b11.47 *", "4.74 %", "1.88 %", "read_zero"]]);
      // As xenopreport --diff --sort=symbol marks them: two.
      assert.equal(rows.filter((row) => row[1].endsWith("*")).length, 2);
      assert.match(await screen.text("#info"), /beyond noise\s+[0-9]+ of 36 changes/);
      assert.equal(await screen.tab.run(() => document.querySelector(".times").checkVisibility()), false);
      assert.deepEqual(screen.tab.complaints, []);
    });
  tap.add("of a part of a function it is not said whether it changed beyond noise", () => {
    const source = fs.readFileSync(path.join(__dirname, "../../report/page/compare.js"), "utf8");
    const app = { model: { info: { frame_errors: [1e7], frame_beyond: [1] } } };
    const { error } = vm.runInNewContext(source + "; Compare");
    const whole = { was: [2e7], is: [4e7] };
    assert.equal(error(app, whole, whole, 0), "\u00b11.00 *");
    assert.equal(error(app, { was: [2e7], is: [3e7] }, whole, 0), "");
  });
  tap.add("shares beside modes and domains are those of both sessions", async () => {
    const parts = (id) => screen.tab.run((id) => Array.from(document.querySelectorAll(id + " .pick"),
      (pick) => [pick.querySelector(".label").innerText.trim(), pick.querySelector(".part").innerText.trim()]), id);
    const numbers = (text) => text.match(/[0-9.]+/g).map(Number);
    for (const id of ["#modes", "#domains"]) {
      const sums = (await parts(id)).map((one) => numbers(one[1])).reduce((a, b) => [a[0] + b[0], a[1] + b[1]], [0, 0]);
      assert.ok(sums[0] <= 100.05 && sums[1] <= 100.05, id + " " + sums);
    }
    // As xenopreport --diff --sort=mode has them.
    assert.deepEqual(await parts("#modes"), [
      ["Xen", "18.67 \u2192 22.43 %"], ["kernel", "13.34 \u2192 10.60 %"], ["user", "9.88 \u2192 13.47 %"],
      ["idle", "54.80 \u2192 53.50 %"], ["not known", "3.32 \u2192 0.00 %"]]);
  });
  tap.add("a frame that is gone is in the picture", async () => {
    assert.match(await screen.hover("#flame", "read_zero\nkernel, files and disks\n"),
      /^read_zero\nkernel, files and disks\nbefore 4\.74 %, after 1\.88 %, change \u22122\.8[67] %, beyond noise/);
  });
  tap.add("selection, search, keys and links work there, too", async () => {
    await screen.click("#modes .pick:nth-child(1) input");
    assert.equal((await screen.functions()).has("copy_to_guest_ll"), false);
    for (const key of ["t", "h", "b", "/"])
      await screen.tab.key(key);
    await screen.tab.type("zero");
    await screen.tab.key("Enter");
    await screen.tab.run(() => document.activeElement.blur());
    const there = [await screen.text("#functions"), await screen.text("#matched")];
    await screen.open(file("diff"), await screen.link());
    assert.deepEqual([await screen.text("#functions"), await screen.text("#matched")], there);
    assert.deepEqual(screen.tab.complaints, []);
  });
  tap.add("details of functions are where it says", async () => {
    for (const act of [() => screen.tab.key("D"), () => screen.click("#details")]) {
      await screen.open(file("basic"));
      await screen.open(file("diff"));
      await act();
      assert.match(await screen.text("#copied"), /^Two sessions .* no details of functions; the page of each has them: xenopreport --html=FILE --session=before, or after\.$/);
      assert.equal(await screen.tab.run(() => document.getElementById("drawer").hidden), true);
    }
    assert.deepEqual(screen.tab.complaints, []);
  });
  for (const width of [390, 320])
    tap.add("nothing is beside a screen of " + width + " px", async () => {
      await screen.tab.send("Emulation.setDeviceMetricsOverride", { width, height: 800, deviceScaleFactor: 1, mobile: true });
      for (const page of ["diff", "chains"]) {
        await screen.open(file(page));
        const beside = await screen.tab.run((width) => Array.from(document.querySelectorAll("header *, main *"))
          .filter((one) => !one.closest(".unseen, .scroll") && one.getBoundingClientRect().right > width + 1)
          .map((one) => one.outerHTML.slice(0, 60)), width);
        assert.deepEqual(beside, [], page);
        assert.equal(await screen.tab.run(() => document.documentElement.scrollWidth), width);
      }
      await screen.tab.send("Emulation.clearDeviceMetricsOverride", {});
    });
}

module.exports = { add };
