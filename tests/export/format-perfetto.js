// SPDX-License-Identifier: GPL-2.0-or-later
// Perfetto's trace, decoded by its public field numbers (protos/perfetto/trace).
"use strict";

const fs = require("node:fs");
const { Rows, checkCount } = require("./rows.js");
const { decode } = require("./protobuf.js");

const MODES = { 3: "xen", 4: "kernel", 5: "user" };

const INTERNED = {
  5: ["names", { 1: ["id", "number"], 2: ["text", "text"] }],
  6: ["frames", { 1: ["id", "number"], 2: ["name", "number"], 3: ["mapping", "number"], 5: ["source", "number"], 6: ["line", "number"] }],
  7: ["stacks", { 1: ["id", "number"], 2: ["frames", "numbers"] }],
  17: ["paths", { 1: ["id", "number"], 2: ["text", "text"] }],
  18: ["sources", { 1: ["id", "number"], 2: ["text", "text"] }],
  19: ["mappings", { 1: ["id", "number"], 7: ["paths", "numbers"] }],
};
const PACKET = {
  6: ["clocks", {}],
  8: ["time", "number"],
  10: ["sequence", "number"],
  11: ["event", { 9: ["type", "number"], 11: ["track", "number"], 23: ["name", "text"], 30: ["value", "number"] }],
  12: ["interned", INTERNED],
  13: ["flags", "number"],
  60: ["track", {
    1: ["id", "number"],
    2: ["name", "text"],
    3: ["process", { 1: ["pid", "number"], 6: ["name", "text"] }],
    4: ["thread", { 1: ["pid", "number"], 2: ["tid", "number"], 5: ["name", "text"] }],
    5: ["parent", "number"],
  }],
  66: ["sample", {
    1: ["cpu", "number"],
    2: ["pid", "number"],
    3: ["tid", "number"],
    4: ["stack", "number"],
    5: ["mode", "number"],
    6: ["count", "number"],
  }],
};

class Trace {
  constructor(file) {
    this.packets = decode(fs.readFileSync(file), { 1: ["packets", PACKET] }).packets;
    this.interned = new Map();
    this.processes = new Map();
    this.threads = new Map();
    this.tracks = new Map();
    this.wrong = [];
  }

  // As a reader goes through it: what is named was said before.
  each(take) {
    this.packets.forEach((packet, i) => {
      if (packet.sequence?.[0] !== 1n || packet.flags?.[0] !== (i ? 2n : 1n)) {
        this.wrong.push(`packet ${i}: sequence ${packet.sequence}, flags ${packet.flags}`);
      }
      this.note(packet);
      take(packet);
    });
  }

  note({ interned, track }) {
    for (const [kind, values] of Object.entries(interned?.[0] ?? {})) {
      for (const value of values) {
        this.interned.set(`${kind} ${value.id[0]}`, value);
      }
    }
    for (const one of track ?? []) {
      this.tracks.set(one.id[0], one);
      if (one.process) {
        this.processes.set(one.process[0].pid[0], one.process[0].name[0]);
      }
      if (one.thread) {
        this.threads.set(one.thread[0].tid[0], one.thread[0]);
      }
    }
  }

  get(kind, id) {
    const found = this.interned.get(`${kind} ${id}`);
    if (!found) {
      throw new Error(`there is no ${kind} ${id}`);
    }
    return found;
  }

  // The function at the end of a stack; all of its frames must be there.
  leaf(stack) {
    const functions = this.get("stacks", stack).frames.map((id) => {
      const frame = this.get("frames", id);
      this.get("mappings", frame.mapping[0]).paths?.forEach((path) => this.get("paths", path));
      const source = frame.source && this.get("sources", frame.source[0]).text[0];
      return { name: this.get("names", frame.name[0]).text[0], line: frame.line && `${source}:${frame.line[0]}` };
    });
    return functions.at(-1);
  }
}

// "web (1)"; "other".
function domainOf(name) {
  return name.replace(/ \(\d+\)$/, "");
}

// What a sample stands for is how far its pCPU's counter went.
function read(file) {
  const trace = new Trace(file);
  const counts = new Map();
  const ret = new Rows();
  trace.each(({ sample }) => {
    if (sample) {
      const [{ cpu, pid, tid, stack, mode, count }] = sample;
      const key = String(cpu);
      const { name, line } = trace.leaf(stack[0]);
      if (trace.threads.get(tid[0])?.pid[0] !== pid[0]) {
        throw new Error(`thread ${tid} is not of process ${pid}`);
      }
      ret.add(domainOf(trace.processes.get(pid[0])), MODES[mode?.[0]], name, 0,
        count[0] - (counts.get(key) ?? 0n), line);
      counts.set(key, count[0]);
    }
  });
  return ret;
}

// Slices of a track begin and end in turn, and do not overlap.
function check(file, report) {
  const trace = new Trace(file);
  const open = new Map();
  const wrong = trace.wrong;
  let count = 0;
  trace.each(({ event, time, sample }) => {
    count += sample && trace.leaf(sample[0].stack[0]).name !== "[not sampled]" ? 1 : 0;
    const [{ type, track } = {}] = event ?? [];
    if (!event || type[0] > 2n) {
      return;
    }
    const before = open.get(track[0]) ?? { begun: false, time: 0n };
    const begins = type[0] === 1n;
    if (!trace.tracks.has(track[0]) || before.begun === begins || time[0] < before.time) {
      wrong.push(`an event ${type} of track ${track} at ${time} after one at ${before.time}`);
    }
    open.set(track[0], { begun: begins, time: time[0] });
  });
  if ([...open.values()].some(({ begun }) => begun)) {
    wrong.push("a slice does not end");
  }
  return [...wrong, ...checkCount(report, count)];
}

module.exports = { needs: [], has: ["domain", "mode", "lines"], types: false, read, check };
