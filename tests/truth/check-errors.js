// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the truth lies inside the errors that reports promise, and how often.
"use strict";

const { ownerOfRow, IDLE, OTHER } = require("./session.js");
const { functionOfRow } = require("./check-times.js");

class Coverage {
  constructor() {
    this.classes = new Map();
  }

  count(name, inside) {
    if (!this.classes.has(name)) this.classes.set(name, { inside: 0, count: 0 });
    const found = this.classes.get(name);
    found.count++;
    found.inside += inside;
  }

  // The rows of a report that say how sure they are.
  add(session, range) {
    const truth = session.truth.ranges[range], { rows } = session.json(...session.options(range));
    for (const row of rows) {
      // The time of an owner is not sampled; which of its functions had it, is.
      if (row.error_ns === undefined || row.symbol === null || ownerOfRow(row) === OTHER) continue;
      const wanted = truth.functions.get(functionOfRow(row)) ?? 0;
      const inside = Math.abs(row.time_ns - wanted) <= row.error_ns;
      const many = row.samples < 10 ? "below 10" : row.samples < 100 ? "10 to 99" : "100 and more";
      this.count("all", inside);
      this.count(range ? "a range" : "the whole session", inside);
      this.count("loss: " + session.truth.facts.loss, inside);
      this.count("samples: " + many, inside);
      if (ownerOfRow(row) === IDLE) this.count("Xen's work in idle vCPUs", inside);
      for (const word of session.truth.words) this.count(word, inside);
    }
  }

  cases() {
    return this.classes.get("all")?.count ?? 0;
  }

  percent(name) {
    const found = this.classes.get(name);
    return found ? (100 * found.inside) / found.count : NaN;
  }

  print() {
    console.log("# the truth is inside the promised 95 % interval:");
    for (const [name, { count }] of [...this.classes].sort())
      console.log(`#   ${this.percent(name).toFixed(1).padStart(5)} % of ${String(count).padStart(7)}  ${name}`);
  }
}

module.exports = { Coverage };
