// SPDX-License-Identifier: GPL-2.0-or-later
// Lanes of domains, vCPUs and pCPUs, what else than running is in them, and marks over
// them.
"use strict";

const { assert } = require("./tap.js");

const LABEL = 132; // pixels
const UNITS = { s: 1e3, ms: 1, "\u00b5s": 1e-3 };

// Lanes by their text: where they are on the screen.
async function lanes(screen) {
  await screen.place("#timeline");
  return screen.tab.run(() => Array.from(document.querySelectorAll("#lanes .lane"), (one) => {
    const { top, height } = one.getBoundingClientRect();
    return { text: one.innerText.replace(/\n/g, ", "), top, height, open: one.getAttribute("aria-expanded"), kind: one.classList[1] };
  }));
}

async function lane(screen, name) {
  return (await lanes(screen)).find(({ text }) => text.startsWith(name));
}

// What the pointer over a lane says at a part of the time: ms by name, and of how many.
async function at(screen, { top, height }, part) {
  const { left, width } = await screen.place("#timeline");
  await screen.tab.move(left + LABEL + part * (width - LABEL), top + height / 2);
  const [name, where, ...lines] = (await screen.text("#tip")).split("\n");
  const [, long, unit] = where.match(/, ([0-9.]+) (ms|s|\u00b5s) long/);
  const parts = Object.fromEntries(lines.map((line) => line.match(/^(.*?):? ([0-9.]+) (\u00b5s|ms|s)$/))
    .map(([, what, time, of]) => [what, time * UNITS[of]]));
  return { name, long: long * UNITS[unit], parts };
}

function sum(parts) {
  return Object.values(parts).reduce((a, b) => a + b, 0);
}

function near(value, wanted, what) {
  assert.ok(Math.abs(value - wanted) <= 0.03, what + ": " + value + ", not " + wanted);
}

