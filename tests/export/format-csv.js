// SPDX-License-Identifier: GPL-2.0-or-later
// CSV, as Python's own module reads it.
"use strict";

const { run } = require("./tools.js");
const { Rows, spellInLines } = require("./rows.js");

const script = `
import csv, json, sys
with open(sys.argv[1], encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file, strict=True))
for row in rows:
    if None in row or None in row.values():
        sys.exit("a line has not as many fields as the first: %r" % row)
print(json.dumps(rows))
`;

function linesOf(file) {
  return JSON.parse(run("python3", ["-c", script, file]));
}

function read(file, type) {
  const ret = new Rows();
  for (const row of linesOf(file)) {
    if (row.type === type) {
      const mode = row.mode === "unknown" || row.mode === "" ? null : row.mode;
      ret.add(row.domain, mode, row.function.replace(/_\[[xk]\]$/, ""), row.samples, row.amount);
    }
  }
  return ret;
}

// Samples come in the order of time, within the session; a stack ends in its
// function; and a time of day is as far from another as a time since the start.
function check(file, report) {
  const rows = linesOf(file);
  const wrong = [];
  let before = 0n;
  const apart = new Set();
  for (const row of rows) {
    const time = BigInt(row.since_start_ns);
    if (time < before || time > BigInt(report.session.duration_ns)) {
      wrong.push(`a sample at ${time} comes behind one at ${before}`);
    }
    before = time;
    if (row.stack.split(";").pop() !== row.function) {
      wrong.push(`${row.stack} does not end in ${row.function}`);
    }
    if (row.utc) {
      const [seconds, fraction] = row.utc.replace("Z", "").split(".");
      apart.add(BigInt(Date.parse(`${seconds}Z`)) * 1000000n + BigInt(fraction) - time);
    }
  }
  if (apart.size > 1) {
    wrong.push(`utc and since_start_ns are apart by ${[...apart]}`);
  }
  return wrong;
}

module.exports = { needs: ["python3"], has: ["domain", "mode", "samples"], types: true, spell: spellInLines, read, check };
