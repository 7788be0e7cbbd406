// SPDX-License-Identifier: GPL-2.0-or-later
// A made session: its truth, what is stored in it, and what xenopreport says.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { spawnSync } = require("node:child_process");

const ROOM = 1 << 28; // bytes of a report

function run(program, args) {
  const done = spawnSync(program, args, { encoding: "utf8", maxBuffer: ROOM });
  if (done.error) throw done.error;
  if (done.status !== 0) throw new Error(`${program} ${args.join(" ")}: status ${done.status ?? done.signal}\n${done.stderr}`);
  return done.stdout;
}

function linesOf(file) {
  return fs.readFileSync(file, "utf8").trimEnd().split("\n").map((line) => line.split(" "));
}

// The lines of FOLDER/truth; make-truth.c says what they are.
function readTruth(file) {
  const truth = { words: [], facts: {}, ranges: [], domains: [] };
  const takers = {
    scenario(words) {
      truth.words = words.filter((word) => !word.includes("="));
      truth.facts = Object.fromEntries(words.filter((word) => word.includes("=")).map((word) => word.split("=")));
    },
    range([range, from, to]) {
      truth.ranges[range] = { from: Number(from), to: Number(to), vcpus: new Map(), functions: new Map(), nothing: 0 };
    },
    domain([domain, number, kind, ...name]) {
      truth.domains[domain] = { number: Number(number), other: kind === "other", name: name.join(" ") };
    },
    vcpu([range, domain, vcpu, ns]) {
      truth.ranges[range].vcpus.set(domain + "." + vcpu, Number(ns));
    },
    function([range, domain, mode, symbol, ns]) {
      const { functions } = truth.ranges[range], key = functionKey(ownerOf(truth, domain), mode, symbol);
      functions.set(key, (functions.get(key) ?? 0) + Number(ns));
    },
    nothing([range, ns]) {
      truth.ranges[range].nothing += Number(ns);
    },
  };
  for (const [word, ...rest] of linesOf(file)) takers[word](rest);
  return truth;
}

const IDLE = "32767 idle", OTHER = "-1 other";

// How a domain of the truth, or of a row, is called here.
function ownerOf(truth, domain) {
  if (Number(domain) === -1) return IDLE;
  const { number, name, other } = truth.domains[domain];
  return other ? OTHER : number + " " + name;
}
function ownerOfRow(row) {
  return row.domain + " " + row.domain_name;
}
function functionKey(owner, mode, symbol) {
  return owner === OTHER ? OTHER : [owner, mode, symbol].join("|");
}

// The lines of FOLDER/stored: by vCPU its waits and samples, by pCPU its idle
// times, and the samples of idle vCPUs.
function readStored(file, truth) {
  const stored = { vcpus: new Map(), pcpus: new Map(), idle: [] };
  const vcpuOf = (domain, vcpu) => {
    const key = domain + "." + vcpu;
    if (!stored.vcpus.has(key)) stored.vcpus.set(key, { owner: ownerOf(truth, domain), waits: [], samples: [] });
    return stored.vcpus.get(key);
  };
  for (const [word, ...rest] of linesOf(file)) {
    if (word === "idle") {
      const [time, pcpu, idle] = rest.map(Number);
      if (!stored.pcpus.has(pcpu)) stored.pcpus.set(pcpu, []);
      stored.pcpus.get(pcpu).push({ time, idle });
    } else if (word === "wait") {
      const [time, domain, vcpu, span, running] = rest.map(Number);
      vcpuOf(domain, vcpu).waits.push({ from: time - span, to: time, running });
    } else {
      const [time, domain, vcpu, , mode, symbol, weight, period] = rest;
      const sample = { time: Number(time), mode, symbol, ticks: weight * period };
      if (domain === "-1") stored.idle.push(sample);
      else vcpuOf(domain, vcpu).samples.push(sample);
    }
  }
  return stored;
}

class Session {
  constructor(programs, seed, folder) {
    this.seed = seed;
    this.folder = path.join(folder, String(seed));
    this.report = programs.report;
    run(programs.make, [String(seed), this.folder]);
    this.truth = readTruth(path.join(this.folder, "truth"));
    this.stored = readStored(path.join(this.folder, "stored"), this.truth);
    this.objects = new Map();
  }

  remove() {
    fs.rmSync(this.folder, { recursive: true });
  }

  text(...args) {
    return run(this.report, ["--session=" + path.join(this.folder, "session") + "/", ...args]);
  }

  // The object of a report, made once.
  json(...args) {
    const key = args.join(" ");
    if (!this.objects.has(key)) this.objects.set(key, JSON.parse(this.text("--json", ...args)));
    return this.objects.get(key);
  }

  // Xen's time of its first item.
  get begin() {
    return this.json().session.xen_start_ns;
  }

  // The options that show a range of the truth; 0 is all of the session.
  options(range) {
    if (!range) return [];
    const { from, to } = this.truth.ranges[range], seconds = (time) => ((time - this.begin) / 1e9).toFixed(3);
    return [`--filter=time=${seconds(from)}..${seconds(to)}`];
  }
}

function addTo(map, key, value) {
  map.set(key, (map.get(key) ?? 0) + value);
}

module.exports = { Session, IDLE, OTHER, ownerOf, ownerOfRow, functionKey, addTo };
