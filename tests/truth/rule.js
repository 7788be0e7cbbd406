// SPDX-License-Identifier: GPL-2.0-or-later
// Whose time it was, computed from what a session has stored, by the rule that
// reports promise: time is Xen's account of each vCPU, by Xen's own seconds, and
// samples only say where in it.
"use strict";

const { IDLE, OTHER, functionKey, addTo } = require("./session.js");

const CELL = 1e9; // ns

const overlap = (a, b) => Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from));

function cellAt(cells, number) {
  if (!cells.has(number)) cells.set(number, { time: 0, known: 0, ticks: 0, samples: [] });
  return cells.get(number);
}

// A vCPU's running time in a range by the second, each row spread evenly.
function spread(cells, vcpu, range) {
  for (const wait of vcpu.waits) {
    const end = Math.min(wait.to, range.to);
    for (let from = Math.max(wait.from, range.from); from < end; ) {
      const number = Math.floor(from / CELL), to = Math.min(end, (number + 1) * CELL), cell = cellAt(cells, number);
      cell.time += (wait.running * (to - from)) / (wait.to - wait.from);
      cell.known += to - from;
      from = to;
    }
  }
}

// Where no row covers a cell, its samples stand for what they say. How much that
// is in truth is only known to be no more than what is not covered.
function estimate(cells, range) {
  let slack = 0;
  for (const [number, cell] of cells) {
    const length = overlap({ from: number * CELL, to: (number + 1) * CELL }, range);
    const bare = Math.max(0, length - cell.known);
    if (!cell.ticks || bare < 1) continue;
    cell.time += (cell.ticks * bare) / length;
    slack += bare;
  }
  return slack;
}

// A cell without samples gives its time to the nearest one that has some, the
// earlier one of two.
function lend(cells) {
  const known = [...cells.keys()].filter((number) => cells.get(number).ticks).sort((a, b) => a - b);
  for (const [number, cell] of cells) {
    if (cell.ticks || !known.length) continue;
    const nearest = known.reduce((best, other) => (Math.abs(other - number) < Math.abs(best - number) ? other : best));
    cells.get(nearest).time += cell.time;
    cell.time = 0;
  }
}

// Adds to the times of functions, and to what is given in each cell. Returns the
// vCPU's own time, and by how much it may be off.
function shareOut(vcpu, range, times, given) {
  const cells = new Map();
  let time = 0;
  spread(cells, vcpu, range);
  for (const sample of vcpu.samples) {
    if (sample.time < range.from || sample.time >= range.to) continue;
    const cell = cellAt(cells, Math.floor(sample.time / CELL));
    cell.ticks += sample.ticks;
    cell.samples.push(sample);
  }
  const slack = estimate(cells, range);
  for (const [number, cell] of cells) addTo(given, number, cell.time);
  lend(cells);
  for (const cell of cells.values()) {
    time += cell.time;
    if (!cell.ticks) addTo(times, functionKey(vcpu.owner, "-", "-"), cell.time);
    for (const { mode, symbol, ticks } of cell.samples)
      addTo(times, functionKey(vcpu.owner, mode, symbol), (cell.time * ticks) / cell.ticks);
  }
  return { time, slack };
}

// How long pCPUs worked in a range by Xen's account, each row spread evenly.
function workOf(pcpus, range) {
  let work = 0;
  for (const rows of pcpus)
    for (let i = 1; i < rows.length; i++) {
      const from = rows[i - 1], to = rows[i], part = overlap({ from: from.time, to: to.time }, range);
      if (part) work += part * (1 - (to.idle - from.idle) / (to.time - from.time));
    }
  return work;
}

// Work that no vCPU's account has, cell by cell.
function gapOf(pcpus, span, given) {
  let gap = 0;
  for (let number = Math.floor(span.from / CELL); number * CELL < span.to; number++) {
    const cell = { from: Math.max(span.from, number * CELL), to: Math.min(span.to, (number + 1) * CELL) };
    gap += Math.max(0, workOf(pcpus, cell) - (given.get(number) ?? 0));
  }
  return gap;
}

// The times of functions, owners and vCPUs in a range of a session, which is from its
// first item to the last account. slack: by how much they may be off, since no
// account says more.
function recompute({ stored, begin }, range) {
  const pcpus = [...stored.pcpus.values()], last = Math.min(...pcpus.map((rows) => rows.at(-1).time));
  const span = { from: Math.max(range.from, begin), to: Math.min(range.to, last) };
  const wall = pcpus.length * (span.to - span.from);
  const known = pcpus.reduce((sum, rows) => sum + overlap({ from: rows[0].time, to: last }, span), 0);
  const ret = { wall, known, work: 0, functions: new Map(), owners: new Map(), vcpus: new Map(), slack: new Map([[IDLE, wall - known]]) };
  const given = new Map();

  for (const [key, vcpu] of stored.vcpus) {
    const { time, slack } = shareOut(vcpu, span, ret.functions, given);
    ret.vcpus.set(key, time);
    addTo(ret.owners, vcpu.owner, time);
    ret.work += time;
    for (const whose of [key, vcpu.owner, IDLE]) addTo(ret.slack, whose, slack);
  }
  ret.owners.set(IDLE, Math.max(0, wall - ret.work));
  const gap = gapOf(pcpus, span, given);
  for (const whose of [OTHER, IDLE]) addTo(ret.slack, whose, gap);
  return ret;
}

// The running time of a vCPU in a range, as Xen's account says it.
function accountOf(vcpu, range) {
  return vcpu.waits.reduce((sum, wait) => sum + (wait.running * overlap(wait, range)) / (wait.to - wait.from), 0);
}

module.exports = { recompute, accountOf };
