// SPDX-License-Identifier: GPL-2.0-or-later
// Firefox Profiler's processed format, by the rules of version 60 of it.
"use strict";

const fs = require("node:fs");
const { Rows, checkCount } = require("./rows.js");

const NS_PER_MS = 1e6;
const MODES = { Xen: "xen", Kernel: "kernel", User: "user" };

// A frame of the profiler's own has its mode as a subcategory.
function modeOf(meta, { category, subcategory }, frame) {
  const { name, subcategories } = meta.categories[category[frame]];
  return MODES[name] ?? MODES[subcategories[subcategory[frame]]] ?? "-";
}

function nameOf({ stringArray, funcTable, frameTable }, frame) {
  return stringArray[funcTable.name[frameTable.func[frame]]];
}

function lineOf({ stringArray, funcTable, frameTable, sources }, frame) {
  const source = funcTable.source[frameTable.func[frame]];
  const line = frameTable.line[frame];
  return line === null ? undefined : `${stringArray[sources.filename[source]]}:${line}`;
}

// "web (1)"; "other".
function domainOf(name) {
  return name.replace(/ \(\d+\)$/, "");
}

function add(rows, profile, thread) {
  const { shared, meta } = profile;
  const { stack, weight, weightType } = thread.samples;
  const unit = weightType === "tracing-ms" ? NS_PER_MS : 1;
  for (let i = 0; i < stack.length; i++) {
    const frame = shared.stackTable.frame[stack[i]];
    const name = nameOf(shared, frame);
    rows.add(domainOf(thread.processName), modeOf(meta, shared.frameTable, frame), name,
      0, Math.round(weight[i] * unit), lineOf(shared, frame));
  }
}

function read(file) {
  const profile = JSON.parse(fs.readFileSync(file, "utf8"));
  const ret = new Rows();
  for (const thread of profile.threads) {
    if (thread.pid !== "host") {
      add(ret, profile, thread);
    }
  }
  return ret;
}

// The columns of a table have its length, and what they name is there.
function checkTable(what, table, indexes) {
  const wrong = [];
  for (const [key, column] of Object.entries(table)) {
    if (Array.isArray(column) && column.length !== table.length) {
      wrong.push(`${what}.${key} has ${column.length} of ${table.length}`);
    }
  }
  for (const [key, end, allowed] of indexes) {
    const bad = table[key].find((value) => value !== allowed && !(Number.isInteger(value) && value >= 0 && value < end));
    if (bad !== undefined) {
      wrong.push(`${what}.${key} has ${bad}, and there are ${end}`);
    }
  }
  return wrong;
}

function checkShared({ shared, meta }) {
  const { stackTable, frameTable, funcTable, resourceTable, sources, stringArray } = shared;
  const wrong = [
    ...checkTable("stackTable", stackTable, [["frame", frameTable.length], ["prefix", stackTable.length, null]]),
    ...checkTable("frameTable", frameTable, [["func", funcTable.length], ["category", meta.categories.length]]),
    ...checkTable("funcTable", funcTable, [["name", stringArray.length], ["resource", resourceTable.length, -1], ["source", sources.length, null]]),
    ...checkTable("resourceTable", resourceTable, [["name", stringArray.length]]),
    ...checkTable("nativeSymbols", shared.nativeSymbols, []),
    ...checkTable("sources", sources, [["filename", stringArray.length]]),
  ];
  if (stackTable.prefix.some((prefix, i) => prefix !== null && prefix >= i)) {
    wrong.push("a caller comes behind what it called");
  }
  return wrong;
}

function checkThread(thread, shared, { categories, profilingEndTime }) {
  const { samples, markers, name } = thread;
  const wrong = [
    ...checkTable(`${name} samples`, samples, [["stack", shared.stackTable.length]]),
    ...checkTable(`${name} markers`, markers, [["name", shared.stringArray.length], ["category", categories.length]]),
  ];
  if (samples.time.at(-1) >= profilingEndTime) {
    wrong.push(`${name}: a sample at ${samples.time.at(-1)} is not shown, the end is ${profilingEndTime}`);
  }
  if (thread.pid !== "host" && !name.startsWith(domainOf(thread.processName))) {
    wrong.push(`thread ${name} does not say that it is of ${thread.processName}: no other name of it is shown`);
  }
  if (samples.time.some((time, i) => !(time >= 0) || (i && time < samples.time[i - 1]))) {
    wrong.push(`${name}: samples are not in the order of time`);
  }
  return wrong;
}

function checkCounters({ counters, threads }) {
  const wrong = [];
  for (const { name, pid, mainThreadIndex, samples } of counters) {
    if (threads[mainThreadIndex]?.pid !== pid) {
      wrong.push(`counter ${name} is of process ${pid}, and its thread is not`);
    }
    if (samples.time.length !== samples.length || samples.count.length !== samples.length) {
      wrong.push(`counter ${name}: ${samples.length} of ${samples.time.length}, ${samples.count.length}`);
    }
    if (samples.count[0] !== 0) {
      wrong.push(`counter ${name} begins with a value, and nothing says of which time`);
    }
    if (samples.time.some((time, i) => i && time <= samples.time[i - 1])) {
      wrong.push(`counter ${name} is not in the order of time`);
    }
  }
  return wrong;
}

// Markers have times inside the profile, and a form; losses add up to what is lost.
function checkMarkers({ meta, shared, threads }, report) {
  const { markers } = threads.find((thread) => thread.pid === "host");
  const forms = meta.markerSchema.map((schema) => schema.name);
  const [begin, end] = [meta.profilingStartTime, meta.profilingEndTime];
  const wrong = [];
  let lost = 0;
  markers.name.forEach((name, i) => {
    const [from, to] = [markers.startTime[i], markers.endTime[i] ?? markers.startTime[i]];
    if (!(from >= begin && from <= to && to <= end) || !forms.includes(markers.data[i].type)) {
      wrong.push(`a marker ${shared.stringArray[name]} from ${from} to ${to} of ${begin} to ${end}`);
    }
    lost += shared.stringArray[name] === "Lost" ? parseInt(markers.data[i].text, 10) : 0;
  });
  if (lost > report.session.lost) {
    wrong.push(`markers say that ${lost} samples were lost`);
  }
  return wrong;
}

function total(threads) {
  return threads.flatMap((thread) => thread.samples.weight).reduce((sum, weight) => sum + BigInt(Math.round(weight * NS_PER_MS)), 0n);
}

function check(file, report) {
  const profile = JSON.parse(fs.readFileSync(file, "utf8"));
  const { meta, shared, threads } = profile;
  const wrong = [
    ...checkShared(profile),
    ...checkCounters(profile),
    ...checkMarkers(profile, report),
    ...threads.flatMap((thread) => checkThread(thread, shared, meta)),
  ];
  const named = threads.filter((thread) => thread.pid !== "host").flatMap((thread) => thread.samples.stack)
    .filter((stack) => nameOf(shared, shared.stackTable.frame[stack]) !== "[not sampled]");
  wrong.push(...checkCount(report, named.length));
  const host = threads.filter((thread) => thread.pid === "host");
  if (total(host) * 2n !== total(threads)) {
    wrong.push("pCPUs have not the samples that vCPUs have");
  }
  if (new Set(threads.map((thread) => thread.tid)).size !== threads.length) {
    wrong.push("two threads have one tid");
  }
  if (!JSON.stringify(meta.extra).includes(` ${report.session.lost} lost`)) {
    wrong.push("it is not said what was lost");
  }
  return wrong;
}

module.exports = { needs: [], has: ["domain", "mode", "lines"], types: false, read, check, again: require("./firefox-profiler.js") };
