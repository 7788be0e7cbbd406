// SPDX-License-Identifier: GPL-2.0-or-later
// What is saved from the page is what --folded has of the same.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { assert } = require("./tap.js");
const Saving = require("./saving.js");

const NEAR = 2000; // ns: the page has us

function add(tap, screen, file, folder) {
  const stacksOf = (text) => new Map(text.trim().split("\n").map((line) => {
    const [, stack, numbers] = line.match(/^(.*?)((?: [0-9]+)+)$/);
    return [stack, numbers.trim().split(" ").map(Number)];
  }));
  const printed = (name) => stacksOf(fs.readFileSync(path.join(folder, name), "utf8"));
  const same = (found, wanted) => {
    assert.deepEqual([...found.keys()].sort(), [...wanted.keys()].sort());
    for (const [stack, numbers] of wanted)
      numbers.forEach((time, i) => assert.ok(Math.abs(found.get(stack)[i] - time) < NEAR, stack + ": " + found.get(stack) + ", not " + numbers));
  };

  const open = (name, link) => Saving.open(screen, file(name), link);

  // Returns the name of the file, and its text.
  async function save(row) {
    const { name, bytes } = await Saving.save(screen, row);
    assert.equal(await screen.tab.run(() => document.getElementById("save").open), false);
    return [name, bytes.toString()];
  }

  tap.add("folded text has the lines of --folded", async () => {
    await open("times");
    const [name, text] = await save("Folded text");
    assert.equal(name, "times.folded");
    same(stacksOf(text), printed("times.folded"));
    await open("bursts", "#time=10..20");
    const [part, lines] = await save("Folded text");
    assert.equal(part, "bursts-10..20.folded");
    same(stacksOf(lines), printed("bursts-10..20.folded"));
  });
  tap.add("... of two times both numbers", async () => {
    await open("times", "#time=5..10&before=0..5");
    const [name, text] = await save("Folded text"), sides = ["times-0..5.folded", "times-5..10.folded"].map(printed);
    assert.equal(name, "times-0..5-5..10.folded");
    const stacks = new Set(sides.flatMap((side) => [...side.keys()]));
    same(stacksOf(text), new Map([...stacks].map((stack) => [stack, sides.map((side) => side.get(stack)?.[0] ?? 0)])));
  });
  tap.add("speedscope has the same stacks", async () => {
    await open("times");
    const [name, text] = await save("speedscope"), made = JSON.parse(text), [profile] = made.profiles;
    assert.equal(name, "times.speedscope.json");
    assert.equal(profile.unit, "nanoseconds");
    const wanted = printed("times.folded"), names = (sample) => sample.map((frame) => made.shared.frames[frame].name).join(";");
    assert.deepEqual(profile.samples.map(names).sort(),
                     [...wanted.keys()].map((stack) => stack.replace(/_\[[xk]\]/g, "").replace("web", "web (1)").replace("db:1", "db;1 (2)")
                       .replace("Domain-0", "Domain-0 (0)")).sort());
    assert.equal(profile.endValue, profile.weights.reduce((a, b) => a + b));
    assert.ok(Math.abs(profile.endValue - [...wanted.values()].reduce((all, [time]) => all + time, 0)) < NEAR * wanted.size);
  });
  tap.add("the menu opens by keyboard; Escape and a click elsewhere close it", async () => {
    await open("times");
    await screen.tab.key("S");
    assert.equal(await screen.tab.run(() => document.activeElement.parentNode.textContent), "with names replaced");
    await screen.tab.key("Escape");
    assert.deepEqual(await screen.tab.run(() => [document.getElementById("save").open, document.activeElement.tagName]), [false, "SUMMARY"]);
    await screen.tab.key("S");
    await screen.click("#name");
    assert.equal(await screen.tab.run(() => document.getElementById("save").open), false);
    await screen.open(file("diff"));
    assert.deepEqual(await screen.tab.run(() => [...document.querySelectorAll("#save button")].map((one) => one.textContent)),
                     ["Picture, PNGp", "Picture, SVGP"]);
  });
}

module.exports = { add };
