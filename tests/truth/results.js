// SPDX-License-Identifier: GPL-2.0-or-later
// What was compared, by the name of the case, and how far it was off at most.
"use strict";

const SHOWN = 5; // failures of a case

class Results {
  constructor() {
    this.cases = new Map();
    this.where = "";
  }

  caseOf(name) {
    if (!this.cases.has(name)) this.cases.set(name, { count: 0, failed: 0, worst: 0, at: "", said: [] });
    return this.cases.get(name);
  }

  // A case that holds, or does not and says why.
  check(name, holds, why) {
    const found = this.caseOf(name);
    found.count++;
    if (holds) return;
    found.failed++;
    if (found.said.length < SHOWN) found.said.push(`${this.where}: ${why()}`);
  }

  // Two values that differ by no more than a limit, and what is not known of them.
  near(name, got, wanted, limit, what, slack = 0) {
    const off = Math.max(0, Math.abs(got - wanted) - slack), found = this.caseOf(name);
    if (off > found.worst) {
      found.worst = off;
      found.at = `${this.where}: ${what}`;
    }
    this.check(name, off <= limit, () => `${what}: ${got}, wanted ${wanted}` + (slack ? ` (give or take ${slack})` : ""));
  }

  // Prints TAP; returns how many cases failed.
  print() {
    let number = 0, failed = 0;
    for (const [name, { count, failed: bad, worst, at, said }] of this.cases) {
      const holds = count > 0 && !bad;
      failed += !holds;
      console.log(`${holds ? "" : "not "}ok ${++number} - ${name} (${count} times` + (worst ? `, off by at most ${worst.toPrecision(3)}` : "") + ")");
      if (!count) console.log("# it was never compared");
      if (bad) console.log(`# ${bad} of ${count} failed; make-truth SEED FOLDER makes the session of a seed again`);
      if (bad && at) console.log(`# worst: ${at}`);
      for (const text of said) console.log(text.replace(/^/gm, "# "));
    }
    console.log(`1..${number}`);
    return failed;
  }
}

module.exports = { Results };
