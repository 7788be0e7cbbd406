// SPDX-License-Identifier: GPL-2.0-or-later
// What --json and --waits say, beside the rule and Xen's account.
"use strict";

const { IDLE, OTHER, ownerOf, ownerOfRow, functionKey, addTo } = require("./session.js");
const { recompute, accountOf } = require("./rule.js");

const POINTS = 0.1; // by which a share of a domain or vCPU may be off
const FUNCTION_POINTS = 0.02;
const TRUE_POINTS = 0.2;
const ON_EACH = 20; // samples of a pCPU from which on its time must be right
const SAME = 1e-4; // the part by which accounts differ that were read at two moments

function sumBy(rows, keyOf, value = (row) => row.time_ns) {
  const sums = new Map();
  for (const row of rows) addTo(sums, keyOf(row), value(row));
  return sums;
}

function functionOfRow(row) {
  return functionKey(ownerOfRow(row), row.symbol === null ? "-" : row.mode, row.symbol ?? "-");
}

const total = (rows) => rows.reduce((sum, row) => sum + row.time_ns, 0);

// Each of two maps has what the other has, as parts of all pCPU time; slackOf says
// by how many ns more a key may be off.
function compareShares(results, name, got, wanted, wall, limit, slackOf = () => 0) {
  for (const key of new Set([...got.keys(), ...wanted.keys()]))
    results.near(name, (100 * (got.get(key) ?? 0)) / wall, (100 * (wanted.get(key) ?? 0)) / wall, limit, key, (100 * slackOf(key)) / wall);
}

// Sums of one report.
function checkSums(results, object, whole) {
  const { rows, selected, session, hidden } = object, wall = session.pcpu_time_ns;
  results.near("times of rows add up to all pCPU time, to the ns", total(rows), wall, 0, "sum");
  results.near("times of rows add up to what is selected, to the ns", selected.time_ns, wall, 0, "selected");
  results.check("nothing is hidden", hidden.rows === 0, () => JSON.stringify(hidden));
  if (whole) results.near("samples of rows are those that were read", rows.reduce((sum, row) => sum + row.samples, 0), session.read, 0, "samples");
  for (const [owner, time] of sumBy(rows, ownerOfRow))
    results.check("no share is below 0 or above 100 %", time >= 0 && time <= wall, () => `${owner}: ${time} of ${wall}`);
}

const isVcpus = (row) => row.domain >= 0 && ownerOfRow(row) !== IDLE;
const vcpuOfRow = (row) => `${ownerOfRow(row)} vCPU ${row.vcpu}`;

// A vCPU has Xen's time, and no more than the time that passed.
function checkVcpus(results, session, range, computed) {
  const { rows, session: about } = session.json("--sort=vcpu,pcpu", ...session.options(range));
  const wall = about.pcpu_time_ns, each = computed.wall / session.stored.pcpus.size;
  const got = sumBy(rows.filter(isVcpus), vcpuOfRow), wanted = new Map(), slack = new Map();
  for (const [key, time] of computed.vcpus) {
    const { owner } = session.stored.vcpus.get(key), name = `${owner} vCPU ${key.split(".")[1]}`;
    if (owner === OTHER) continue;
    addTo(wanted, name, time);
    addTo(slack, name, computed.slack.get(key));
  }
  compareShares(results, "vCPUs have Xen's time, within 0.1 points", got, wanted, wall, POINTS, (key) => slack.get(key) ?? 0);
  for (const [vcpu, time] of got)
    results.check("no vCPU has more than the time that passed", time <= each * 1.0001 + 2, () => `${vcpu}: ${time} of ${each}`);
  // Which pCPU a vCPU ran on is only known where it was sampled; and rows of vCPUs,
  // spread evenly, may say that all pCPUs together ran for longer than there was time.
  const { size } = session.stored.pcpus, more = computed.wall - computed.known;
  if (rows.reduce((sum, row) => sum + row.samples, 0) < ON_EACH * size || computed.work > computed.known) return;
  for (const [pcpu, time] of sumBy(rows, (row) => row.pcpu))
    results.near("a pCPU has the time that passed, within 0.1 % of it", (100 * time) / each, 100, POINTS, "pCPU " + pcpu, (100 * more) / computed.wall);
}

// Xen's account, as --waits shows it; where it has nothing, it says so.
function checkWaits(results, session, range, span) {
  const vcpus = [...session.stored.vcpus.values()];
  if (!vcpus.some((vcpu) => vcpu.waits.some((wait) => wait.from < span.to && wait.to > span.from))) return;
  const object = session.json("--waits", ...session.options(range)), wall = session.json(...session.options(range)).session.pcpu_time_ns;
  const got = new Map(), wanted = new Map();
  for (const domain of object.domains) addTo(got, domain.domain + " " + domain.domain_name, domain.running_ns);
  for (const [key, vcpu] of session.stored.vcpus) {
    const domain = session.truth.domains[key.split(".")[0]];
    addTo(wanted, domain.number + " " + domain.name, accountOf(vcpu, span));
  }
  compareShares(results, "--waits has Xen's account", got, wanted, wall, 1e-4);
}

