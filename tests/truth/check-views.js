// SPDX-License-Identifier: GPL-2.0-or-later
// Each view beside what --json --stacks says of the same range.
"use strict";

const { addTo } = require("./session.js");
const { checkSums, compareShares, sumBy, functionOfRow } = require("./check-times.js");

const ROUNDED = 0.0051; // of percentages with two digits

// Domains as text has them.
const ownerText = (row) => (row.domain < 0 || row.domain === 32767 ? row.domain_name : `${row.domain_name} (${row.domain})`);
// A function's name as text has it, without its image.
const bare = (text) => text.replace(/ \[[^\]]*\]$/, "");
const percent = (text) => (text.trim() === "-" ? 0 : Number(text.trim().replace("%", "")));

// The rows of a table below the header that begins with a word, as arrays of
// columns.
function readTable(text, first) {
  const lines = text.split("\n"), at = lines.findIndex((line) => line.trimStart().startsWith(first) && line.includes("samples"));
  const rows = [];
  for (let i = at + 1; at >= 0 && lines[i]; i++) rows.push(lines[i].trim().split(/ {2,}/));
  return { columns: at >= 0 ? lines[at].trim().split(/ {2,}/) : [], rows };
}

function framesOf(object, row) {
  return row.stack.map((index) => object.frames[index]);
}

// Shares of all pCPU time, by key.
function sharesOf(times, wall) {
  return new Map([...times].map(([key, time]) => [key, (100 * time) / wall]));
}

// What a view says of each key is what is wanted of it; it has no others, unless what
// they have is said.
function compare(results, name, got, wanted, others = NaN) {
  for (const [key, share] of got)
    results.near(name, share, wanted.get(key) ?? others, ROUNDED, key);
  for (const [key, share] of wanted)
    results.check(name, got.has(key) || share < ROUNDED, () => `${key} with ${share} % is not shown`);
}

const LABELS = {
  domain: ownerText,
  mode: (row) => (row.domain === -1 ? "-" : row.mode ?? "-"), // theirs is not known
  symbol: (row) => row.symbol ?? "-",
  vcpu: (row) => String(row.vcpu ?? "-"),
  pcpu: (row) => String(row.pcpu ?? "-"),
};
const SORTS = ["domain", "domain,vcpu", "mode", "symbol", "domain,mode,symbol", "pcpu", "vcpu,mode"];

function checkTable(results, session, options, sort) {
  const object = session.json("--sort=vcpu,pcpu", ...options), labels = sort.split(",");
  const keyOf = (row) => labels.map((label) => LABELS[label](row)).join(" | ");
  const { columns, rows } = readTable(session.text("--table", `--sort=${sort}`, "--percent-limit=0", "--width=0", ...options), "percent");
  const got = new Map();
  const name = "--table has the shares of --json";

  results.check(name, columns.slice(3).join() === labels.join(), () => `its columns are ${columns}`);
  for (const row of rows) addTo(got, row.slice(3).map((text, index) => (labels[index] === "symbol" ? bare(text) : text)).join(" | "), percent(row[0]));
  compare(results, name, got, sharesOf(sumBy(object.rows, keyOf), object.session.pcpu_time_ns));
}

// Time with all that it called, and by itself, by domain and function.
function childTimes(object) {
  const all = new Map(), self = new Map();
  for (const row of object.rows) {
    const frames = framesOf(object, row), keys = frames.map((frame) => [ownerText(row), frame.mode, frame.symbol].join(" | "));
    const leaf = keys.at(-1) ?? [ownerText(row), "-", "-"].join(" | ");
    for (const key of new Set(keys.length ? keys : [leaf])) addTo(all, key, row.time_ns);
    addTo(self, leaf, row.time_ns);
  }
  return { all, self };
}

function checkChildren(results, session, options) {
  const object = session.json("--stacks", ...options), wall = object.session.pcpu_time_ns, { all, self } = childTimes(object);
  const { rows } = readTable(session.text("--children", "--sort=domain,mode,symbol", "--percent-limit=0", "--width=0", ...options), "total");
  const got = { all: new Map(), self: new Map() };

  for (const [whole, own, , domain, mode, symbol] of rows) {
    const key = [domain, mode, bare(symbol)].join(" | ");
    got.all.set(key, percent(whole));
    if (own !== "-") got.self.set(key, percent(own));
  }
  compare(results, "--children has the totals of --json --stacks", got.all, sharesOf(all, wall));
  compare(results, "--children has the own times of --json --stacks", got.self, sharesOf(self, wall));
}

