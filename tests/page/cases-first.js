// SPDX-License-Identifier: GPL-2.0-or-later
// The answer comes first, as on the first screen of the terminal; and what the
// profiler took itself.
"use strict";

const { assert } = require("./tap.js");

function add(tap, screen, file) {
  tap.add("why Xen ran and the flame graph are above the fold, facts behind", async () => {
    await screen.tab.size(1280, 800);
    await screen.open(file("torn"));
    const bottom = (id) => screen.tab.run((wanted) => document.querySelector(wanted).getBoundingClientRect().bottom, id);
    for (const id of ["#why .card", "#timeline"])
      assert.ok(await bottom(id) <= 800, id);
    const rows = await screen.texts("#why .card");
    assert.match(rows[0], /^\s*[0-9.]+ %\s+\S/);
    assert.equal(await screen.tab.run(() => document.getElementById("facts").checkVisibility()), false);
    await screen.tab.run(() => window.scrollTo(0, 300));
    assert.equal(await screen.tab.run(() => Math.round(document.querySelector(".bar").getBoundingClientRect().top)), 0);
    await screen.tab.run(() => window.scrollTo(0, 0));
    await screen.tab.size(1440, 1000);
  });
  tap.add("what the profiler took is in sight, and beside dom0", async () => {
    await screen.open(file("cost"));
    assert.match(await screen.text("#info"), /the profiler took\s+7\.50 %/);
    assert.match(await screen.tab.run(() => document.querySelector("#info [title*=xenoprofd]").title),
                 /^1\.00 % in Xen; of dom0's time, 5\.00 % xenoprofd and 1\.50 % its processes$/);
    assert.ok((await screen.texts("#domains .label")).includes("Domain-0 (0), profiler 6.50 %"));
    await screen.open(file("chains"));
    assert.doesNotMatch(await screen.text("#info"), /profiler took/);
  });
  tap.add("when samples were taken less often, and why", async () => {
    await screen.open(file("slowed"));
    assert.match(await screen.text("#info"), new RegExp("sampled less\\s+to 50 Hz from 1\\.000 s to 2\\.500 s \\(rings were " +
      "not read in time\\); .*; to 75 Hz from 6\\.000 s on \\(rings were not read in time\\)"));
    await screen.open(file("chains"));
    assert.doesNotMatch(await screen.text("#info"), /sampled less/);
  });
  const shares = async (id) => Object.fromEntries(await screen.tab.run((wanted) =>
    [...document.querySelectorAll("#" + wanted + " .pick")].map((row) =>
      [row.querySelector(".label").textContent, row.querySelector(".part").textContent]), id));
  const only = (id, name) => screen.tab.run((place, label) =>
    [...document.querySelectorAll("#" + place + " .pick")].find((row) => row.querySelector(".label").textContent === label)
      .querySelector(".only").click(), id, name);
  tap.add("the verdict is the first of the answer, and thunks are their callers'", async () => {
    await screen.open(file("overview"));
    assert.deepEqual(await screen.texts("#verdict li"),
                     ["web (1), 4.74%: hypercall iret: a PV guest's kernel returns to a process, mostly for vfs_read (--why)",
                      "nameless, 31.50%: processes of web (1) above all; opagent(8) or --guest-root names them (--sort=comm)"]);
    assert.equal((await screen.texts("#verdict li.trust")).length, 0);
    const top = (id) => screen.tab.run((wanted) => document.querySelector(wanted).getBoundingClientRect().top, id);
    assert.ok(await top("#verdict") < await top("#why"));
    const rows = await screen.texts("#functions tbody tr");
    assert.match(rows.find((row) => row.includes("vfs_read")), /^\s*5\.77 %/);
    assert.ok(!rows.some((row) => row.includes("__x86_return_thunk")));
    await screen.tab.size(390, 844);
    assert.ok(await top("#verdict") < await top("#modes"), "on a phone, too");
    await screen.tab.size(1440, 1000);
  });
  tap.add("what a function calls adds up to all of it, also where thunks ran", async () => {
    await screen.open(file("thunks"));
    await screen.tab.run(() => [...document.querySelectorAll("#functions tbody tr")]
      .find((row) => row.textContent.includes("vfs_read")).click());
    assert.deepEqual(await screen.texts("#callees td.name"), ["(itself)"]);
    assert.deepEqual(await screen.texts("#callees td.part"), ["100.00 %"]);
  });
  tap.add("code of processes without symbols is one function of its thread", async () => {
    await screen.open(file("nameless"));
    const rows = await screen.texts("#functions tbody tr");
    assert.match(rows[1], /^\s*30\.00 %\s*40\.00 %\s*\[user of nginx\]/);
    assert.ok(!rows.some((row) => /0x[47]0/.test(row)));
  });
  tap.add("who waited is there, and marked", async () => {
    await screen.open(file("waits"));
    const rows = await screen.texts("#waits tbody tr");
    assert.match(rows[0], /db-two \(2\) v0.*! 80\.00 %/s);
    assert.equal(await screen.tab.run(() => document.querySelectorAll("#waits tr.marked").length), 3);
    await screen.open(file("chains"));
    assert.equal(await screen.tab.run(() => document.getElementById("waits-part").hidden), true);
  });
  tap.add("processes are picked by name, and are in links", async () => {
    await screen.open(file("threads"));
    const before = await shares("comms");
    assert.deepEqual(Object.keys(before).slice(0, 2), ["nginx", "postgres"]);
    await only("comms", "postgres");
    assert.match(await screen.text("#taken"), /^15 of 100 samples/);
    assert.deepEqual(await shares("comms"), before);
    await screen.tab.until(() => location.hash.includes("comm=postgres"));
    const link = await screen.tab.run(() => location.hash.slice(1));
    await screen.open(file("basic"));
    await screen.open(file("threads"), "#" + link);
    assert.match(await screen.text("#taken"), /^15 of 100 samples/);
  });
  tap.add("what guests are in Xen for is picked, without its details", async () => {
    await screen.open(file("entry"));
    assert.ok("exit ioio" in await shares("entries"));
    assert.ok(!Object.keys(await shares("entries")).some((name) => /0x3f8/.test(name)));
    await only("entries", "exit ioio");
    assert.match(await screen.text("#taken"), /^37 of 257 samples/);
    await screen.tab.run(() => document.getElementById("all").click());
    assert.match(await screen.text("#taken"), /^257 of 257 samples/);
  });
  tap.add("not known is why guests are in Xen only for what was in Xen", async () => {
    await screen.open(file("entry"));
    const percent = async (kind, name) => parseFloat((await shares(kind))[name]);
    const listed = Object.values(await shares("entries")).reduce((sum, text) => sum + parseFloat(text), 0);
    assert.ok(Math.abs(listed - await percent("modes", "Xen")) < 0.2, listed + " in all");
    await only("modes", "Xen");
    const inXen = parseInt(await screen.text("#taken"), 10);
    await only("entries", "not known");
    const taken = parseInt(await screen.text("#taken"), 10);
    assert.ok(taken > 0 && taken < inXen, taken + " of " + inXen);
    await screen.tab.run(() => document.getElementById("all").click());
    await only("entries", "not known");
    assert.equal(parseInt(await screen.text("#taken"), 10), taken);
  });
  tap.add("heading and tab say host, date and length", async () => {
    await screen.open(file("basic"));
    const title = "basic, lab, 2025-11-20 10:00, 10.000 s";
    assert.equal(await screen.text("#name"), title);
    assert.equal(await screen.tab.run(() => document.title), title);
    await screen.open(file("diff"));
    assert.match(await screen.text("#name"), /^before, 10\.000 s \u2192 after, 10\.000 s$/);
  });
  tap.add("a session that was cut short says so in an alert", async () => {
    await screen.open(file("cut"));
    assert.equal(await screen.text("#notes"), "not closed: cut short or killed, last sample 2025-11-20 10:00:02 UTC");
    assert.equal(await screen.tab.run(() => document.getElementById("notes").hidden), false);
    await screen.open(file("chains"));
    assert.doesNotMatch(await screen.text("#notes"), /cut short/);
  });
  tap.add("print has the whole width, and names above columns", async () => {
    await screen.open(file("overview"));
    await screen.tab.send("Emulation.setEmulatedMedia", { media: "print" });
    const [work, page] = await screen.tab.run(() => [document.querySelector(".work").offsetWidth, window.innerWidth]);
    const titles = await screen.texts("#functions th");
    await screen.tab.send("Emulation.setEmulatedMedia", { media: "screen" });
    assert.ok(work > 0.9 * page, work + " of " + page);
    assert.ok(titles.some((title) => title.includes("self")));
  });
}

module.exports = { add };