function spanOf(session, range) {
  return range ? session.truth.ranges[range] : { from: 0, to: Infinity };
}

// What is known of all of a session is what was: Xen's account has all but the first
// and last moments of who is there all the time. The truth is of the time from the
// first row of pCPUs on; before: how much there is before that.
function checkTruth(results, session, object, before) {
  const { truth } = session, wanted = new Map();
  if (["open", "births", "hotplug"].some((word) => truth.words.includes(word)) || truth.facts.loss === "starved") return;
  for (const [key, time] of truth.ranges[0].vcpus) addTo(wanted, ownerOf(truth, key.split(".")[0]), time);
  const got = sumBy(object.rows.filter((row) => ownerOfRow(row) !== IDLE), ownerOfRow);
  compareShares(results, "domains of a whole session have the time that they truly had, within 0.2 points", got, wanted, object.session.pcpu_time_ns, TRUE_POINTS, () => before);
}

// all: also vCPUs, pCPUs and --waits.
function checkRange(results, session, range, all) {
  const object = session.json(...session.options(range)), span = spanOf(session, range);
  const wall = object.session.pcpu_time_ns, computed = recompute(session, span);
  const slackOf = (key) => computed.slack.get(key.split("|")[0]) ?? 0;

  checkSums(results, object, !range);
  // Before the first row of pCPUs a session has some milliseconds; and rows of vCPUs,
  // spread evenly, may say a little more than passed.
  const most = Math.max(computed.wall, computed.work) * (1 + SAME);
  results.check("pCPU time is the time that passed on all of them", wall >= computed.known * (1 - SAME) && wall <= most,
    () => `${wall}, not ${computed.known} to ${most}`);
  compareShares(results, "domains have Xen's time, within 0.1 points", sumBy(object.rows, ownerOfRow), computed.owners, wall, POINTS, slackOf);
  compareShares(results, "functions have their part of Xen's time", sumBy(object.rows.filter((row) => ownerOfRow(row) !== IDLE), functionOfRow),
    computed.functions, wall, FUNCTION_POINTS, slackOf);
  if (!range) checkTruth(results, session, object, computed.wall - computed.known);
  if (!all) return;
  checkVcpus(results, session, range, computed);
  checkWaits(results, session, range, span);
}

// What is cut in two at one of Xen's seconds adds up to the whole.
function checkParts(results, session) {
  const whole = session.json(), { begin } = session, wall = whole.session.pcpu_time_ns;
  const middle = Math.floor((begin + whole.session.duration_ns / 2) / 1e9) * 1e9, at = ((middle - begin) / 1e9).toFixed(9);
  const parts = [`..${at}`, `${at}..`].map((range) => session.json("--filter=time=" + range));
  const computed = [[0, Infinity], [0, middle], [middle, Infinity]].map(([from, to]) => recompute(session, { from, to }));
  const slackOf = (key) => computed.reduce((sum, { slack }) => sum + (slack.get(key) ?? 0), 0);
  const more = computed.reduce((sum, part) => sum + Math.max(0, part.work - part.known), 0); // than passed, say rows of vCPUs
  const got = sumBy(parts.flatMap((part) => part.rows), ownerOfRow);
  const sum = parts[0].session.pcpu_time_ns + parts[1].session.pcpu_time_ns;
  results.near("two parts of a session have all of its pCPU time", sum, wall, wall * (POINTS / 100) + more, "ns");
  compareShares(results, "domains have in two parts of a session what they have in all of it", got, sumBy(whole.rows, ownerOfRow), wall, 100 * SAME, slackOf);
}

// --last=TIME is a range as any other.
function checkLast(results, session) {
  const { xen_start_ns: start, duration_ns: length } = session.json().session;
  const seconds = Math.max(1, Math.floor(length / 2e9)), from = ((length / 1e9) - seconds).toFixed(9);
  const last = session.json(`--last=${seconds}s`), range = session.json(`--filter=time=${from}..`);
  results.near("--last is a range", last.selected.time_ns, range.selected.time_ns, 2000, `from ${start}`);
  compareShares(results, "--last has the shares of that range", sumBy(last.rows, functionOfRow), sumBy(range.rows, functionOfRow), range.session.pcpu_time_ns, 1e-3);
}

module.exports = { checkRange, checkParts, checkLast, checkSums, compareShares, sumBy, functionOfRow };
