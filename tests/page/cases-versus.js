// SPDX-License-Identifier: GPL-2.0-or-later
// Two times of one session on its page: the figures are those of --diff.  "times" is
// tests/golden/report/diff-times.session, "bursts" one with losses: tests/page/page.sh.
"use strict";

const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const { assert } = require("./tap.js");

const LINK = "#time=5..10&before=0..5";
const DIGITS = 0.0051; // that are not shown
const NEAR = 0.1; // points

// The test of noise, of each change by itself: as report/model/noise.c has it.
function marksOf(was, is, n, beside) {
  const chances = Array.from(was, (share, i) => {
    const sum = share * n[0] + is[i] * n[1], both = sum / (n[0] + n[1]);
    return sum < 10 ? 1 : beside(Math.abs(is[i] - share) / Math.sqrt(2 * both * (1 - both) * (1 / n[0] + 1 / n[1])));
  });
  const tested = [...chances.keys()].filter((i) => chances[i] < 1).sort((a, b) => chances[a] - chances[b]);
  const last = tested.findLastIndex((i, at) => chances[i] <= 0.05 * (at + 1) / tested.length);
  return Array.from(was, (share, i) => tested.indexOf(i) <= last && tested.includes(i) ? 1 : 0);
}

function addNoise(tap) {
  const source = fs.readFileSync(path.join(__dirname, "../../report/page/noise.js"), "utf8");
  const { mark, beside } = vm.runInNewContext(source + "; Noise");
  tap.add("the page's test of noise is that of the report", () => {
    for (const [x, wanted] of [[0, 1], [0.5, 0.4795001221869535], [1.9, 0.007209570764742532], [2, 0.004677734981047266],
                               [5, 1.5374597944280347e-12]])
      assert.ok(Math.abs(beside(x) / wanted - 1) < 1e-9, x + ": " + beside(x));
    let seed = 1, found = 0;
    const random = () => (seed = seed * 16807 % 2147483647) / 2147483647;
    for (let round = 0; round < 100; round++) {
      const was = Float64Array.from({ length: 1 + 99 * random() }, () => random() / 20), n = [1e3 + 1e5 * random(), 5e3];
      const is = was.map((share) => share * (1 + round % 5 / 2 * (random() - 0.5)));
      const marks = Array.from(mark(was, is, n, 1));
      assert.deepEqual(marks, marksOf(was, is, n, beside));
      found += marks.filter(Boolean).length;
    }
    assert.ok(found > 100);
  });
}

