// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that tests of exports run.
"use strict";

const { spawnSync } = require("node:child_process");

// Returns what a program prints; input, if there is one, is what it reads.
function run(program, args, input) {
  const done = spawnSync(program, args, { input, encoding: "utf8", maxBuffer: 1 << 30 });
  if (done.error || done.status !== 0) {
    throw new Error(`${program} ${args.join(" ")}: ${done.error ?? done.stderr}`);
  }
  return done.stdout;
}

// Whether all of these programs are here.
function have(programs) {
  return programs.every((program) => spawnSync("sh", ["-c", `command -v "${program}"`]).status === 0);
}

module.exports = { run, have };
