// SPDX-License-Identifier: GPL-2.0-or-later
// Makes sessions of which the truth is known, and compares all that xenopreport
// says of them with what it must say.
//
//   node run.js MAKE-TRUTH XENOPREPORT FOLDER FIRST COUNT
//
// Sessions of COUNT seeds from FIRST on are made in FOLDER, one after the other.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { Session } = require("./session.js");
const { Results } = require("./results.js");
const { Coverage } = require("./check-errors.js");
const { checkRange, checkParts, checkLast } = require("./check-times.js");
const { VIEWS } = require("./check-views.js");

// From so many sessions on, each view is looked at in one of EACH alone.
const MANY = 500, EACH = 6, FEW = 20;

// How often the truth must be inside, in percent; a few sessions say less.
function bounds(sessions) {
  const most = Math.max(2, 25 / Math.sqrt(sessions));
  return [95 - most, Math.min(100, 95 + most)];
}

// The same seed gives the same bytes.
function checkAgain(results, programs, seed, folder) {
  const files = (session) => [...fs.readdirSync(path.join(session.folder, "session")).sort().map((name) => path.join("session", name)), "truth", "stored"];
  const again = path.join(folder, "again");
  fs.mkdirSync(again);
  const one = new Session(programs, seed, folder), other = new Session(programs, seed, again);
  results.check("a seed gives the same bytes each time", files(one).join() === files(other).join(), () => "there are other files");
  for (const name of files(one)) {
    // A session's files have its own random number in their heads.
    const [left, right] = [one, other].map((session) => fs.readFileSync(path.join(session.folder, name)).subarray(name.startsWith("session") ? 32 : 0));
    results.check("a seed gives the same bytes each time", left.equals(right), () => name);
  }
  one.remove();
  other.remove();
}

// each: of so many sessions a view is looked at in one; the whole session and a
// range take turns.
function checkSession(results, coverage, session, each) {
  const { seed, truth } = session, looked = [0, 1 + (seed % 3)];
  const ranges = each > 1 ? [...looked, 1 + ((seed + 1) % 3)] : truth.ranges.keys();
  const at = (range) => {
    results.where = `seed ${seed}, ${session.options(range)[0] ?? "all of it"}, ${truth.facts.loss} ${truth.words.join(" ")}`;
  };
  for (const range of ranges) {
    at(range);
    checkRange(results, session, range, looked.includes(range));
    coverage.add(session, range);
  }
  for (const [index, view] of VIEWS.entries()) {
    const range = looked[(seed + index) % 2];
    at(range);
    if (Math.floor((seed + 2 * index) / 2) % each === 0) view(results, session, session.options(range));
  }
  results.where = `seed ${seed}`;
  if (seed % each === 0) checkLast(results, session);
  if (seed % each === 1 % each) checkParts(results, session);
}

function main() {
  const [, , make, report, folder, first, count] = process.argv;
  const results = new Results(), coverage = new Coverage(), begin = Number(first), end = begin + Number(count);
  const each = end - begin >= MANY ? EACH : 1;
  for (let seed = begin; seed < end; seed++) {
    results.where = `seed ${seed}`;
    try {
      const session = new Session({ make, report }, seed, folder);
      checkSession(results, coverage, session, each);
      session.remove();
      results.check("sessions are made and reported", true);
    } catch (error) {
      results.check("sessions are made and reported", false, () => error.stack);
    }
  }
  checkAgain(results, { make, report }, begin, folder);
  const [low, high] = bounds(end - begin), inside = coverage.percent("all");
  results.where = "all seeds";
  // A few sessions may have too few samples for any promise.
  if (end - begin >= FEW || coverage.cases() > 100)
    results.check(`the truth is inside the promised errors in ${low.toFixed(1)} to ${high.toFixed(1)} % of cases`, inside >= low && inside <= high,
      () => (Number.isNaN(inside) ? "no row says its error" : `it is in ${inside.toFixed(1)} %`));
  coverage.print();
  process.exitCode = results.print() ? 1 : 0;
}

main();
