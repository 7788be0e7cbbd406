// SPDX-License-Identifier: GPL-2.0-or-later
// Cases, one after the other, as TAP.
"use strict";

const assert = require("node:assert/strict");

class Tap {
  constructor() {
    this.cases = [];
    this.failed = 0;
  }

  add(name, run) {
    this.cases.push({ name, run });
  }

  async runAll() {
    console.log("1.." + this.cases.length);
    for (const [index, { name, run }] of this.cases.entries()) {
      try {
        const note = await run();
        console.log(`ok ${index + 1} - ${name}` + (note ? ` (${note})` : ""));
      } catch (error) {
        this.failed++;
        console.log(`not ok ${index + 1} - ${name}`);
        console.log(String(error.stack ?? error).replace(/^/gm, "# "));
      }
    }
  }
}

module.exports = { Tap, assert };
