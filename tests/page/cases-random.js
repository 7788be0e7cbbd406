// SPDX-License-Identifier: GPL-2.0-or-later
// A hundred selections of the session of selection-session.js, of time, domains, vCPUs,
// modes, processes, reasons and a function: what each panel says is what xenopreport
// says to the command that the page copies, and what is reckoned here from the session's
// text alone.
"use strict";

const { spawn } = require("node:child_process");
const path = require("node:path");
const { waitsOf, same } = require("./cases-follow.js");
const session = require("./selection-session.js");
const { assert } = require("./tap.js");

const SEED = 7, COUNT = 100;
const DIGITS = 0.0061; // percent, that are not shown
// Why Xen ran in a kind of sample: words and short name, of --why.
const REASONS = ["hypercall iret: a PV guest's kernel returns to a process", "hypercall mmu_update: page tables of a PV guest",
                 "scheduler: which vCPU runs next", "privileged instruction of a PV guest, emulated", "interrupts"];
const COMMS = ["not known", ...session.THREADS.slice(1).map((thread) => thread.split(":")[2])];
const domainName = (domain) => session.DOMAINS[domain].split(" ")[1] + " (" + domain + ")";
const nameOf = (frame) => frame.split(" ")[1];

// Some of a list, or null: all.
function some(list, random) {
  const chosen = random() < 0.5 ? [] : list.filter(() => random() < 0.6);
  return chosen.length && chosen.length < list.length ? chosen : null;
}

function choose(random) {
  const pick = (list) => list[Math.floor(random() * list.length)], from = Math.floor(random() * session.SECONDS);
  return {
    time: random() < 0.7 ? [from, from + 1 + Math.floor(random() * (session.SECONDS - from))] : null,
    domains: some([0, 1, 2, 3], random),
    off: random() < 0.4 ? [pick(session.VCPUS)] : [],
    modes: some(["x", "k", "u"], random),
    comm: random() < 0.3 ? pick([1, 2, 3]) : null,
    reasons: random() < 0.3 ? some([0, 1, 2, 3, 4], random) : null,
    frame: random() < 0.5 ? pick(["x do_IRQ", "x lstar_enter", "k vfs_read", "k _raw_spin_lock", "u compute", "u main"]) : null,
  };
}

// The link that selects it.
function linkOf({ time, domains, off, modes, comm, reasons, frame }) {
  const words = new URLSearchParams(), names = { x: "Xen", k: "kernel", u: "user" };
  (domains ?? []).forEach((domain) => words.append("domain", domainName(domain)));
  off.forEach(([domain, vcpu]) => words.append("no-vcpu", domainName(domain) + "/" + vcpu));
  (modes ?? []).forEach((mode) => words.append("mode", names[mode]));
  (reasons ?? []).forEach((reason) => words.append("reason", REASONS[reason]));
  if (comm)
    words.append("comm", COMMS[comm]);
  if (time)
    words.append("time", time.join(".."));
  if (frame)
    words.append("function", { x: "xen:", k: "kernel:", u: "user:/usr/bin/tool0:" }[frame[0]] + nameOf(frame));
  return words.toString();
}

// Samples of what is selected, whatever reasons are.
function takenOf({ time, domains, off, modes, comm }, samples) {
  return samples.filter((one) => (!time || (one.second >= time[0] && one.second < time[1])) && (!domains || domains.includes(one.domain)) &&
    !off.some(([domain, vcpu]) => domain === one.domain && vcpu === one.vcpu) &&
    (!modes || modes.includes(session.KINDS[one.kind][0][0])) && (!comm || one.thread === comm));
}

const isXen = ({ kind }) => session.KINDS[kind][0][0] === "x";

