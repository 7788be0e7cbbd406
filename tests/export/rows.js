// SPDX-License-Identifier: GPL-2.0-or-later
// What a report and an export say of the same samples, in one form: a row for each
// domain, mode, function and line of its source, with its samples and what they stand
// for.
"use strict";

// All that has no name is one row: formats call addresses differently.
function plainName(name) {
  return !name || name.startsWith("[") || /^0x[0-9a-f]+$/.test(name) ? "-" : name.replace(/^.*#/, "");
}

const BETWEEN = "\0"; // no name has it

class Rows {
  constructor() {
    this.rows = new Map();
  }

  // Amounts are whole, and may be above 2^53.
  // line is "PATH:NUMBER", if it is known.
  add(domain, mode, name, samples, amount, line) {
    const key = [domain ?? "-", mode ?? "-", plainName(name), line ?? "-"].join(BETWEEN);
    const row = this.rows.get(key) ?? { samples: 0n, amount: 0n };
    row.samples += BigInt(samples);
    row.amount += BigInt(amount);
    this.rows.set(key, row);
  }

  // The same with "-" where a format does not have something, and names as it
  // spells them.
  reduced({ has, spell = (name) => name }) {
    const ret = new Rows();
    for (const [key, row] of this.rows) {
      const [domain, mode, name, line] = key.split(BETWEEN);
      ret.add(has.includes("domain") ? spell(domain) : "-", has.includes("mode") ? mode : "-", spell(name), has.includes("samples") ? row.samples : 0, row.amount, has.includes("lines") ? line : "-");
    }
    return ret;
  }
}

// Of xenopreport --json --percent-limit=0 --sort=domain,mode,symbol,line; amounts as
// they are written, since a number of JavaScript's may be rounded.
function rowsOfReport(text) {
  const ret = new Rows();
  const report = JSON.parse(text.replace(/"(time_ns|amount)": (\d+)/g, '"$1": "$2"'));
  for (const row of report.rows) {
    const other = row.domain === -1; // nothing is said of what is not profiled
    if (row.mode !== "idle") {
      ret.add(row.domain_name ?? String(row.domain), other ? "-" : row.mode, row.symbol, row.samples, row.time_ns ?? row.amount, row.line);
    }
  }
  return ret;
}

// An export has entries that are not counted as samples, too: those that wait for
// names, and time that a pCPU worked beyond its samples.  Returns what is wrong with
// how many there are.
function checkCount(report, count) {
  const wanted = report.rows.filter((row) => row.mode !== "idle").reduce((sum, row) => sum + row.samples, 0);
  return count >= wanted ? [] : [`${count} samples, and the report has ${wanted}`];
}

// As names are in lines: xenopreport(1), FOLDED.  How many "?" stand for bytes is
// not looked at.
function spellInLines(name) {
  return name.replace(/;/g, ":").replace(/[\p{C}\uFFFD?]+/gu, "?");
}

module.exports = { Rows, spellInLines, rowsOfReport, checkCount };