// A tree as text: its nodes' percentages by their paths.
function readTree(text, title) {
  const lines = text.split("\n"), at = lines.findIndex((line) => line.endsWith(title)), nodes = new Map();
  const header = lines[at] ?? "", column = header.indexOf("function,"), modes = header.indexOf("mode");
  const selfEnd = header.indexOf("self") + 4;
  const path = [];

  for (let i = at + 1; at >= 0 && lines[i]; i++) {
    const line = lines[i], glyph = line.search(/[├└]/), start = line.slice(column).search(/[^│├└ ]/) + column;
    const top = !line.slice(modes, column).trim(), parent = glyph >= 0 ? glyph : start;
    while (path.length && (top || (glyph >= 0 ? path.at(-1).start > parent : false))) path.pop();
    const name = (top ? "" : line.slice(modes, column).trim() + " ") + bare(line.slice(start)), before = path.at(-1);
    const share = line.slice(0, 7).trim() ? percent(line.slice(0, 7)) : before.share;
    const key = before ? before.key + ";" + name : name;
    path.push({ start, key, share });
    nodes.set(key, { share, self: selfEnd > 3 && line.slice(7, selfEnd).trim() ? percent(line.slice(7, selfEnd)) : 0 });
  }
  return nodes;
}

const frameText = (frame) => frame.mode + " " + frame.symbol;

// The same of --json --stacks; wayOf gives the path of frames below a domain.
function treeTimes(object, wayOf) {
  const all = new Map(), self = new Map();
  for (const row of object.rows) {
    let key = ownerText(row);
    addTo(all, key, row.time_ns);
    for (const frame of wayOf(framesOf(object, row).map(frameText))) addTo(all, (key += ";" + frame), row.time_ns);
    addTo(self, key, row.time_ns);
  }
  return { all, self };
}

function checkTree(results, name, text, title, object, wayOf) {
  const wall = object.session.pcpu_time_ns, { all, self } = treeTimes(object, wayOf), nodes = readTree(text, title);

  compare(results, `${name} has the shares of --json --stacks`, new Map([...nodes].map(([key, node]) => [key, node.share])), sharesOf(all, wall));
  if (title.includes("calls it")) return;
  compare(results, `${name} has the own times of --json --stacks`, new Map([...nodes].map(([key, node]) => [key, node.self])), sharesOf(self, wall), 0);
}

const WHOLE = ["--sort=domain", "--percent-limit=0", "--width=0"];

function checkCallgraph(results, session, options) {
  checkTree(results, "--callgraph", session.text("--callgraph", ...WHOLE, ...options), "function, and what it calls",
    session.json("--stacks", ...options), (frames) => frames);
}

function checkCallers(results, session, options) {
  checkTree(results, "--callers", session.text("--callers", ...WHOLE, ...options), "function, and who calls it",
    session.json("--stacks", ...options), (frames) => frames.toReversed());
}

// The function with the most time, and who calls it.
function checkSymbol(results, session, options) {
  const object = session.json("--stacks", ...options), wall = object.session.pcpu_time_ns;
  const hottest = object.rows.filter((row) => row.symbol).sort((a, b) => b.time_ns - a.time_ns)[0];
  if (!hottest) return;
  const text = session.text(`--symbol=${hottest.symbol}`, ...WHOLE, ...options), name = "--symbol has the times of --json --stacks";
  const has = (row) => framesOf(object, row).some((frame) => frame.symbol === hottest.symbol);
  const sum = (rows) => (100 * rows.reduce((time, row) => time + row.time_ns, 0)) / wall;
  const said = (words) => percent(new RegExp(`^${words} +([0-9.]+)%`, "m").exec(text)?.[1] ?? "NaN");

  results.near(name, said("with all it calls"), sum(object.rows.filter(has)), ROUNDED, hottest.symbol);
  results.near(name, said("by itself"), sum(object.rows.filter((row) => row.symbol === hottest.symbol)), ROUNDED, hottest.symbol + " itself");
  checkTree(results, "--symbol", text, "function, and what it calls",
    { ...object, rows: object.rows.filter(has) },
    (frames) => frames.slice(frames.findIndex((frame) => frame.endsWith(" " + hottest.symbol))));
}

