// SPDX-License-Identifier: GPL-2.0-or-later
// The text of perf script, by the expressions that FlameGraph, speedscope and the
// Firefox Profiler find its parts with.
"use strict";

const fs = require("node:fs");
const { Rows, spellInLines } = require("./rows.js");

const HEAD = /^(\S.+?)\s+(\d+)\/(\d+)\s+\[(\d+)\]\s+(\d+\.\d+):\s+(\d+)\s+(\S+):\s*$/;
const FRAME = /^\s*(\w+)\s*(.+) \((\S*)\)$/;

function samplesIn(text) {
  return text.split("\n\n").slice(0, -1).map((block) => {
    const [first, ...lines] = block.split("\n");
    const head = HEAD.exec(first);
    const frames = lines.map((line) => FRAME.exec(line));
    if (!head || !frames.length || frames.includes(null)) {
      throw new Error(`not a sample of perf script: ${block}`);
    }
    const [, comm, pid, tid, , time, period, event] = head;
    return { comm: comm.trim(), pid, tid, time, period, event, leaf: frames[0][2] };
  });
}

function samplesOf(file) {
  return samplesIn(fs.readFileSync(file, "utf8"));
}

function read(file, type) {
  const ret = new Rows();
  for (const { comm, period, event, leaf } of samplesOf(file)) {
    if (event !== (type === "time" ? "cpu-clock" : type)) {
      throw new Error(`the event is ${event}, not that of ${type}`);
    }
    ret.add(comm.split("/")[0], null, leaf, 0, period);
  }
  return ret;
}

// Times are in order, and a thread has one name and one process.
function checkOrder(samples) {
  const wrong = [];
  const threads = new Map();
  for (const [i, { comm, pid, tid, time }] of samples.entries()) {
    const who = `${pid} ${comm}`;
    if (i && Number(time) < Number(samples[i - 1].time)) {
      wrong.push(`${time} comes behind ${samples[i - 1].time}`);
    }
    if ((threads.get(tid) ?? who) !== who) {
      wrong.push(`thread ${tid} is ${who}, and was ${threads.get(tid)}`);
    }
    threads.set(tid, who);
  }
  return wrong;
}

function check(file) {
  return checkOrder(samplesOf(file));
}

const spell = (name) => spellInLines(name).replaceAll(" ", "_");

module.exports = { needs: [], has: ["domain"], types: false, spell, read, check, samplesIn, checkOrder };
