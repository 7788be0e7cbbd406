// SPDX-License-Identifier: GPL-2.0-or-later
// What Firefox Profiler itself, as npm has it for terminals, reads of a profile.
"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { Rows } = require("./rows.js");
const { run } = require("./tools.js");

const PROGRAM = "profiler-cli";
const NS_PER_MS = 1e6;
const STARTS_IN_S = 60; // its own load gives up after half a second

// A name for each: one that ends takes what it left behind under its name with it.
let session = 0;

function ask(...words) {
  return JSON.parse(run(PROGRAM, [...words, "--session", `of-${session}`, "--json"]));
}

// Returns what a question returns, once it does not fail.
function keepAsking(question) {
  for (let i = 0; ; i++) {
    try {
      return question();
    } catch (error) {
      if (i === STARTS_IN_S * 5) {
        throw error;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
}

// Who asks before it says in its folder that it listens has what it listens at removed.
function threads() {
  keepAsking(() => fs.statSync(path.join(process.env.HOME, ".profiler-cli", `of-${session}.json`)));
  return keepAsking(() => ask("thread", "list").threads);
}

function addThread(rows, { threadHandle, processName }) {
  const domain = processName.replace(/ \(\d+\)$/, "");
  for (const { name, selfSamples } of ask("thread", "functions", "--include-idle", "--limit", "0", "--thread", threadHandle).functions) {
    if (selfSamples) {
      rows.add(domain, "-", name, 0, Math.round(selfSamples * NS_PER_MS));
    }
  }
}

function read(file) {
  const ret = new Rows();
  const reader = spawn(PROGRAM, ["--daemon", file, "--session", `of-${++session}`], { stdio: "ignore" });
  try {
    threads().filter((thread) => thread.pid !== "host").forEach((thread) => addThread(ret, thread));
  } finally {
    reader.kill();
  }
  return ret;
}

// It asks for node 24, and runs on 20.
const needs = parseInt(process.versions.node, 10) >= 20 ? [PROGRAM] : ["node-20"];

module.exports = { needs, sessions: ["callgraph", "waits"], has: ["domain"], read };
