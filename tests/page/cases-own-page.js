// SPDX-License-Identifier: GPL-2.0-or-later
// A selection that is saved as a page of its own: it opens, has the same sums, and has
// nothing of the rest.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const zlib = require("node:zlib");
const { assert } = require("./tap.js");
const Saving = require("./saving.js");

const NEAR = 2000; // ns of a stack: the page has us
const POINT = 0.011; // of shares, which have two digits

// A page's file in parts: what stands around its data, without its title; and its data.
function partsOf(bytes) {
  const [, head, title, middle, data, end] = bytes.toString().match(/^(.*?<title>\n)(.*?)(<\/title>.*?data-type="\w+">\n)([\w+/=]+)(<\/script>.*)$/s);
  return { around: head + middle + end, title, data: zlib.inflateRawSync(Buffer.from(data, "base64")).toString("latin1"),
           policy: head.match(/Content-Security-Policy" content="([^"]+)"/)[1], style: middle.match(/<style>.*?<\/style>/s)[0],
           script: end.match(/<script>.*<\/script>/s)[0] };
}

function stacks(text) {
  return new Map(text.trim().split("\n").filter(Boolean).map((line) => [line.replace(/ \d+$/, ""), Number(line.match(/\d+$/)[0])]));
}

async function shares(screen, id) {
  const rows = await screen.tab.run((wanted) => [...document.querySelectorAll(wanted + " .pick")]
    .map((pick) => [pick.querySelector(".label").innerText.trim().replace(/,.*/, ""), parseFloat(pick.querySelector(".part").innerText)]), id);
  return new Map(rows.filter(([, part]) => part > 0));
}

// What is on the screen of what is selected.
async function figures(screen) {
  return { folded: stacks((await Saving.save(screen, "Folded")).bytes.toString()), functions: await screen.functions(),
           taken: (await screen.text("#taken")).split(" ")[0], why: await screen.text("#why-count"),
           waits: await screen.tab.run(() => Array.from(document.querySelectorAll("#waits tbody tr"), (row) => Array.from(row.cells, (cell) => cell.textContent))) };
}

function same(found, wanted) {
  assert.deepEqual([...found.folded.keys()].sort(), [...wanted.folded.keys()].sort());
  for (const [stack, time] of wanted.folded)
    assert.ok(Math.abs(found.folded.get(stack) - time) < NEAR, stack + ": " + found.folded.get(stack) + ", not " + time);
  for (const [name, { own, total }] of wanted.functions) {
    const now = found.functions.get(name);
    assert.ok(Math.abs(now.own - own) < POINT && Math.abs(now.total - total) < POINT, name + ": " + JSON.stringify(now) + ", not " + own + ", " + total);
  }
  assert.ok(Math.abs(parseFloat(found.taken) - parseFloat(wanted.taken)) < POINT, found.taken + ", not " + wanted.taken);
  assert.equal(found.why, wanted.why);
  assert.deepEqual(found.waits, wanted.waits.filter(([name]) => found.waits.some(([other]) => other === name))); // of domains that are in it
}

function add(tap, screen, file, folder) {
  const own = path.join(folder, "own-page.html");

  // Saves what a link of a page selects, and opens it.
  async function through(name, link, around = async () => {}) {
    await Saving.open(screen, file(name), link);
    await around();
    const wanted = await figures(screen), saved = await Saving.save(screen, "Page");
    fs.writeFileSync(own, saved.bytes);
    await Saving.open(screen, own);
    assert.deepEqual(screen.tab.complaints, []);
    return { ...saved, wanted, found: await figures(screen), parts: partsOf(saved.bytes) };
  }

  const cases = [
    ["bursts", "all of it", "", [], []],
    ["bursts", "a part of the time", "#time=10..20", ["f_0_1"], []],
    ["bursts", "a part of slots", "#time=3.2..9.85", [], []],
    ["bursts", "a domain in which samples were lost", "#domain=web+(1)&time=10..14", ["web"], ["db", "Domain-0", "f_0_", "f_2_"]],
    ["bursts", "a mode", "#mode=kernel&time=8..31", ["f_1_0"], ["f_1_1", "a.out"]],
    ["bursts", "a vCPU", "#vcpu=Domain-0+(0)/1", ["f_1_0"], ["web", "f_0_"]],
    ["bursts", "an image", "#image=a.out&domain=Domain-0+(0)&domain=db+(2)", ["f_0_1"], ["web", "f_0_0", "vmlinux"]],
    ["bursts", "idle time", "#mode=idle&mode=user", ["idle"], ["f_1_0", "vmlinux"]],
    ["times", "a domain", "#domain=web+(1)", [], ["Domain-0", "db"]],
    ["threads", "a process", "#comm=nginx", ["nginx", "vfs_read"], ["postgres", "cron"]],
    ["entry", "all of it", "", [], []],
    ["reasons", "a reason", "#domain=web+(1)&time=2..7", ["web"], ["db"]],
    ["waits", "all of it", "", [], []],
    ["spooled", "all of it", "", [], []],
    ["cost", "all of it", "", [], []],
    ["types", "another type of samples", "#type=cycles", [], []],
  ];
  for (const [name, what, link, there, gone] of cases)
    tap.add("a page of its own: " + name + ", " + what, async () => {
      const { wanted, found, parts } = await through(name, link);
      same(found, wanted);
      there.forEach((word) => assert.ok(parts.data.includes(word), word + " is not there"));
      gone.forEach((word) => assert.ok(!parts.data.includes(word) && !parts.title.includes(word), word + " is there"));
    });
  tap.add("its script, style and policy are the page's; a page of it is the same again", async () => {
    const before = partsOf(fs.readFileSync(file("bursts"))), { parts, name } = await through("bursts", "#time=10..20");
    assert.equal(name, "bursts-10..20.html");
    assert.deepEqual([parts.policy, parts.style === before.style, parts.script === before.script], [before.policy, true, true]);
    const again = partsOf((await Saving.save(screen, "Page")).bytes);
    assert.equal(again.around, parts.around);
    assert.equal(again.title, parts.title);
    assert.match(await screen.text("#info"), /filter\s+10\u201320 s/);
  });
  tap.add("its markup is the page's", async () => {
    await screen.open(file("bursts"));
    const read = (bytes) => screen.tab.run((text) => {
      const made = new DOMParser().parseFromString(text, "text/html");
      made.querySelectorAll("script").forEach((one) => one.remove());
      return made.body.getHTML();
    }, bytes.toString());
    assert.equal(await read(fs.readFileSync(own)), await read(fs.readFileSync(file("bursts"))));
  });
  tap.add("shares of domains and modes stay, too; so does a zoom", async () => {
    const link = "#domain=Domain-0+(0)&domain=web+(1)&time=20..30";
    await Saving.open(screen, file("bursts"), link);
    const before = [await shares(screen, "#modes"), await shares(screen, "#domains")];
    const { found, wanted } = await through("bursts", link);
    const after = [await shares(screen, "#modes"), await shares(screen, "#domains")];
    same(found, wanted);
    for (const [mode, part] of after[0])
      assert.ok(Math.abs(part - before[0].get(mode)) < POINT, mode);
    assert.deepEqual([...after[1].keys()].sort(), ["Domain-0 (0)", "web (1)"]);
    for (const [domain, part] of after[1])
      assert.ok(Math.abs(part - before[1].get(domain)) < POINT, domain + ": " + part + ", not " + before[1].get(domain));
    const zoomed = await through("chains", "", () => screen.clickFrame(0.1, 2));
    assert.deepEqual([...zoomed.found.folded.keys()].sort(), [...zoomed.wanted.folded.keys()].sort());
    assert.match(await screen.text("#info"), /filter\s+below /);
  });
  tap.add("parts of its time add up as they did", async () => {
    await Saving.open(screen, file("bursts"), "#time=20..30");
    const before = (await figures(screen)).folded;
    await through("bursts", "#time=10..40");
    await Saving.open(screen, own, "#time=20..30");
    const others = { functions: new Map(), why: "", taken: "0", waits: [] };
    same({ ...await figures(screen), ...others }, { folded: before, ...others });
  });
  tap.add("who waited is there of the time that is kept, and of its parts", async () => {
    for (const [name, time, inner] of [["rich", "5..20", "7..12"], ["bursts", "3.8..9.8", "4.8..6.8"]]) {
      await Saving.open(screen, file(name), "#time=" + inner);
      const { waits: part } = await figures(screen), { wanted, found } = await through(name, "#time=" + time);
      assert.ok(wanted.waits.length >= 4);
      assert.deepEqual(found.waits, wanted.waits);
      assert.notDeepEqual(part, wanted.waits);
      await Saving.open(screen, own, "#time=" + inner);
      assert.deepEqual((await figures(screen)).waits, part);
    }
  });
}

module.exports = { add };
