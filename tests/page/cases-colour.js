// SPDX-License-Identifier: GPL-2.0-or-later
// Whether people with colour vision deficiencies can distinguish the modes: each
// pair must differ clearly as they see it.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { assert } = require("./tap.js");

const SUBSYSTEMS = fs.readFileSync(path.join(__dirname, "../../report/page/subsystems.js"), "utf8");
const Subsystems = new Function(SUBSYSTEMS + "; return Subsystems;")();

const CONTRAST = 3; // WCAG 1.4.11, to the paper
const LEAST = 20; // CIE 1976 distance; 2.3 is what can be noticed at all

// Machado, Oliveira, Fernandes (2009), severity 1.0, on linear RGB.
const EYES = {
  usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
};
const TO_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
const WHITE = [0.9505, 1, 1.089];

function apply(matrix, vector) {
  return matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * vector[i], 0));
}

function linear(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
}

function lab(rgb) {
  const [x, y, z] = apply(TO_XYZ, rgb.map((part) => Math.min(1, Math.max(0, part))))
    .map((part, i) => part / WHITE[i]).map((part) => part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function distance(one, other, eye) {
  const [a, b] = [one, other].map((hex) => lab(apply(EYES[eye], linear(hex))));
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function contrast(one, other) {
  const [low, high] = [one, other].map((hex) => apply(TO_XYZ, linear(hex))[1] + 0.05).sort((a, b) => a - b);
  return high / low;
}

function addContrast(tap, screen, file) {
  for (const scheme of ["light", "dark"])
    tap.add("modes stand out from the paper, " + scheme, async () => {
      await screen.open(file("chains"), "", scheme);
      const [paper, ...modes] = await screen.tab.run(() => ["paper", "mode-0", "mode-1", "mode-2", "mode-3", "mode-4"]
        .map((name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim()));
      for (const mode of modes)
        assert.ok(contrast(mode, paper) >= CONTRAST, mode + ": " + contrast(mode, paper).toFixed(2));
    });
  tap.add("more and less have no colour of a mode", async () => {
    for (const scheme of ["light", "dark"]) {
      await screen.open(file("diff"), "", scheme);
      const [modes, changes] = await screen.tab.run(() => [["mode-", 5], ["change-", 7]].map(([name, count]) =>
        Array.from({ length: count }, (one, i) => getComputedStyle(document.documentElement).getPropertyValue("--" + name + i).trim())));
      assert.deepEqual(changes.slice(1).filter((colour) => modes.some((mode) => distance(mode, colour, "usual") < LEAST)), []);
    }
  });
}

function addShades(tap, screen, file) {
  for (const scheme of ["light", "dark"])
    tap.add("each shade of a mode can be read, stands out, and is nearest to its own mode, " + scheme, async () => {
      await screen.open(file("chains"), "", scheme);
      const [paper, ...modes] = await screen.tab.run(() => ["paper", "mode-0", "mode-1", "mode-2"]
        .map((name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim()));
      for (const mode of modes)
        for (let number = 0; number < Subsystems.SHADES; number++) {
          const shade = Subsystems.shade(mode, number, scheme === "dark");
          assert.ok(contrast(shade, paper) >= CONTRAST, shade + " on paper");
          assert.ok(Math.max(contrast(shade, "#ffffff"), contrast(shade, "#14171a")) >= 4.5, shade + " with text");
          const near = modes.map((other) => distance(shade, other, "usual"));
          assert.equal(near.indexOf(Math.min(...near)), modes.indexOf(mode), shade);
        }
    });
  tap.add("functions have the subsystem of their names, processes' code has none", async () => {
    const names = ["csched2_schedule", "common/sched/core.c#schedule", "tcp_sendmsg", "ext4_file_read_iter", "tcp_sendmsg", "frob"];
    const of = Subsystems.ofFrames({ frame_names: names }, [0, 0, 1, 1, 2, 0]);
    assert.deepEqual(Array.from(of, (number) => Subsystems.NAMES[number]),
                     ["scheduler", "scheduler", "network", "files and disks", "the rest", "the rest"]);
  });
  tap.add("a subsystem is selected, and a link has it", async () => {
    await screen.open(file("why"));
    const shares = () => screen.tab.run(() => Array.from(document.querySelectorAll("#parts .pick"), (row) =>
      [row.querySelector(".label").textContent, parseFloat(row.querySelector(".part").textContent)]));
    const before = await shares();
    assert.ok(Math.abs(before.reduce((sum, [, share]) => sum + share, 0) - 100) < 0.1, String(before));
    await screen.tab.run(() => Array.from(document.querySelectorAll("#parts .pick"))
      .find((row) => row.textContent.includes("scheduler")).querySelector(".only").click());
    assert.deepEqual(await shares(), before);
    const own = await screen.tab.run(() => Array.from(document.querySelectorAll("#functions tbody tr"), (row) =>
      [row.querySelector(".name").textContent.trim(), parseFloat(row.cells[0].textContent)]).filter(([, share]) => share > 0));
    assert.ok(own.length > 0 && own.every(([name]) => /sched/.test(name)), String(own));
    const sum = own.reduce((all, [, share]) => all + share, 0), wanted = before.find(([name]) => name === "scheduler")[1];
    assert.ok(Math.abs(sum - wanted) < 0.1, sum + ", not " + wanted);
    assert.equal(new URLSearchParams((await screen.link()).slice(1)).get("subsystem"), "scheduler");
  });
}

function add(tap, screen, file) {
  addContrast(tap, screen, file);
  addShades(tap, screen, file);
  for (const scheme of ["light", "dark"])
    tap.add("modes differ for all eyes, " + scheme, async () => {
      await screen.open(file("chains"), "", scheme);
      const modes = await screen.tab.run(() => [0, 1, 2, 3].map((mode) =>
        getComputedStyle(document.documentElement).getPropertyValue("--mode-" + mode).trim()));
      let least = Infinity;
      for (const eye of Object.keys(EYES))
        for (let i = 0; i < modes.length; i++)
          for (let j = 0; j < i; j++) {
            const apart = distance(modes[i], modes[j], eye);
            assert.ok(apart >= LEAST, `${eye}: ${modes[j]} and ${modes[i]} differ by ${apart.toFixed(1)} only`);
            least = Math.min(least, apart);
          }
      return "least distance " + least.toFixed(1);
    });
}

module.exports = { add };