// Idle time has no line, and what no sample says is below its domain.
function foldedTimes(object) {
  const suffixes = { xen: "_[x]", kernel: "_[k]", user: "" }, times = new Map(), sampled = new Set();
  for (const { domain_name: name, stack, samples } of object.rows) if (!stack.length && samples) sampled.add(name);
  for (const row of object.rows) {
    const names = framesOf(object, row).map((frame) => frame.symbol + suffixes[frame.mode]), name = row.domain_name;
    if (!names.length && !sampled.has(name)) names.push("[not sampled]");
    if (row.mode !== "idle") addTo(times, [name, ...names].join(";"), row.time_ns);
  }
  return times;
}

function checkFolded(results, session, options) {
  const object = session.json("--stacks", ...options), got = new Map();
  for (const line of session.text("--folded", ...options).trimEnd().split("\n")) {
    const at = line.lastIndexOf(" ");
    if (at > 0) addTo(got, line.slice(0, at), Number(line.slice(at + 1)));
  }
  compareShares(results, "--folded has the times of --json --stacks", got, foldedTimes(object), object.session.pcpu_time_ns, 1e-4);
}

// The frames of a picture in its order, which is from a root to its leaves.
function readPicture(text) {
  const frames = [], path = [];
  for (const [, depth, from, time, name] of text.matchAll(/data-at="(\d+) (\d+) (\d+)"><title>\u2068?([^\u2069\n]*)/g)) {
    path.length = Number(depth);
    path.push(bare(name));
    frames.push({ key: path.slice(1).join(";"), from: Number(from), time: Number(time) });
  }
  return frames;
}

function checkPicture(results, session, options) {
  const object = session.json("--stacks", ...options), wall = object.session.pcpu_time_ns, name = "--flamegraph has the times of --json --stacks";
  const frames = readPicture(session.text("--flamegraph=-", ...options)), wanted = new Map();
  for (const row of object.rows) {
    if (row.mode === "idle") continue;
    let key = "";
    addTo(wanted, key, row.time_ns);
    addTo(wanted, (key = ownerText(row)), row.time_ns);
    for (const frame of framesOf(object, row)) addTo(wanted, (key += ";" + frame.symbol), row.time_ns);
  }
  results.check(name, frames.length > 0 || !wanted.size, () => "it has no frames");
  for (const { key, time } of frames) results.near(name, (100 * time) / wall, (100 * (wanted.get(key) ?? NaN)) / wall, 1e-4, key || "all");
}

// The first screen: its domains.
function checkOverview(results, session, options) {
  const object = session.json(...options), wall = object.session.pcpu_time_ns, name = "the overview has the shares of --json";
  const lines = session.text("--width=0", ...options).split("\n"), at = lines.findIndex((line) => /^percent .*domain$/.test(line));
  const wanted = sharesOf(sumBy(object.rows, ownerText), wall);
  results.check(name, at >= 0, () => "it has no domains");
  for (let i = at + 1; at >= 0 && lines[i]; i++) {
    const [, share, owner] = /^ *([0-9.]+)%.*? {2,}(\S.*)$/.exec(lines[i]) ?? [];
    if (owner && !owner.includes("more")) results.near(name, Number(share), wanted.get(owner.trim().replace(/^[█▒░ ]+/, "")) ?? NaN, ROUNDED, owner);
  }
}

// Stacks take nothing away and add nothing.
function checkStacks(results, session, options) {
  const stacks = session.json("--stacks", ...options), object = session.json(...options);
  checkSums(results, stacks, !options.length);
  compareShares(results, "rows with and without stacks agree", sumBy(stacks.rows, functionOfRow), sumBy(object.rows, functionOfRow), object.session.pcpu_time_ns, 1e-4);
}

// What is compared, each in a session and a range of it.
const VIEWS = [
  checkStacks, checkChildren, checkSymbol, checkFolded, checkPicture, checkOverview, checkCallgraph, checkCallers,
  (results, session, options) => checkTable(results, session, options, SORTS[session.seed % SORTS.length]),
  (results, session, options) => checkTable(results, session, options, SORTS[(session.seed + 3) % SORTS.length]),
];

module.exports = { VIEWS };
