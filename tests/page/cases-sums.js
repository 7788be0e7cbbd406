// SPDX-License-Identifier: GPL-2.0-or-later
// Sums of any part of the time are Xen's account, whatever was lost.  "bursts" is a
// session with losses: tests/page/page.sh.
"use strict";

const { assert } = require("./tap.js");

const RANGES = ["0..40", "0..10", "10..20", "20..30", "30..40", "3.2..9.85", "10..14", "11..13", "12.5..12.9", "24.1..24.9"];
const NEAR = 0.1; // points
const DIGITS = 0.0051; // that are not shown

async function setTime(screen, range) {
  await screen.tab.run((texts) => {
    const fields = ["from", "to"].map((id) => document.getElementById(id));
    fields.forEach((field, i) => { field.value = texts[i]; });
    fields[1].dispatchEvent(new Event("change"));
  }, range.split(".."));
  assert.deepEqual(await screen.tab.run(() => ["from", "to"].map((id) => document.getElementById(id).value)), range.split(".."));
}

// Shares by name, in percent.
async function parts(screen, id) {
  const rows = await screen.tab.run((wanted) => Array.from(document.querySelectorAll(wanted + " .pick"),
    (pick) => [pick.querySelector(".label").innerText.trim(), pick.querySelector(".part").innerText]), id);
  return Object.fromEntries(rows.map(([name, part]) => [name.replace(/,.*/, ""), parseFloat(part)]));
}

function sum(values) {
  return values.reduce((a, b) => a + b, 0);
}

async function ownOfFunctions(screen) {
  return sum([...(await screen.functions()).values()].map(({ own }) => own));
}

function only(screen, name) {
  return screen.tab.run((wanted) => Array.from(document.querySelectorAll("#domains .pick"))
    .find((pick) => pick.innerText.includes(wanted)).querySelector(".only").click(), name);
}

function addDomains(tap, screen, file, json) {
  for (const range of RANGES)
    tap.add("shares of " + range + " s are Xen's account, and add up", async () => {
      await screen.open(file("bursts"));
      await setTime(screen, range);
      const shown = await parts(screen, "#domains"), all = json("bursts-" + range).session.pcpu_time_ns;
      const { domains } = json("bursts--waits-" + range);
      assert.equal(domains.length, 3);
      for (const { domain, domain_name: name, running_ns: ran } of domains) {
        const wanted = 100 * ran / all, found = shown[name + " (" + domain + ")"];
        assert.ok(Math.abs(found - wanted) <= NEAR, name + ": " + found + " %, by Xen " + wanted);
      }
      for (const id of ["#domains", "#modes", "#images"]) {
        const values = Object.values(await parts(screen, id));
        assert.ok(Math.max(...values) <= 100, id + ": " + values);
        assert.ok(Math.abs(sum(values) - 100) <= DIGITS * values.length, id + ": " + values);
      }
    });
  tap.add("parts of the time add up to the whole", async () => {
    await screen.open(file("bursts"));
    const whole = await parts(screen, "#domains"), sums = {};
    for (const range of ["0..10", "10..20", "20..30", "30..40"]) {
      await setTime(screen, range);
      for (const [name, part] of Object.entries(await parts(screen, "#domains")))
        sums[name] = (sums[name] ?? 0) + part / 4;
    }
    for (const [name, part] of Object.entries(whole))
      assert.ok(Math.abs(sums[name] - part) <= 3 * DIGITS, name + ": " + part + ", parts " + sums[name]);
  });
}

