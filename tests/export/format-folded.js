// SPDX-License-Identifier: GPL-2.0-or-later
// Folded lines with the second as their root, as tools that take folded lines read
// them: the last blank is before the number, ";" between names.
"use strict";

const fs = require("node:fs");
const { Rows, spellInLines } = require("./rows.js");

function linesOf(file) {
  return fs.readFileSync(file, "utf8").split("\n").slice(0, -1).map((line) => {
    const blank = line.lastIndexOf(" ");
    return { names: line.slice(0, blank).split(";"), amount: line.slice(blank + 1) };
  });
}

// The mode is in what Xen's and kernels' functions end with.
function read(file) {
  const ret = new Rows();
  for (const { names, amount } of linesOf(file)) {
    const leaf = names[names.length - 1];
    ret.add(names[1], null, leaf.replace(/_\[[xk]\]$/, ""), 0, amount);
  }
  return ret;
}

// Seconds come in their order, all with as many digits, and a stack once in each.
function check(file) {
  const seconds = linesOf(file).map(({ names }) => names[0]);
  const stacks = linesOf(file).map(({ names }) => names.join(";"));
  const wrong = [];
  if (seconds.some((second) => !/^\d+$/.test(second) || second.length !== seconds[0].length)) {
    wrong.push(`not all roots are seconds of as many digits: ${[...new Set(seconds)]}`);
  }
  if (seconds.join() !== [...seconds].sort().join()) {
    wrong.push(`seconds are not in order: ${[...new Set(seconds)]}`);
  }
  if (new Set(stacks).size !== stacks.length) {
    wrong.push("a stack is there twice in one second");
  }
  return wrong;
}

module.exports = { needs: [], has: ["domain"], types: false, spell: spellInLines, read, check };