function add(tap, screen, file, json, folder) {
  addNoise(tap);
  const percent = (share) => (100 * share).toFixed(2);
  const parts = (id) => screen.tab.run((wanted) => Object.fromEntries(Array.from(document.querySelectorAll(wanted + " .pick"),
    (pick) => [pick.querySelector(".label").innerText.trim(), pick.querySelector(".part").innerText])), id);
  const changes = () => screen.tab.run(() => Array.from(document.querySelectorAll("#functions tbody tr[data-frame]"),
    (row) => Array.from(row.cells, (cell) => cell.innerText.trim())));
  const numbers = (text) => text.match(/[0-9.]+/g).map(Number);
  const compared = () => screen.tab.run(() => {
    const line = document.getElementById("compared");
    return line.hidden ? "" : line.firstElementChild.textContent;
  });
  const sum = (rows, key, at) => rows.reduce((all, row) => all + (row[key] === at[0] ? row.time_ns[at[1]] : 0), 0);

  // The functions that the page shows are the rows of --diff --json, in their order; those
  // that did not change are behind them.
  async function same({ rows }) {
    const named = rows.filter(({ symbol, change }) => symbol && change), found = await changes();
    assert.deepEqual(found.slice(0, named.length).map((row) => row[4]), named.map(({ symbol }) => symbol));
    named.forEach((row, i) => {
      const figures = found[i].slice(0, 4).map((text) => parseFloat(text.replace("\u2212", "-").replace("\u00b1", "")));
      [row.change, row.error, row.before, row.after].forEach((share, at) =>
        assert.ok(Math.abs(figures[at] - 100 * share) < DIGITS, row.symbol + ": " + found[i] + ", not " + 100 * share));
      assert.equal(found[i][1].endsWith("*"), row.beyond_noise, row.symbol);
    });
    assert.ok(found.slice(named.length).every((row) => row[0] === "0.00 %"));
    return named.length;
  }

  for (const scheme of ["light", "dark"])
    tap.add("two times have the figures of --diff, " + scheme, async () => {
      await screen.open(file("times"), LINK, scheme);
      assert.equal(json("times-diff").beyond_noise, 3);
      assert.equal(await same(json("times-diff")), 6);
      assert.match(await compared(), /^Before 0\u20135 s \(10\.000 s of pCPU time, 389 samples\), after 5\u201310 s .*; 8 of 13 changes/);
      assert.equal(await screen.text("#functions-title"), "What changed");
      assert.deepEqual(await screen.texts("#legend span:not(.swatch)"), ["more", "less", "within noise"]);
      assert.deepEqual(screen.tab.complaints, []);
    });
  tap.add("modes and domains have both shares of each time", async () => {
    const { rows, before, after } = json("times-diff"), all = [before, after].map(({ session }) => session.pcpu_time_ns);
    const both = (key, value) => percent(sum(rows, key, [value, 0]) / all[0]) + " \u2192 " + percent(sum(rows, key, [value, 1]) / all[1]) + " %";
    assert.deepEqual(await parts("#modes"), { Xen: both("mode", "xen"), kernel: both("mode", "kernel"), user: both("mode", "user"),
                                              idle: both("mode", "idle") });
    for (const [label, name] of [["web (1)", "web"], ["db;1 (2)", "db;1"], ["Domain-0 (0)", "Domain-0"], ["idle", "idle"]])
      assert.equal((await parts("#domains"))[label], both("domain_name", name), name);
  });
  tap.add("why Xen ran has both shares, and what is beyond noise", async () => {
    const { reasons } = json("times-why-diff"), cards = await screen.tab.run(() => Array.from(document.querySelectorAll("#why .card"),
      (card) => Array.from(card.querySelectorAll("b, span"), (one) => one.textContent)));
    assert.deepEqual(reasons.map((one) => one.beyond_noise), [true, false]);
    assert.deepEqual(cards.map((card) => card.slice(0, 3)), reasons.map((one) => [
      percent(one.before) + " \u2192 " + percent(one.after) + " %",
      "+" + percent(one.change) + " %, " + (one.beyond_noise ? "beyond" : "within") + " noise", one.text]));
  });
  tap.add("a frame says what it was, and is", async () => {
    assert.match(await screen.hover("#flame", "read_zero\n"),
      /before 15\.53 %, after 8\.18 %, change \u22127\.3[45] %, beyond noise/);
  });
  tap.add("of what is selected, it is what --filter has of both", async () => {
    await screen.click("#modes .pick:nth-child(2) input");
    await screen.click("#modes .pick:nth-child(3) input");
    assert.equal(await same(json("times-xen-diff")), 2);
    await screen.click("#all");
    assert.equal(await compared(), "");
    assert.equal(await screen.text("#functions-title"), "Hot functions");
  });
  tap.add("the command that is copied prints the same", async () => {
    await screen.open(file("basic"));
    await screen.open(file("times"), LINK + "&domain=web+(1)");
    await screen.tab.run(() => {
      navigator.clipboard.writeText = async (text) => { window.copied = text; };
    });
    await screen.tab.key("y");
    await screen.tab.until(() => window.copied);
    const command = await screen.tab.run(() => window.copied);
    assert.equal(command, "xenopreport --session=times --filter=domain=web --diff --before=0..5 --after=5..10 --callgraph");
    const here = command.replace("xenopreport", '"$XENOPREPORT_HERE" --session-dir="$SESSIONS_HERE"').replace("--callgraph", "--json");
    const { stdout, stderr } = spawnSync("sh", ["-c", here], { env: { ...process.env, SESSIONS_HERE: folder }, encoding: "utf8" });
    assert.equal(stderr, "");
    assert.equal(await same(JSON.parse(stdout)), 3);
  });
  tap.add("by keyboard: a time, v, another time; and no more", async () => {
    await screen.open(file("times"));
    await screen.tab.key("v");
    assert.match(await compared(), /^First choose the time before/);
    const select = async (steps) => {
      for (let step = 0; step < steps; step++)
        await screen.tab.key("ArrowRight", { shift: true });
    };
    await select(20);
    await screen.tab.key("v");
    assert.match(await compared(), /^Before: 0\u20132 s\. Now choose the time to compare it with\.$/);
    assert.deepEqual(await screen.texts("#chosen li"), ["before: 0\u20132 s \u00d7"]);
    await screen.tab.key("ArrowRight");
    await select(30);
    assert.match(await compared(), /^Before 0\u20132 s \(.*, after 2\.1\u20135\.1 s /);
    assert.deepEqual(await screen.texts("#chosen li"), ["before: 0\u20132 s \u00d7", "after: 2.1\u20135.1 s \u00d7"]);
    const there = [await screen.text("#functions"), await screen.text("#compared"), await screen.text("#why")];
    const link = await screen.link();
    assert.match(link, /before=0\.\.2/);
    await screen.open(file("basic"));
    await screen.open(file("times"), link);
    assert.deepEqual([await screen.text("#functions"), await screen.text("#compared"), await screen.text("#why")], there);
    await screen.click("#swap");
    assert.match(await compared(), /^Before 2\.1\u20135\.1 s \(.*, after 0\u20132 s /);
    await screen.tab.key("v");
    assert.equal(await compared(), "");
    assert.deepEqual(await screen.texts("#chosen li"), ["0\u20132 s \u00d7"]);
    assert.deepEqual(screen.tab.complaints, []);
  });
  tap.add("a time before that the page has not is said", async () => {
    await screen.open(file("basic"));
    await screen.open(file("times"), "#before=50..60");
    assert.match(await screen.text("#misfit"), /not the time 50\.\.60 s/);
    assert.equal(await compared(), "");
  });
  tap.add("with losses, and slots that are cut, shares are near those of --diff", async () => {
    await screen.open(file("bursts"), "#time=20..35.5&before=3.2..17");
    const wanted = new Map(json("bursts-diff").rows.filter(({ symbol }) => symbol).map((row) => [row.symbol, row])), found = await changes();
    assert.equal(found.length, 15);
    for (const [, error, was, is, name] of found) {
      const row = wanted.get(name), far = (text, share) => Math.abs(parseFloat(text) - 100 * share);
      assert.ok(far(was, row.before) <= NEAR && far(is, row.after) <= NEAR, [name, was, is, row.before, row.after].join(" "));
      assert.ok(far(numbers(error)[0], row.error) <= 2 * DIGITS + 0.02 * 100 * row.error, [name, error, row.error].join(" "));
    }
  });
  for (const [width, scheme] of [[390, "light"], [320, "dark"]])
    tap.add("two times have room on a screen of " + width + " px", async () => {
      await screen.tab.send("Emulation.setDeviceMetricsOverride", { width, height: 800, deviceScaleFactor: 1, mobile: true });
      await screen.open(file("basic"));
      await screen.open(file("times"), LINK, scheme);
      assert.equal(await screen.tab.run(() => document.documentElement.scrollWidth), width);
      assert.deepEqual(await screen.tab.run((most) => Array.from(document.querySelectorAll("header *, main *, #compared *"))
        .filter((one) => !one.closest(".unseen, .scroll, .cards") && one.getBoundingClientRect().right > most + 1)
        .map((one) => one.outerHTML.slice(0, 60)), width), []);
      await screen.tab.send("Emulation.clearDeviceMetricsOverride", {});
    });
}

module.exports = { add };