function addFunctions(tap, screen, file, json) {
  tap.add("functions add up to their domain; all of it has the figures of --json", async () => {
    await screen.open(file("bursts"));
    const shown = await screen.functions(), { rows, session } = json("bursts");
    const named = rows.filter((row) => row.symbol !== null);
    assert.equal(named.length, 15);
    for (const row of named)
      assert.ok(Math.abs(shown.get(row.symbol).own - 100 * row.time_ns / session.pcpu_time_ns) < 2 * DIGITS, row.symbol);
    for (const range of RANGES) {
      await setTime(screen, range);
      await screen.click("#all");
      await setTime(screen, range);
      const wanted = await parts(screen, "#domains");
      for (const domain of ["Domain-0", "web"]) {
        await only(screen, domain);
        const found = await ownOfFunctions(screen), all = wanted[domain + (domain === "web" ? " (1)" : " (0)")];
        // Else one of its vCPUs has no sample, and no function.
        const [from, to] = range.split("..").map(Number), sampled = to - from >= 4 && !(domain === "web" && range === "10..14");
        assert.ok(found <= all + 12 * DIGITS && (!sampled || found >= all - 12 * DIGITS),
                  range + ", " + domain + ": " + all + ", its functions " + found);
      }
    }
  });
  tap.add("to select vCPUs changes no other number", async () => {
    await screen.open(file("bursts"));
    await setTime(screen, "20..30");
    const before = await parts(screen, "#domains"), functions = await screen.functions();
    await screen.click("#domains .vcpus button:nth-child(2)");
    assert.deepEqual(await parts(screen, "#domains"), before);
    const after = await screen.functions();
    assert.ok(after.size < functions.size && after.size > 0);
    for (const [name, figures] of after)
      assert.deepEqual(figures, functions.get(name), name);
  });
  tap.add("what has no sample of its own is said", async () => {
    await setTime(screen, "10..14");
    assert.match(await screen.text("#taken"), /shares of domains are Xen's own, those of functions within [0-9.]+ points; for [0-9.]+ % of the time the vCPU had no sample in that second/);
    await setTime(screen, "0..40");
  });
}

function addWaiting(tap, screen, file, json) {
  tap.add("what waits for names has its part of a vCPU's time", async () => {
    await screen.open(file("spooled"));
    const shown = await parts(screen, "#modes"), { rows, session } = json("spooled");
    for (const mode of ["xen", "kernel", "user"]) {
      const time = sum(rows.filter((row) => row.mode === mode).map((row) => row.time_ns));
      assert.ok(Math.abs(shown[mode === "xen" ? "Xen" : mode] - 100 * time / session.pcpu_time_ns) <= DIGITS, mode);
    }
    const waiting = rows.filter((row) => row.symbol === "[not named yet]");
    assert.equal(waiting.length, 2);
    assert.ok((await screen.text("#functions")).includes("[not named yet]"));
  });
}

// Of a moment: us by domain and mode, as the pointer over the lanes has them.
async function lanesAt(screen, second) {
  const { left, top, width, height } = await screen.place("#timeline"), lanes = {};
  for (let y = 8; y < height - 18; y += 8) {
    await screen.tab.move(left + 132 + second / 40 * (width - 132), top + y);
    const [name, where = "", ...lines] = (await screen.text("#tip")).split("\n");
    const long = where.match(/, ([0-9.]+) (ms|s) long/);
    if (!long)
      continue;
    lanes[name] = Object.fromEntries(lines.map((line) => line.match(/^(.*) ([0-9.]+) (\u00b5s|ms|s)$/)).filter(Boolean)
      .map(([, mode, time, unit]) => [mode, time * { s: 1e3, ms: 1, "\u00b5s": 1e-3 }[unit]]));
    lanes[name].long = long[1] * { s: 1e3, ms: 1 }[long[2]];
  }
  return lanes;
}

function addLanes(tap, screen, file) {
  tap.add("lanes show what was lost as that, and never more than all pCPUs", async () => {
    await screen.open(file("bursts"));
    assert.match(await screen.text("#lane-legend"), /no sample$/);
    for (let second = 0.3; second < 40; second += 0.9) {
      const lanes = await lanesAt(screen, second);
      const work = sum(Object.values(lanes).flatMap(({ long, ...parts }) =>
        ["Xen", "kernel", "user", "no sample"].map((part) => (parts[part] ?? 0) / long)));
      assert.ok(work > 0.1 && work <= 2.01, second + " s: " + work + " pCPUs");
      if (second > 11 && second < 13)
        assert.ok(lanes["web (1)"]["no sample"] > 0 && !(lanes["web (1)"].user > 0), second + " s: web");
      assert.ok(lanes["db (2)"]["no sample"] > 0, second + " s: db");
    }
  });
}

function add(tap, screen, file, json) {
  addDomains(tap, screen, file, json);
  addFunctions(tap, screen, file, json);
  addWaiting(tap, screen, file, json);
  addLanes(tap, screen, file);
}

module.exports = { add };
