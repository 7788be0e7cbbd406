// SPDX-License-Identifier: GPL-2.0-or-later
// perf.data, as perf script and perf report print it, which are asked for no name
// that the file does not have.
"use strict";

const { run } = require("./tools.js");
const { Rows, spellInLines } = require("./rows.js");
const text = require("./format-perf-script.js");

const FIELDS = "comm,pid,tid,cpu,time,period,event,ip,sym,dso";

function eventOf(type) {
  return type === "time" ? "cpu-clock" : type;
}

function samplesOf(file) {
  // Behind a name of one letter it puts one blank, which is not enough for importers.
  const printed = run("perf", ["script", "-f", "-i", file, "--ns", "-F", FIELDS]);
  return text.samplesIn(printed.replace(/^(\S) (?=\d)/gm, "$1  "));
}

function read(file, type) {
  const ret = new Rows();
  for (const { comm, period, event, leaf } of samplesOf(file)) {
    if (event === eventOf(type)) {
      ret.add(comm.split("/")[0], null, leaf, 0, period);
    }
  }
  return ret;
}

// What perf script adds up to is what perf report says of each command and function.
function checkReport(file) {
  const sums = new Map();
  for (const { comm, period, event, leaf } of samplesOf(file)) {
    const key = [event, comm, leaf].join("\t");
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(period));
  }
  const said = new Map();
  let event = "";
  const report = run("perf", ["report", "-f", "-i", file, "--stdio", "-g", "none", "--no-children", "-F", "period,comm,sym", "-t", "\t"]);
  for (const line of report.split("\n")) {
    event = /^# Samples: .* of event '(.*)'/.exec(line)?.[1] ?? event;
    const row = /^ *(\d+) *\t(.*?) *\t\[k\] (.*?) *$/.exec(line);
    if (row && row[1] !== "0") {
      const key = [event, row[2], row[3]].join("\t");
      said.set(key, (said.get(key) ?? 0n) + BigInt(row[1]));
    }
  }
  const wrong = [];
  for (const key of new Set([...sums.keys(), ...said.keys()])) {
    if ((sums.get(key) ?? 0n) !== (said.get(key) ?? 0n)) {
      wrong.push(`perf report has ${said.get(key)} of ${key}, perf script ${sums.get(key)}`);
    }
  }
  return said.size ? wrong : [`perf report has no rows: ${report}`];
}

// The first sample is at UTC, if the session knows that, and Xen has its build-id.
function checkFeatures(file, { session, rows }) {
  const wrong = [];
  const ids = run("perf", ["buildid-list", "-f", "-i", file]);
  if (session.xen_build_id && rows.some(({ image }) => image === "xen") && !ids.includes(`${session.xen_build_id} [xen]`)) {
    wrong.push(`perf buildid-list says ${ids}, and not ${session.xen_build_id}`);
  }
  if (session.start === null) {
    return wrong;
  }
  const [, date, time, seconds] = /(\S+) (\S+) +(\d+\.\d{6})/.exec(run("perf", ["script", "-f", "-i", file, "-F", "time,tod"]));
  const utc = Date.parse(`${date}T${time}Z`) - Date.parse(session.start);
  const ran = Number(seconds) * 1000 - session.xen_start_ns / 1e6;
  if (Math.abs(utc - ran) > 1) {
    wrong.push(`a sample of ${ran} ms is at ${date} ${time}`);
  }
  return wrong;
}

// Names come with the time of the sample that first needs them: hotspot takes records
// that are older than what it has read for the begin of all.
function checkNames(file) {
  const printed = run("perf", ["script", "-f", "-i", file, "--show-bpf-events", "--show-task-events", "--ns", "-F", "time"]);
  const first = Number(/^ *(\d+\.\d+): *$/m.exec(printed)?.[1]);
  const names = [...printed.matchAll(/(\d+\.\d+): PERF_RECORD_(?:COMM|KSYMBOL)/g)].map((match) => Number(match[1]));
  const early = names.filter((time) => !(time >= first));
  return names.length && !early.length ? [] : [`of ${names.length} names ${early.length} are before the first sample, at ${first}`];
}

function check(file, report) {
  return [...text.checkOrder(samplesOf(file)), ...checkReport(file), ...checkFeatures(file, report), ...checkNames(file)];
}

// A symbol's name has at most 255 bytes.
const spell = (name) => Buffer.from(text.spell(name)).subarray(0, 255).toString();

module.exports = { needs: ["perf"], has: ["domain"], types: true, spell, read, check };
