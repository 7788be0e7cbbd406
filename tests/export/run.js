// SPDX-License-Identifier: GPL-2.0-or-later
// Each format of --export is read by another program than ours, and has the samples
// and the times that xenopreport --json has; tests/golden/export.sh runs it.
//
//   node run.js XENOPREPORT FORMATS.DEF FOLDER CASES
//
// A format is a row of formats.def and a file format-NAME.js here, with
//
//   needs        programs that read it: it is skipped without them
//   has          what it has of "domain", "mode", "samples" and "lines", beside names
//                and times
//   types        it has samples of all types beside each other
//   read         (file, type) => Rows of what it has of this type
//   spell        (name) => how it spells this name of a domain or function; or left out
//   check        (file, report) => what is wrong with it beside that; or left out
//   again        another program, if there is one, with what it needs, has and reads,
//                of some sessions; it is left out where it does not run
//
// A case is a line SESSION|OPTIONS|TYPE: of the session in FOLDER, as the options
// pick it, what is of this type.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { rowsOfReport } = require("./rows.js");
const { run, have } = require("./tools.js");

const [, , program, formatsDef, folder, cases] = process.argv;
const ROUNDING = 2n; // ns: reports round the time of cells, of which exports have more
let number = 0;
let failed = 0;

function say(ok, what, why) {
  number++;
  failed += ok ? 0 : 1;
  console.log(`${ok ? "ok" : "not ok"} ${number} - ${what}`);
  if (!ok) {
    console.log(String(why).replace(/^/gm, "# "));
  }
}

function formatNames() {
  return [...fs.readFileSync(formatsDef, "utf8").matchAll(/^EXPORT_FORMAT\(\w+, "([^"]+)"\)/gm)].map((row) => row[1]);
}

// Rows that are not the same; an amount of time may be rounded elsewhere.
function differences(ours, theirs, isTime) {
  const lost = [];
  const keys = new Set([...ours.rows.keys(), ...theirs.rows.keys()]);
  const none = { samples: 0n, amount: 0n };
  for (const key of keys) {
    const us = ours.rows.get(key) ?? none;
    const them = theirs.rows.get(key) ?? none;
    const off = us.amount > them.amount ? us.amount - them.amount : them.amount - us.amount;
    if (us.samples !== them.samples || off > (isTime ? ROUNDING : 0n)) {
      lost.push(`${key.replaceAll("\0", " ")}: ours ${us.samples} samples ${us.amount}, theirs ${them.samples} samples ${them.amount}`);
    }
  }
  return lost.sort();
}

// Returns what is not the same in what a program reads of a file.
function read(reader, file, rows, type) {
  const ours = rows.reduced(reader);
  if (!ours.rows.size) {
    return ["the report has no rows"];
  }
  return differences(ours, reader.read(file, type).reduced(reader), type === "time" || type === "waiting");
}

function readersOf(reader, session) {
  const { again } = reader;
  return again && again.sessions.includes(session) && have(again.needs) ? [reader, again] : [reader];
}

function compare(format, reader, { session, options, type }) {
  const place = ["--session", path.join(folder, session), ...options];
  const file = path.join(folder, `${session}.${format}`);
  const asked = reader.types ? [] : [`--event=${type}`];
  const report = run(program, [...place, `--event=${type}`, "--json", "--percent-limit=0", "--sort=domain,mode,symbol,line"]);
  run(program, [...place, ...asked, `--export=${format}:${file}`]);
  const rows = rowsOfReport(report);
  const wrong = readersOf(reader, session).flatMap((one) => read(one, file, rows, type));
  return [...wrong, ...(reader.check?.(file, JSON.parse(report), type) ?? [])].join("\n");
}

function runFormat(format, list) {
  const name = `./format-${format}.js`;
  if (!fs.existsSync(path.join(__dirname, name))) {
    say(false, `export ${format}`, `tests/export/format-${format}.js is missing: it says what reads the format`);
    return;
  }
  const reader = require(name);
  if (!have(reader.needs)) {
    console.log(`ok ${++number} - export ${format} # SKIP needs ${reader.needs.join(", ")}`);
    return;
  }
  for (const one of list) {
    let why;
    try {
      why = compare(format, reader, one);
    } catch (error) {
      why = error.stack;
    }
    say(!why, `export ${format}: ${one.session} ${one.options.join(" ")} ${one.type}`, why);
  }
}

const list = fs.readFileSync(cases, "utf8").split("\n").filter(Boolean).map((line) => {
  const [session, options, type] = line.split("|");
  return { session, options: options.split(" ").filter(Boolean), type };
});
for (const format of formatNames()) {
  runFormat(format, list);
}
console.log(`1..${number}`);
process.exitCode = failed ? 1 : 0;