function addDomains(tap, screen, file) {
  tap.add("a lane is full where all of its own vCPUs run, wait or are blocked", async () => {
    await screen.open(file("waits"));
    const shown = await lanes(screen);
    assert.match(shown[0].text, /^web \(1\), 2 vCPUs$/);
    assert.match(await screen.text("#bin"), /; full height: all of a lane's vCPUs$/);
    assert.match(await screen.text("#lane-legend"), /^waiting\nblocked/);
    // Its third second, in quarters: what xenopreport --waits says of it.
    let waiting = 0;
    for (const part of [0.21, 0.23, 0.26, 0.28])
      waiting += (await at(screen, shown[0], part)).parts.waiting;
    near(waiting / 1e3, 0.3, "waiting");
  });
  tap.add("... and never more", async () => {
    await screen.open(file("bursts"));
    const shown = await lanes(screen);
    assert.deepEqual(shown.map(({ text }) => text), ["db (2), 1 vCPU", "Domain-0 (0), 2 vCPUs", "web (1), 1 vCPU", "2 pCPUs"]);
    for (const [index, vcpus] of [1, 2, 1].entries())
      for (let part = 0.05; part < 1; part += 0.15) {
        const { long, parts, name } = await at(screen, shown[index], part);
        assert.ok(sum(parts) <= 1.01 * vcpus * long && sum(parts) >= 0.98 * vcpus * long, name + " at " + part + ": " + JSON.stringify(parts));
      }
  });
  tap.add("what is not selected is what ran else", async () => {
    await screen.open(file("bursts"), "#mode=kernel");
    const { parts } = await at(screen, await lane(screen, "Domain-0"), 0.1);
    assert.ok(parts.kernel > 0 && parts["not selected"] > 0 && !parts.user, JSON.stringify(parts));
  });
}

function addOpen(tap, screen, file) {
  tap.add("a lane opens to its vCPUs, by keyboard too, and the focus stays", async () => {
    await screen.open(file("bursts"));
    const closed = await lanes(screen);
    assert.deepEqual(closed.map(({ open }) => open), [null, "false", null, "false"]);
    await screen.tab.run(() => document.querySelector("#lanes button").focus());
    await screen.tab.key("Enter");
    const shown = await lanes(screen);
    assert.deepEqual(shown.slice(2, 4).map(({ text, kind }) => kind + " " + text), ["vcpu vCPU 0", "vcpu vCPU 1"]);
    assert.equal(await screen.tab.run(() => document.activeElement.getAttribute("aria-expanded")), "true");
    const all = await at(screen, shown[1], 0.3), parts = [await at(screen, shown[2], 0.3), await at(screen, shown[3], 0.3)];
    for (const name of ["kernel", "user", "blocked"])
      near(parts.reduce((time, one) => time + (one.parts[name] ?? 0), 0) / all.long, (all.parts[name] ?? 0) / all.long, name);
    await screen.tab.key("Enter");
    assert.equal((await lanes(screen)).length, closed.length);
  });
  tap.add("which lanes are open is in the link", async () => {
    await screen.open(file("bursts"));
    const closed = await lanes(screen);
    await screen.tab.run(() => [0, 1].forEach(() => Array.from(document.querySelectorAll('#lanes [aria-expanded="false"]')).at(-1).click()));
    const shown = await lanes(screen);
    assert.equal(shown.filter(({ kind }) => kind === "vcpu" || kind === "pcpu").length, 4);
    const link = await screen.link();
    assert.match(link, /open=Domain-0.*&pcpus=open/);
    await screen.open(file("basic"));
    await screen.open(file("bursts"), link);
    assert.deepEqual(await lanes(screen), shown);
    assert.equal(await screen.text("#misfit"), "");
    await screen.tab.run(() => { location.hash = ""; });
    await screen.tab.until((count) => document.querySelectorAll("#lanes .lane").length === count, closed.length);
    await screen.tab.run(() => { location.hash = "open=nobody"; });
    await screen.tab.until(() => !document.getElementById("misfit").hidden);
    assert.match(await screen.text("#misfit"), /no domain nobody/);
  });
  tap.add("lanes of pCPUs say what ran there", async () => {
    await screen.open(file("bursts"));
    const button = (await lanes(screen)).at(-1);
    assert.equal(button.kind + " " + button.text, "pcpus 2 pCPUs");
    await screen.tab.run(() => Array.from(document.querySelectorAll("#lanes button")).at(-1).click());
    const shown = (await lanes(screen)).filter(({ kind }) => kind === "pcpu");
    assert.deepEqual(shown.map(({ text }) => text), ["pCPU 0", "pCPU 1"]);
    const ran = [await at(screen, shown[0], 0.05), await at(screen, shown[1], 0.05)];
    assert.ok(ran[0].parts["Domain-0 (0)"] + ran[0].parts["web (1)"] > 0);
    assert.ok(ran[1].parts["Domain-0 (0)"] > 0 && !ran[1].parts["web (1)"]);
  });
}

function addChosen(tap, screen, file) {
  tap.add("the chosen function is drawn where it ran", async () => {
    await screen.open(file("bursts"));
    const before = await screen.picture("timeline");
    await screen.tab.run(() => Array.from(document.querySelectorAll("#functions tbody tr"))
      .find((row) => row.innerText.includes("f_0_1")).click());
    assert.notEqual(await screen.picture("timeline"), before);
    const dom0 = await lane(screen, "Domain-0");
    let parts = {};
    for (let part = 0.1; part < 0.15 && !parts.f_0_1; part += 0.002)
      parts = (await at(screen, dom0, part)).parts;
    assert.ok(parts.f_0_1 > 0 && parts.f_0_1 <= parts.user + 0.1, JSON.stringify(parts));
    await screen.tab.key("Escape");
    assert.equal(await screen.picture("timeline"), before);
  });
}

function addMarks(tap, screen, file) {
  tap.add("what was said when is marked, and listed by a button", async () => {
    await screen.open(file("waits"));
    assert.match(await screen.text("#marker-button"), /^\d+ events?$/);
    await screen.tab.run(() => document.getElementById("marker-button").focus());
    await screen.tab.key("Enter");
    const listed = await screen.texts("#marker-list li");
    assert.ok(listed.some((line) => /^7 s: Domain: db-two \(2\)$/.test(line)), listed.join());
    assert.ok(listed.some((line) => /^3 s: Gone: web \(1\)$/.test(line)), listed.join());
    const { left, top, width } = await screen.place("#timeline");
    await screen.tab.move(left + LABEL + 0.7 * (width - LABEL), top + 4);
    assert.match(await screen.text("#tip"), /Domain: db-two \(2\)/);
    await screen.open(file("chains"));
    assert.equal(await screen.tab.run(() => document.getElementById("marker-button").hidden), true);
  });
  tap.add("a span of fewer samples is marked as one", async () => {
    await screen.open(file("slowed"));
    await screen.click("#marker-button");
    assert.match((await screen.texts("#marker-list li")).join("\n"), /^1\u20132\.5 s: Slowed: fewer samples/m);
  });
}

function add(tap, screen, file) {
  addDomains(tap, screen, file);
  addOpen(tap, screen, file);
  addChosen(tap, screen, file);
  addMarks(tap, screen, file);
}

module.exports = { add };
