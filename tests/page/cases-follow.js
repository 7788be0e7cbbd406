// SPDX-License-Identifier: GPL-2.0-or-later
// Who waited and the verdict are of what is selected, as xenopreport has them; and what
// cannot be says what it is of.  "select" is the session of selection-session.js.
"use strict";

const { spawnSync } = require("node:child_process");
const path = require("node:path");
const { assert } = require("./tap.js");

const TITLES = ["running", "ready", "blocked", "device", "paused"];

function report(folder, session, ...words) {
  const { stdout, stderr, status } = spawnSync(process.env.XENOPREPORT_HERE, ["--session=" + path.join(folder, session), ...words],
                                               { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(status, 0, words.join(" ") + ": " + stderr);
  return JSON.parse(stdout);
}

// The rows of --waits in its order, as the page shows them.
function waitsOf({ domains }) {
  return domains.flatMap(({ domain, domain_name: name, vcpus }) => vcpus.map((one) => {
    const times = { running: one.running_ns, ready: one.runnable_ns + one.capped_ns, blocked: one.blocked_ns, device: one.device_ns,
                    paused: one.paused_ns };
    return { name: name + " (" + domain + ") v" + one.vcpu, marked: one.marked,
             shares: TITLES.map((title) => 100 * times[title] / one.known_ns) };
  }));
}

async function waitsShown(screen) {
  const rows = await screen.tab.run(() => Array.from(document.querySelectorAll("#waits tbody tr"),
    (row) => Array.from(row.cells, (cell) => cell.textContent)));
  return rows.map(([name, ...shares]) => ({ name, marked: shares[1].startsWith("! "),
                                            shares: shares.map((text) => parseFloat(text.replace("! ", ""))) }));
}

function same(shown, wanted, what) {
  assert.deepEqual(shown.map(({ name, marked }) => [name, marked]), wanted.map(({ name, marked }) => [name, marked]), what);
  wanted.forEach(({ name, shares }, i) => shares.forEach((share, at) =>
    assert.ok(Math.abs(shown[i].shares[at] - share) < 0.0061, [what, name, TITLES[at], shown[i].shares[at], share].join(" "))));
}

// The lines of a verdict that the page makes anew: without who called, which it does not say.
function plainLines(lines) {
  return lines.map((text) => text.replace(/, most(ly| often) for [^(;]*?(?= \(--)/, "").replace(/, most(ly| often) for [^(;]*/, "")
    .replace(/; a holder may be preempted \([^)]*\)/, ""));
}

function add(tap, screen, file, folder) {
  const verdict = () => screen.texts("#verdict li");
  const FOLLOW = ["waits", "busy", "emulated", "spins"];

  for (const range of ["", "0..20", "3..7", "12..13", "19..20"])
    tap.add("who waited is as --waits has it, " + (range || "of all of the time"), async () => {
      await screen.open(file("basic"));
      await screen.open(file("select"), range && "#time=" + range);
      same(await waitsShown(screen), waitsOf(report(folder, "select", "--waits", "--json", ...(range ? ["--filter=time=" + range] : []))), range);
    });
  tap.add("... of a host whose account begins elsewhere than its seconds, and that has other domains", async () => {
    for (const [name, range] of [["waits", "1..3"], ["waits", "6..8"], ["waits", ""]]) {
      await screen.open(file("basic"));
      await screen.open(file(name), range && "#time=" + range);
      same(await waitsShown(screen), waitsOf(report(folder, name, "--waits", "--json", ...(range ? ["--filter=time=" + range] : []))), range);
    }
    await screen.open(file("basic"));
    await screen.open(file("bursts"), "#time=12..14");
    const shown = await waitsShown(screen), wanted = waitsOf(report(folder, "bursts", "--waits", "--json", "--filter=time=12..14"));
    shown.sort((a, b) => a.name < b.name ? -1 : 1);
    wanted.sort((a, b) => a.name < b.name ? -1 : 1);
    wanted.forEach(({ shares, name }, i) => assert.ok(Math.abs(shown[i].shares[0] - shares[0]) < 1, name));
  });
  tap.add("... of the selected domains and vCPUs alone, and it says what it is of", async () => {
    await screen.open(file("basic"));
    await screen.open(file("select"), "#time=3..7&domain=web+(1)&no-vcpu=web+(1)/0");
    const [row, ...others] = await waitsShown(screen);
    assert.deepEqual(others, []);
    same([row], waitsOf(report(folder, "select", "--waits", "--json", "--filter=time=3..7")).filter(({ name }) => name === "web (1) v1"));
    assert.equal(await screen.text("#waits-of"), "parts of each vCPU\u2019s time, by Xen\u2019s own account; 3\u20137 s; of the selected vCPUs");
    await screen.open(file("basic"));
    await screen.open(file("select"), "#mode=Xen&time=3.5..7");
    assert.match(await screen.text("#waits-of"), /; 3\.5\u20137 s; exact to 1 s; whatever modes are selected$/);
    await screen.open(file("basic"));
    await screen.open(file("select"), "#domain=idle");
    assert.match(await screen.text("#waits"), /No vCPU that is selected was there\./);
  });
  for (const [name, before, after] of [["diff-waits", "0..12", "12..24"], ["diff-waits", "0..5", "12..24"], ["select", "0..10", "10..20"]])
    tap.add("waits of " + before + " and " + after + " s of " + name + " are compared as by --diff --waits", async () => {
      await screen.open(file("basic"));
      await screen.open(file(name), "#before=" + before + "&time=" + after);
      const { vcpus } = report(folder, name, "--diff", "--before=" + before, "--after=" + after, "--waits", "--json");
      const shown = await screen.tab.run(() => Array.from(document.querySelectorAll("#waits tbody tr"),
        (row) => Array.from(row.cells, (cell) => cell.textContent)));
      const percent = (side, key) => side.known_ns ? (100 * side[key] / side.known_ns).toFixed(2) : "\u2013";
      assert.deepEqual(shown.map(([who, waited, , error]) => [who.replace(/ \(\d+\)/, ""), waited, error]).sort(), vcpus.map((one) =>
        [one.domain_name + " v" + one.vcpu, percent({ ...one.was, ready: one.was.runnable_ns + one.was.capped_ns }, "ready") + " \u2192 " + percent(
          { ...one.is, ready: one.is.runnable_ns + one.is.capped_ns }, "ready") + " %",
         one.tested ? "\u00b1" + (100 * one.error).toFixed(2) + (one.beyond_noise ? " *" : "") : ""]).sort());
      assert.deepEqual(shown[0][0].replace(/ \(\d+\)/, ""), vcpus[0].domain_name + " v" + vcpus[0].vcpu);
      assert.match(await screen.text("#waits-of"), vcpus.some(({ tested }) => tested) ? /changes are beyond how much seconds differ/ : /not tested/);
      assert.deepEqual(screen.tab.complaints, []);
    });
  for (const [link, ...words] of [["#time=3..7", "time=3..7"], ["#time=12..13", "time=12..13"], ["#domain=web+(1)", "domain=web"],
                                  ["#time=0..10&domain=db+(2)&domain=web+(1)", "time=0..10", "domain=db,web"],
                                  ["#mode=Xen&time=5..15", "mode=xen", "time=5..15"], ["#comm=nginx", "comm=nginx"]])
    tap.add("the verdict of " + link + " is that of --filter", async () => {
      await screen.open(file("basic"));
      await screen.open(file("select"), link);
      const wanted = report(folder, "select", "--brief-json", ...words.map((word) => "--filter=" + word)).verdict
        .filter(({ finding }) => FOLLOW.includes(finding)).filter(({ finding }) => finding !== "waits" || !/domain/.test(link));
      const shown = (await verdict()).filter((text) => !/domain/.test(link) || !text.startsWith("waits"));
      assert.deepEqual(plainLines(shown), plainLines(wanted.map(({ text, command }) => text + " (" + command + ")")));
      assert.ok(shown.length > 0);
      assert.equal(await screen.text("#verdict-of"), "of what is selected");
    });
  tap.add("a line that is of the whole session says so, and all are back without a selection", async () => {
    await screen.open(file("basic"));
    await screen.open(file("overview"));
    const whole = await verdict();
    await screen.tab.run(() => document.querySelector("#modes .only").click());
    const part = await verdict();
    assert.ok(part.includes("of the whole session: " + whole[1]), part.join());
    assert.equal((await screen.texts("#verdict li.whole")).length, 1);
    await screen.click("#all");
    assert.deepEqual(await verdict(), whole);
    assert.equal(await screen.text("#verdict-of"), "");
    await screen.open(file("select"), "#time=5..10&before=0..5");
    assert.ok((await verdict()).every((line) => line.startsWith("of the whole session: ")));
  });
  tap.add("where nothing stands out it says so", async () => {
    await screen.open(file("basic"));
    await screen.open(file("reasons"), "#domain=db+(2)&mode=user");
    assert.deepEqual(await verdict(), ["Nothing stands out in what is selected."]);
    assert.deepEqual(screen.tab.complaints, []);
  });
}

module.exports = { add, report, waitsOf, waitsShown, same };