// What the panels should say, in percent of the selected time of all pCPUs.
function reckon(wanted, samples) {
  const [from, to] = wanted.time ?? [0, session.SECONDS], all = session.PCPUS * (to - from);
  const wide = takenOf(wanted, samples), own = new Map(), total = new Map(), callers = new Map(), callees = new Map(), why = new Map();
  const add = (map, key, time) => map.set(key, (map.get(key) ?? 0) + 100 * time / all);
  const rows = wide.filter((one) => !wanted.reasons || (isXen(one) && wanted.reasons.includes(one.kind)));
  const label = (frame, domain) => frame + (frame[0] === "u" ? domain : ""); // each domain's program is another image
  wide.filter(isXen).forEach(({ kind, count, time }) => add(why, REASONS[kind], count * time));
  for (const { kind, domain, count, time } of rows) {
    const stack = session.KINDS[kind].map((frame) => label(frame, domain)), much = count * time;
    const at = wanted.frame ? stack.lastIndexOf(label(wanted.frame, 0)) : -1;
    add(own, stack[0], much);
    new Set(stack).forEach((frame) => add(total, frame, much));
    if (at < 0)
      continue;
    add(callers, stack[at + 1] ?? domainName(domain), much);
    const inner = stack.indexOf(stack[at]);
    add(callees, inner === 0 ? stack[at] : stack[inner - 1], much);
  }
  return { own, total, callers, callees, why, samples: rows.reduce((sum, { count }) => sum + count, 0),
           times: rows.reduce((sum, { count, time }) => sum + 100 * count * time / all, 0) };
}

// Follows a link without opening the page anew, and reads what its panels say.
function follow(link) {
  const texts = (selector) => Array.from(document.querySelectorAll(selector));
  const cells = (id) => texts("#" + id + " tbody tr[data-frame], #" + id + " tbody tr").filter((row) => row.cells.length > 1)
    .map((row) => Array.from(row.cells, (cell) => cell.textContent));
  window.copied = null;
  history.replaceState(null, "", "#" + link);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "y", bubbles: true }));
  return new Promise((resolve) => {
    const isWhole = () => window.copied !== null && // rows that are not in sight come later
      texts("#functions tbody tr[data-frame]").length === Number(document.getElementById("functions-count").textContent);
    const look = () => !isWhole() ? setTimeout(look, 1) : resolve({
      command: window.copied, taken: document.getElementById("taken").textContent, misfit: document.getElementById("misfit").textContent,
      functions: cells("functions"), callers: cells("callers"), callees: cells("callees"), waits: cells("waits"),
      why: texts("#why .card").map((card) => [card.children[0].textContent, card.children[1].textContent, card.dataset.reason]),
      whyAll: document.getElementById("why-count").textContent,
      tree: texts("#tree [role=treeitem]").map((item) => item.innerText),
    });
    look();
  });
}

function run(words, folder) {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", words], { env: { ...process.env, SESSIONS_HERE: folder } });
    let out = "", said = "";
    child.stdout.on("data", (data) => { out += data; });
    child.stderr.on("data", (data) => { said += data; });
    child.on("close", (status) => status === 0 ? resolve(JSON.parse(out)) : status === 36 ? resolve(null) : reject(new Error(words + ": " + said)));
  });
}

function near(shown, wanted, what) {
  assert.ok(Math.abs(parseFloat(shown) - wanted) <= DIGITS, what + ": " + shown + ", not " + wanted);
}

// Rows of a table by function: names may be there for more than one image, so sums of these.
function sums(rows, column, name) {
  const made = new Map();
  rows.forEach((row) => made.set(row[name], (made.get(row[name]) ?? 0) + parseFloat(row[column])));
  return made;
}

function byName(map) {
  const made = new Map();
  map.forEach((share, frame) => {
    const name = /^[xku] /.test(frame) ? nameOf(frame).replace(/^(main|compute|parse|send_all)\d$/, "$1") : frame;
    made.set(name, (made.get(name) ?? 0) + share);
  });
  return made;
}

function compare(shown, wanted, what) {
  const found = [...wanted].filter(([, share]) => share > 0);
  assert.deepEqual([...shown.keys()].sort(), found.map(([name]) => name).sort(), what);
  found.forEach(([name, share]) => assert.ok(Math.abs(shown.get(name) - share) <= 4 * DIGITS, what + " " + name + ": " + shown.get(name) + ", not " + share));
}

