// SPDX-License-Identifier: GPL-2.0-or-later
// What is saved as pprof and for Firefox Profiler, as other code reads it, has the times
// of --folded.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { assert } = require("./tap.js");
const Saving = require("./saving.js");
const Profiles = require("./read-profiles.js");

const NEAR = 2000; // ns of a stack: the page has us

// Times of stacks, the domain first.
function sums(rows) {
  const found = new Map();
  for (const { domain, stack, time } of rows) {
    const key = [domain.replace(/ \(\d+\)$/, ""), ...stack].map((name) => name.replaceAll(";", ":")).join(";");
    found.set(key, (found.get(key) ?? 0) + time);
  }
  return found;
}

function folded(file) {
  const rows = fs.readFileSync(file, "utf8").trim().split("\n").map((line) => {
    const [, stack, time] = line.match(/^(.*) (\d+)$/), [domain, ...frames] = stack.split(";");
    return { domain, stack: frames.map((frame) => frame.replace(/_\[[xk]\]$/, "")), time: Number(time) };
  });
  return sums(rows);
}

function same(found, wanted) {
  assert.deepEqual([...found.keys()].sort(), [...wanted.keys()].sort());
  for (const [stack, time] of wanted)
    assert.ok(Math.abs(found.get(stack) - time) < NEAR, stack + ": " + found.get(stack) + ", not " + time);
}

function addFormats(tap, screen, file, folder) {
  const read = async (row, name, link) => {
    await Saving.open(screen, file(name), link);
    const saved = await Saving.save(screen, row);
    assert.deepEqual(screen.tab.complaints, []);
    return { name: saved.name, ...Profiles[row === "pprof" ? "pprof" : "firefox"](saved.bytes) };
  };
  tap.add("pprof has the stacks and times of --folded, and labels", async () => {
    const all = await read("pprof", "times");
    assert.equal(all.name, "times.pb.gz");
    assert.deepEqual([all.types, all.usual], [["samples/count", "time/nanoseconds"], "time"]);
    same(sums(all.rows), folded(path.join(folder, "times.folded")));
    const session = JSON.parse(fs.readFileSync(path.join(folder, "times.json"))).session;
    assert.equal(all.rows.reduce((sum, { count }) => sum + count, 0), session.read);
    assert.ok(all.rows.every(({ vcpu, mode }) => /^\d+$/.test(vcpu) && /^(xen|kernel|user)$/.test(mode)));
    const part = await read("pprof", "bursts", "#time=10..20");
    same(sums(part.rows), folded(path.join(folder, "bursts-10..20.folded")));
    assert.equal(part.duration, 1e10);
    assert.ok(part.comments.some((text) => text === "selected: 10\u201320 s"), String(part.comments));
    assert.ok(part.rows.some(({ stack, images }) => stack[0] === "f_1_1" && images[0] === "a.out"));
  });
  tap.add("... and names of threads, and why guests are in Xen", async () => {
    const { rows } = await read("pprof", "threads");
    assert.ok(rows.some(({ process }) => process), JSON.stringify(rows));
    assert.ok((await read("pprof", "entry")).rows.some(({ entry }) => entry));
  });
  tap.add("for Firefox Profiler, too, in a thread for each vCPU and in the order of time", async () => {
    same(sums((await read("Firefox", "times")).rows), folded(path.join(folder, "times.folded")));
    const { name, rows, meta } = await read("Firefox", "bursts", "#time=10..20");
    assert.equal(name, "bursts-10..20.firefox.json");
    same(sums(rows), folded(path.join(folder, "bursts-10..20.folded")));
    assert.ok(rows.every(({ at }) => at >= 10000 && at < 20000));
    assert.deepEqual([meta.profilingStartTime, meta.profilingEndTime], [10000, 20001]);
    for (const vcpu of new Set(rows.map((row) => row.domain + row.vcpu))) {
      const times = rows.filter((row) => row.domain + row.vcpu === vcpu).map(({ at }) => at);
      assert.deepEqual(times, times.toSorted((a, b) => a - b), vcpu);
    }
    assert.deepEqual(new Set(rows.filter(({ stack }) => stack.at(-1) === "f_1_1").map(({ categories }) => categories)), new Set(["User"]));
  });
  tap.add("what is zoomed to and of another type is saved in its unit", async () => {
    const cycles = await read("pprof", "types", "#type=cycles");
    assert.deepEqual([cycles.types[1], cycles.usual], ["cycles/count", "cycles"]);
    const { session } = JSON.parse(fs.readFileSync(path.join(folder, "types-cycles.json")));
    const all = session.types.find((type) => type.name === "cycles").amount;
    assert.ok(Math.abs(cycles.rows.reduce((sum, { time }) => sum + time, 0) - all) < 10, "all");
  });
  tap.add("two times are saved as text alone", async () => {
    await Saving.open(screen, file("times"), "#time=5..10&before=0..5");
    assert.deepEqual(await screen.tab.run(() => [...document.querySelectorAll("#save button:disabled span")].map((one) => one.textContent)),
                     ["Page of its own", "pprof", "Firefox Profiler"]);
  });
}

function add(tap, screen, file, folder) {
  addFormats(tap, screen, file, folder);
}

module.exports = { add };
