// SPDX-License-Identifier: GPL-2.0-or-later
// What each view makes of sessions in which all names are hostile.  A session has a
// twin, whose names are as wide and harmless.  A view of both must have the same
// lines of the same widths, the same members and the same markup, and none of the
// hostile one's bytes may be obeyed by a terminal, or be read as anything else.
//
//   node hostile-names.js MAKE-SESSION XENOPREPORT FOLDER [NAME...]
"use strict";

const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { NAMES, OBEYED, session, hostile, twin, width } = require("./hostile-names-session.js");
const { Tap, assert } = require("../page/tap.js");

const [, , maker, program, folder, ...chosen] = process.argv; // no names: all

function make(name, to) {
  fs.writeFileSync(to + ".text", session(name));
  const made = spawnSync(maker, [to + ".text", to], { encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
}

// Runs xenopreport; on a terminal, which script(1) is, if that is said.
function run(options, { locale = "C.UTF-8", terminal = false } = {}) {
  const [what, words] = terminal ? ["script", ["-qec", [program, ...options].join(" "), "/dev/null"]] : [program, options];
  const done = spawnSync(what, words, { env: { ...process.env, LC_ALL: locale, TERM: "xterm" }, input: terminal ? "q" : "",
                                        maxBuffer: 1 << 28, timeout: 60000 });
  assert.equal(done.signal, null, `${options.join(" ")}: ended by ${done.signal}: ${done.stderr}`);
  const decode = (stream) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(stream);
  return { status: done.status, out: decode(done.stdout), said: decode(done.stderr) };
}

function shown(text) {
  const found = OBEYED.exec(text);
  return found && JSON.stringify(text.slice(Math.max(0, found.index - 40), found.index + 20));
}

// Lines, and how wide each is.
function shape(text) {
  return text.split("\n").map((line) => width(Buffer.from(line, "utf8").toString("latin1")));
}

const VIEWS = {
  text(options, given, plain) {
    assert.equal(shown(given.out), null);
    assert.doesNotMatch(given.out, /\t/);
    const lines = [given.out.split("\n"), plain.out.split("\n")];
    const [mine, its] = [shape(given.out), shape(plain.out)];
    for (let i = 0; i < Math.max(mine.length, its.length); i++)
      assert.equal(mine[i], its[i], `line ${i + 1}, beside its twin's:\n${lines[0][i]}\n${lines[1][i]}`);
  },
  // Names stand in lines that wrap where they have blanks.
  wrapped(options, given) {
    assert.equal(shown(given.out), null);
    for (const line of given.out.split("\n"))
      assert.match(line, /^(?:[a-z][A-Za-z0-9 -]{9}|percent|span|  |\s*[-+<]*[0-9]|$)/);
  },
  // Where the locale has no more than ASCII.
  ascii(options, given) {
    assert.doesNotMatch(given.out, /[^\n -~]/);
  },
  // Its own sequences move the cursor: there must be no other ones.
  live(options, given, plain) {
    const sequences = (text) => text.match(/\x1b(?:\[[0-9;?]*[ -/]*[@-~]|.?)|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]/g);
    assert.deepEqual(sequences(given.out), sequences(plain.out));
    assert.equal(shown(given.out.replace(/[\x1b\r]/g, "")), null);
    assert.match(given.out, /sampling stopped/);
  },
  folded(options, given, plain) {
    assert.equal(shown(given.out), null);
    const parts = (text) => text.split("\n").map((line) => line.split(";").length + ":" + / \d+$/.test(line)).sort();
    assert.deepEqual(parts(given.out), parts(plain.out));
  },
  json(options, given, plain) {
    assert.equal(shown(given.out), null);
    const members = (value) => Array.isArray(value) ? value.map(members)
      : value && typeof value === "object" ? Object.entries(value).map(([key, one]) => [key, members(one)])
      : typeof value;
    assert.deepEqual(members(JSON.parse(given.out)), members(JSON.parse(plain.out)));
    if (options[0] === "--json")
      assert.ok(strings(JSON.parse(given.out)).has(given.name("D1")), "the name of a domain is another");
  },
  markup(options, given, plain) {
    assert.deepEqual(tags(given.out), tags(plain.out));
    assert.doesNotMatch(given.out, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/);
  },
};

// All texts in a value of JSON, at any depth.
function strings(value, found = new Set()) {
  if (typeof value === "string")
    found.add(value);
  else if (value && typeof value === "object")
    Object.values(value).forEach((one) => strings(one, found));
  return found;
}

// A type's name is an attribute.
const TYPE = / data-type="[^"<>]*"/;

// The tags of a file that is strict XML, or such HTML; what they say of samples is
// part of it, names are not.
function tags(text) {
  const found = [];
  const next = /<!\[CDATA\[([^]*?)\]\]>|<(script|style)((?: [a-z-]+="[^"<]*")*)>(?!<!\[CDATA)([^]*?)<\/\2>|<!DOCTYPE html>|<\?xml version="1.0" encoding="UTF-8"\?>|<!--[^]*?-->|(<\/?[a-zA-Z][a-zA-Z0-9]*(?:\s+[a-zA-Z:-]+(?:="[^"<]*"|=[a-z0-9-]+)?)*\s*\/?>)|([^<]+)|(<)/gy;
  for (let one; (one = next.exec(text));) {
    assert.equal(one[7], undefined, "not a tag: " + text.slice(one.index, one.index + 80));
    if (one[6] !== undefined) {
      assert.doesNotMatch(one[6].replace(/&(?:lt|gt|amp|quot|#39|nbsp|times);/g, ""), /[&]/);
      continue;
    }
    found.push(one[1] ?? one[5] ?? (one[2] ? one[2] + one[3].replace(TYPE, "") + (one[3].includes("data") ? "" : one[4]) : one[0]));
  }
  return found;
}

// Options of a view, beside the session, and how what it prints is looked at.
function views(which) {
  const labels = run(["--list-fields"]).out.split("\n").map((line) => /^  ([a-z]+) /.exec(line)?.[1]).filter(Boolean);
  const name = (tag) => Buffer.from(hostile(which)(tag, 65535), "latin1").toString("utf8");
  assert.ok(labels.length > 10);
  return [
    ["wrapped", []], ["wrapped", ["--header"]], ["wrapped", ["--header", "--table"]],
    ["text", ["--no-header", "--table"]], ["text", ["--no-header", "--table", "--width=0"]],
    ["text", ["--no-header", "--table", "--width=200", "--color=never"]],
    ...[...new Set(labels)].map((label) => ["text", ["--no-header", "--width=300", "--sort=" + label]]),
    ["text", ["--no-header", "--width=400", "--sort=domain,comm,exe,image,symbol"]],
    ["text", ["--no-header", "--width=400", "--sort=unit,pod,container,cgroup"]],
    ["text", ["--no-header", "--why"]], ["text", ["--no-header", "--waits"]], ["text", ["--no-header", "--exits"]],
    ["text", ["--no-header", "--children"]], ["text", ["--no-header", "--callgraph"]],
    ["text", ["--no-header", "--callers", "--width=0"]], ["text", ["--no-header", "--callgraph", "--sort=domain,comm"]],
    ["text", ["--no-header", "--symbol=*SU"]], ["wrapped", ["--annotate"]],
    ["ascii", ["--header", "--table"]], ["ascii", ["--callgraph", "--sort=domain,comm"]],
    ...(spawnSync("script", ["--version"]).status === 0 ? [["live", ["--live"]]] : []),
    ["folded", ["--folded"]], ["folded", ["--folded", "--sort=domain,comm,unit,exe"]],
    ["json", ["--json"]], ["json", ["--json", "--stacks"]], ["json", ["--json", "--why"]], ["json", ["--json", "--waits"]],
    ["json", ["--json", "--exits"]], ["json", ["--brief-json"]],
    ["json", ["--json", "--sort=" + [...new Set(labels)].slice(0, 8).join(",")]], ["json", ["--json", "--sort=comm,exe,unit,container,pod,cgroup"]],
    ["markup", ["--flamegraph=-"]], ["markup", ["--flamegraph=-", "--sort=comm,exe"]], ["markup", ["--html=-"]],
    ["text", ["--no-header", "--diff", "="]], ["text", ["--no-header", "--diff", "=", "--callgraph"]],
    ["text", ["--no-header", "--diff", "=", "--sort=domain,comm"]], ["json", ["--diff", "=", "--json"]],
    ["markup", ["--diff", "=", "--html=-"]], ["markup", ["--diff", "=", "--flamegraph=-"]],
    ["text", ["--filter=domain=no-such"]], ["text", ["--event=no-such"]], ["text", ["--symbol=no-such"]],
    ["text", ["--ratio=a/b"]], ["text", ["--filter=comm=no-such"]],
    ["said", ["--symbol=" + name("")]], ["said", ["--filter=domain=" + name("")]], ["said", ["--event=" + name("")]],
    ["said", ["--focus=" + name("")]], ["said", ["--sort=" + name("")]], ["said", ["--session=/" + name("")]],
    ["said", ["--html=/no-such/" + name("")]], ["said", ["--" + name("")]],
  ];
}

VIEWS.said = VIEWS.wrapped;

function add(tap, which) {
  const mine = path.join(folder, "mine"), its = path.join(folder, "twin");
  tap.add(`${which}: the session is made`, () => {
    for (const old of [mine, its])
      fs.rmSync(old, { recursive: true, force: true });
    make(hostile(which), mine);
    make(twin(which), its);
  });
  for (const [form, options] of views(which).filter(([, options]) => !options.some((one) => one.length > 60000)))
    tap.add(`${which}: ${options.join(" ").replace(/[^ -~]/g, "?")}`, () => {
      const of = (one) => run(options.includes("=") ? options.map((word) => word === "=" ? one : word).concat(one)
        : ["--session=" + one, ...options], { locale: form === "ascii" ? "C" : undefined, terminal: form === "live" });
      const given = of(mine), plain = of(its);
      given.name = (tag) => Buffer.from(hostile(which)(tag, 65535), "latin1").toString("utf8");
      assert.equal(shown(given.said), null);
      assert.ok(given.said.split("\n").length <= 2, given.said);
      if (form !== "said")
        assert.equal(given.status, plain.status, given.said + plain.said);
      VIEWS[form](options, given, plain);
      return given.status ? `exit status ${given.status}` : "";
    });
}

const tap = new Tap();
const share = Number(process.env.TEST_SHARE ?? 1);
const names = Object.keys(NAMES).filter((_, at) => at % share === 0);
for (const which of chosen.length ? chosen : names)
  add(tap, which);
tap.runAll().then(() => { process.exitCode = tap.failed ? 1 : 0; });