async function check(screen, folder, wanted, samples) {
  const shown = await screen.tab.run(follow, linkOf(wanted)), reckoned = reckon(wanted, samples);
  const here = '"$XENOPREPORT_HERE" --session-dir="$SESSIONS_HERE"', filters = shown.command.match(/ (?:'--filter=[^']*'|--filter=\S+)/g) ?? [];
  const time = filters.filter((word) => word.includes("--filter=time=")).join("");
  const plain = (words) => "xenopreport --session=select".replace("xenopreport", here) + words;
  const [json, why, waits] = await Promise.all([
    run(plain(filters.join("") + " --json"), folder),
    run(plain(filters.filter((word) => !word.includes("--filter=reason=")).join("") + " --why --json"), folder),
    run(plain(time + " --waits --json"), folder)]);
  assert.equal(shown.misfit, "");
  assert.doesNotMatch(shown.command, /not quite/);
  // Functions, of the page, of the report, and reckoned.
  assert.equal(Number(shown.taken.split(" of ")[0].replaceAll("\u202f", "")), reckoned.samples);
  compare(sums(shown.functions.filter(([own]) => parseFloat(own) > 0), 0, 2), byName(reckoned.own), "self");
  compare(sums(shown.functions, 1, 2), byName(reckoned.total), "total");
  const reported = new Map();
  (json?.rows ?? []).filter(({ symbol }) => symbol).forEach(({ symbol, time_ns: ns }) =>
    reported.set(symbol, (reported.get(symbol) ?? 0) + 100 * ns / json.session.pcpu_time_ns));
  compare(reported, byName(reckoned.own), "--json");
  if (json)
    assert.equal(json.selected.samples, reckoned.samples);
  // Callers and callees are parts of the function's own time.
  const whole = wanted.frame ? [...reckoned.callers.values()].reduce((a, b) => a + b, 0) : 0;
  for (const kind of ["callers", "callees"]) {
    const parts = new Map([...byName(reckoned[kind])].map(([name, share]) => [name === nameOf(wanted.frame) && kind === "callees" ? "(itself)" : name, 100 * share / whole]));
    compare(sums(shown[kind], 0, 1), parts, kind);
  }
  // Why Xen ran, whatever reasons are selected: the cards are six at most.
  const cards = new Map(shown.why.filter(([share]) => parseFloat(share) > 0).map(([share, words]) => [words, parseFloat(share)]));
  compare(new Map([...cards]), new Map([...reckoned.why].filter(([, share]) => share >= 0.005)), "why");
  near(shown.whyAll, [...reckoned.why.values()].reduce((a, b) => a + b, 0), "why");
  if (why)
    compare(new Map(why.reasons.map(({ text, time_ns: ns }) => [text, 100 * ns / why.session.pcpu_time_ns])), reckoned.why, "--why");
  // Who waited.
  const taken = waitsOf(waits).filter(({ name }) => (!wanted.domains || wanted.domains.some((domain) => name.startsWith(domainName(domain)))) &&
    !wanted.off.some(([domain, vcpu]) => name === domainName(domain) + " v" + vcpu));
  const rows = shown.waits.map(([name, ...shares]) => ({ name, marked: shares[1].startsWith("! "), shares: shares.map((text) => parseFloat(text.replace("! ", ""))) }));
  const order = (list) => list.sort((a, b) => a.name < b.name ? -1 : 1);
  same(order(rows), order(taken), "waits");
}

function add(tap, screen, file, folder) {
  tap.add(COUNT + " selections, of seed " + SEED + ", are what xenopreport and arithmetic say", async () => {
    const random = session.randomOf(SEED), { samples } = session.make(), started = Date.now();
    let filled = 0;
    await screen.open(file("basic"));
    await screen.open(file("select"));
    await screen.tab.run(() => {
      const { setTimeout } = window;
      navigator.clipboard.writeText = async (text) => { window.copied = text; };
      window.setTimeout = (act, ms) => setTimeout(act, Math.min(ms, 2)); // nothing waits to be looked at
    });
    for (let turn = 0; turn < COUNT; turn++) {
      const wanted = choose(random);
      try {
        await check(screen, folder, wanted, samples);
      } catch (error) {
        error.stack = "selection " + turn + ", #" + linkOf(wanted) + ": " + error.stack;
        throw error;
      }
      filled += reckon(wanted, samples).samples > 0 ? 1 : 0;
    }
    assert.ok(filled > COUNT / 2, filled + " have samples");
    assert.deepEqual(screen.tab.complaints, []);
    return ((Date.now() - started) / 1000).toFixed(1) + " s, " + filled + " with samples";
  });
}

module.exports = { add };
