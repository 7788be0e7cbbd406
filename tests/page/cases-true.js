// SPDX-License-Identifier: GPL-2.0-or-later
// What the page says is so: of which samples, of which function, of which session.
"use strict";

const { assert } = require("./tap.js");

async function setTime(screen, from, to) {
  for (const [id, value] of [["from", from], ["to", to]])
    await screen.tab.run((name, text) => {
      document.getElementById(name).value = text;
      document.getElementById(name).dispatchEvent(new Event("change"));
    }, id, value);
}

function parts(screen, id) {
  return screen.tab.run((wanted) => Object.fromEntries(Array.from(document.querySelectorAll(wanted + " .pick"),
    (pick) => [pick.querySelector(".label").innerText.trim(), pick.querySelector(".part").innerText.trim()])), id);
}

function addLinks(tap, screen, file) {
  tap.add("a link has names, seconds and its session", async () => {
    await screen.open(file("basic"));
    await setTime(screen, 1, 4);
    await screen.click("#modes .pick:nth-child(3) input");
    await screen.tab.run(() => Array.from(document.querySelectorAll("#functions tr[data-frame]"))
      .find((row) => row.innerText.includes("do_xen_version")).click());
    const words = new URLSearchParams((await screen.link()).slice(1));
    assert.equal(words.get("time"), "1..4");
    assert.equal(words.getAll("no-mode").join(), "user,idle");
    assert.equal(words.get("function"), "xen:do_xen_version");
    assert.match(words.get("session"), /^basic @ /);
  });
  tap.add("a link means the same in another page of the session", async () => {
    const link = await screen.link();
    await screen.open(file("basic-dom0"), link);
    assert.equal(await screen.text("#callers-title + .chosen"), "of do_xen_version");
    assert.equal(await screen.tab.run(() => document.getElementById("from").value), "1");
    assert.equal(await screen.tab.run(() => document.getElementById("misfit").hidden), true);
  });
  tap.add("a link of another session says so, and its times are not taken", async () => {
    const link = await screen.link();
    await screen.open(file("ends"), link);
    assert.match(await screen.text("#misfit"), /^The link does not fit this page: it is of basic @ .*not that session's time/);
    assert.equal(await screen.tab.run(() => document.getElementById("from").value), "0");
    await screen.tab.key("Escape");
    assert.equal(await screen.tab.run(() => document.getElementById("misfit").hidden), true);
  });
}

function addShares(tap, screen, file) {
  tap.add("shares beside modes and domains are of the selected time, and of how many samples is said", async () => {
    await screen.open(file("chains"));
    const whole = await parts(screen, "#modes");
    assert.match(await screen.text("#taken"), /^79 of 80 samples; shares are within 10\.9 points$/);
    await setTime(screen, 0.1, 0.25);
    assert.match(await screen.text("#taken"), /^15 of 15 samples from 0\.1 to 0\.25 s; shares are within 25\.3 points$/);
    assert.deepEqual(await parts(screen, "#modes"), { Xen: "0.00 %", kernel: "100.00 %", user: "0.00 %", idle: "0.00 %" });
    await screen.click("#whole");
    assert.deepEqual(await parts(screen, "#modes"), whole);
  });
  tap.add("no bar is higher than all pCPUs", async () => {
    await screen.open(file("torn"));
    assert.match(await screen.text("#bin"), /; full height: all of a lane's vCPUs$/);
    const { left, top, width } = await screen.place("#timeline");
    let most = 0;
    for (let x = left + 119; x < left + width; x += 12) {
      let sum = 0;
      for (const lane of [0, 1, 2]) {
        await screen.tab.move(x, top + lane * 38 + 20);
        const text = await screen.text("#tip");
        const long = parseFloat(text.match(/s, ([0-9.]+) ms long/)?.[1] ?? "1");
        for (const [, time] of text.matchAll(/^(?:Xen|kernel|user|idle|not known) ([0-9.]+) ms$/gm))
          sum += parseFloat(time) / long;
      }
      most = Math.max(most, sum);
    }
    assert.ok(most > 0.1 && most <= 2.01, most + " pCPUs");
  });
}

function addStatus(tap, screen, file) {
  const status = () => screen.text("#status");
  tap.add("the line below the graph is on what is chosen now", async () => {
    await screen.open(file("chains"));
    const hint = await status();
    await screen.clickFrame(0.1, 4);
    assert.match(await status(), /entry_SYSCALL_64.*50 samples/);
    await screen.tab.run(() => Array.from(document.querySelectorAll("#functions tbody tr"))
      .find((row) => row.innerText.includes("do_xen_version")).click());
    assert.match(await status(), /do_xen_version.*200\.0 ms, 25\.00 % .*wherever/);
    await setTime(screen, 0.1, 0.25);
    assert.match(await status(), /do_xen_version.*0 \u00b5s, 0\.00 %/);
    await screen.click("#reset");
    await screen.tab.key("Escape");
    assert.equal(await status(), hint);
  });
}

function addAbsences(tap, screen, file) {
  tap.add("callers that are not known are no functions, and no frames", async () => {
    await screen.open(file("torn"));
    const shown = await screen.functions();
    assert.equal([...shown.keys()].some((name) => /truncated|guest moved/.test(name)), false);
    assert.match(await screen.text("#absent"), /not known: .*\[guest moved\] 3\.16 %, .*\[truncated\] 1\.74 %/);
    await screen.tab.key("/");
    await screen.tab.type("vmx_vmexit");
    await screen.tab.key("Enter");
    await screen.tab.key("n");
    assert.match(await screen.text("#status"), /vmx_vmexit_handler.*who called it is not known: \[guest moved\]/);
  });
}

function addHeat(tap, screen, file) {
  tap.add("the heat map says what its shades are, and how many samples a cell has", async () => {
    await screen.open(file("basic"));
    assert.match(await screen.text("#heat-scale"), /^0\.00 +[0-9.]+ pCPUs$/);
    assert.equal(await screen.tab.run(() => document.querySelectorAll("#heat-scale .swatch").length), 5);
    const { left, top, width } = await screen.place("#heat");
    let samples = 0;
    for (let second = 0; second < 10; second++) {
      await screen.tab.move(left + 54 + (second + 0.5) / 10 * (width - 54), top + 148);
      samples += Number((await screen.text("#tip")).match(/: (\d+) samples?/)[1]);
    }
    assert.ok(samples > 0);
    await screen.open(file("chains"));
    assert.equal(await screen.tab.run(() => document.getElementById("heat").checkVisibility()), false);
  });
}

function add(tap, screen, file) {
  addLinks(tap, screen, file);
  addShares(tap, screen, file);
  addStatus(tap, screen, file);
  addAbsences(tap, screen, file);
  addHeat(tap, screen, file);
}

module.exports = { add };
