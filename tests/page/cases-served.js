// SPDX-License-Identifier: GPL-2.0-or-later
// The page of --serve: it has the figures of the session as that grows, and what is
// selected stays.
"use strict";

const { execFileSync, spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { assert } = require("./tap.js");

function add(tap, newScreen, folder) {
  const text = path.join(folder, "growing.session"), session = path.join(folder, "growing");
  let screen = null, server = null, address = "";

  // A session of so many seconds, in place of the one that is served: a domain more
  // comes with the sixth.  Without UTC and an end it is one that is being written.
  function write(seconds, close = "") {
    const lines = ["domain 100 1 passive web", "place k 1 kernel 0x1000 vmlinux vfs_read 0x1000", "place u 1 user 0x2000 a.out main 0x2000",
                   "place x 1 xen 0x3000 xen do_iret 0x3000", "stack s k u", "stack t x k u"];
    for (let second = 0; second < seconds; second++) {
      if (second === 5)
        lines.push("domain 105 2 passive db", "place d 2 user 0x2000 b.out query 0x2000", "stack q d");
      lines.push(`sample ${100.2 + second} 1.0 0 kernel k stack=s count=20`, `sample ${100.5 + second} 1.1 1 xen x stack=t count=10`);
      if (second >= 5)
        lines.push(`sample ${100.7 + second} 2.0 0 user d stack=q count=40`);
    }
    fs.writeFileSync(text, [...lines, ...(close ? ["close " + (100 + seconds)] : []), ""].join("\n"));
    execFileSync(process.env.MAKE_SESSION_HERE, [text, session + ".next/"]);
    fs.mkdirSync(session, { recursive: true });
    for (const name of fs.readdirSync(session + ".next"))
      fs.renameSync(path.join(session + ".next", name), path.join(session, name));
    fs.rmSync(session + ".next", { recursive: true });
  }

  // Serves a session.  The program is ended with the last case.
  async function serve(name) {
    server = spawn(process.env.XENOPREPORT_HERE, ["--serve", "--session=" + path.join(folder, name)], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    for await (const chunk of server.stdout) {
      said += chunk;
      if (said.includes("\n"))
        break;
    }
    address = said.split("\n")[0];
  }

  async function open(fragment = "") {
    screen ??= await newScreen();
    screen.tab.complaints.length = 0;
    await screen.tab.opening(() => screen.tab.send("Page.navigate", { url: "about:blank" }));
    await screen.tab.opening(() => screen.tab.send("Page.navigate", { url: address + fragment }));
    await screen.tab.until(() => document.documentElement.dataset.ready === "1");
  }

  const live = () => screen.text("#live");
  const until = (words) => screen.tab.until((wanted) => document.getElementById("taken").textContent.startsWith(wanted), words);

  tap.add("a served page has the session's figures, and says that it is live", async () => {
    write(4);
    await serve("growing");
    await open();
    assert.match(await screen.text("#taken"), /^120 of 120 samples/);
    assert.match(await live(), /^live, \d s ago/);
    assert.match(await screen.tab.run(() => document.title), /^growing/);
    assert.deepEqual([...(await screen.functions()).keys()].sort(), ["do_iret", "main", "vfs_read"]);
    assert.deepEqual(screen.tab.complaints, []);
  });
  tap.add("it grows with the session; selection, zoom, function, search and what is open stay", async () => {
    await screen.tab.run(() => [...document.querySelectorAll("#functions tbody tr")].find((row) => row.textContent.includes("vfs_read")).click());
    await screen.tab.run(() => document.querySelector("#modes .pick:nth-child(1) input").click());
    await screen.clickFrame(0.5, 2);
    await screen.tab.key("e");
    for (const key of ["ArrowRight", "ArrowDown", "ArrowRight", "ArrowDown"])
      await screen.tab.key(key);
    await screen.tab.run(() => {
      document.getElementById("words").value = "vfs|main";
      document.getElementById("words").dispatchEvent(new Event("input"));
      document.querySelector("#domains input").focus();
    });
    const state = async () => ({
      path: await screen.path(), link: await screen.link(), chosen: await screen.texts("#chosen li"), focus: await screen.tab.run(() =>
        document.activeElement.closest(".pick")?.textContent.replace(/[\d.]+ %/, "")),
      rows: (await screen.texts("#tree [role=treeitem]")).map((row) => row.split(" ")[0]),
    });
    const before = await state(), functions = await screen.functions();
    assert.match(before.link, /mode=|no-mode=Xen/);
    assert.ok(before.path.length > 1 && before.rows.length > 2 && before.focus.startsWith("web"));
    write(8);
    await until("280 of 360 samples");
    const after = await state();
    assert.deepEqual(after, { ...before, link: after.link, rows: after.rows });
    assert.deepEqual(after.rows.filter((row) => !row.startsWith("db")), before.rows);
    assert.equal(new URLSearchParams(after.link.slice(1)).get("function"), new URLSearchParams(before.link.slice(1)).get("function"));
    assert.notDeepEqual(await screen.functions(), functions);
    assert.ok((await screen.texts("#domains .label")).some((name) => name.startsWith("db")));
  });
  tap.add("a selected time stays that time, and what has the focus has it", async () => {
    const focus = () => screen.tab.run(() => document.activeElement.textContent);
    await open("#time=1..3");
    assert.match(await screen.text("#taken"), /^60 of 60 samples from 1 to 3 s/);
    await screen.tab.run(() => {
      document.querySelector("#lanes button").click();
      [...document.querySelectorAll("#functions tbody tr")].find((row) => row.textContent.includes("main")).focus();
    });
    const lanes = await screen.texts("#lanes .vcpu"), row = await focus();
    assert.ok(lanes.length === 2 && row.includes("main"));
    write(9);
    await screen.tab.until(() => document.getElementById("info").textContent.includes("430"));
    assert.match(await screen.text("#taken"), /^60 of 60 samples from 1 to 3 s/);
    assert.deepEqual(await screen.texts("#lanes .vcpu"), lanes);
    assert.equal(await focus(), row);
  });
  tap.add("a key pauses it, and goes on", async () => {
    await open();
    await screen.tab.run(() => document.activeElement.blur());
    await screen.tab.key("z");
    assert.match(await live(), /^paused, data of/);
    write(10);
    const asked = await screen.tab.run(() => performance.getEntriesByType("resource").length);
    await screen.tab.run(() => new Promise((resolve) => setTimeout(resolve, 1500)));
    assert.equal(await screen.tab.run(() => performance.getEntriesByType("resource").length), asked);
    await screen.tab.run(() => document.getElementById("pause").click());
    await until("500 of 500 samples");
    assert.match(await live(), /^live/);
  });
  tap.add("a page that nobody sees asks nothing", async () => {
    const asked = () => screen.tab.run(() => performance.getEntriesByType("resource").length);
    await screen.tab.send("Emulation.setFocusEmulationEnabled", { enabled: false });
    await newScreen(); // a tab in front of it
    await screen.tab.until(() => document.hidden);
    await screen.tab.run(() => new Promise((resolve) => setTimeout(resolve, 300))); // the last answer
    const before = await asked();
    await screen.tab.run(() => new Promise((resolve) => setTimeout(resolve, 2500)));
    assert.equal(await asked(), before);
    await screen.tab.send("Page.bringToFront");
    await screen.tab.until((wanted) => performance.getEntriesByType("resource").length > wanted, before);
  });
  tap.add("who drags is not disturbed", async () => {
    const { left, top } = await screen.place("#timeline");
    await screen.tab.mouse("mousePressed", left + 200, top + 20);
    write(11);
    await screen.tab.run(() => new Promise((resolve) => setTimeout(resolve, 1500)));
    assert.match(await screen.text("#taken"), /^500 of 500/);
    await screen.tab.mouse("mouseReleased", left + 200, top + 20);
    await until("570 of 570 samples");
  });
  tap.add("a reader that the session cannot be read for says why", async () => {
    fs.renameSync(session, session + ".away");
    await screen.tab.until(() => document.getElementById("live").dataset.state === "failed");
    assert.match(await screen.text("#notes"), /does not exist/);
    fs.renameSync(session + ".away", session);
    await screen.tab.until(() => document.getElementById("live").dataset.state === "live");
    assert.equal(await screen.tab.run(() => document.getElementById("notes").textContent.includes("does not exist")), false);
  });
  tap.add("it ends with the session, and asks no more", async () => {
    write(12, "close");
    await screen.tab.until(() => document.getElementById("live").dataset.state === "ended");
    assert.equal((await live()).trim(), "ended");
    assert.match(await screen.text("#taken"), /^640 of 640/);
    const asked = await screen.tab.run(() => performance.getEntriesByType("resource").length);
    await screen.tab.run(() => new Promise((resolve) => setTimeout(resolve, 1500)));
    assert.equal(await screen.tab.run(() => performance.getEntriesByType("resource").length), asked);
    await open();
    assert.equal((await live()).trim(), "ended");
    assert.deepEqual(screen.tab.complaints, []);
  });
  const end = () => new Promise((resolve) => server.on("exit", resolve) && server.kill());
  tap.add("samples of another type are asked for when they are chosen", async () => {
    await end();
    await serve("types");
    await open();
    const names = await screen.texts("#type option"), first = await screen.text("#taken");
    assert.ok(names.includes("time") && names.includes("cycles"), names.join());
    await screen.tab.opening(() => screen.tab.run(() => {
      document.getElementById("type").value = "cycles";
      document.getElementById("type").dispatchEvent(new Event("change"));
    }));
    await screen.tab.until(() => document.documentElement.dataset.ready === "1");
    assert.equal(await screen.tab.run(() => document.getElementById("type").value), "cycles");
    assert.notEqual(await screen.text("#taken"), first);
    await open("#type=nothing");
    assert.equal(await screen.text("#taken"), first);
    assert.match(await screen.text("#misfit"), /no samples of nothing/);
  });
  tap.add("a page of --html asks nobody", async () => {
    const page = fs.readFileSync(path.join(folder, "basic.html"), "utf8");
    assert.doesNotMatch(page, /fetch\(|connect-src/);
    await end();
  });
}

module.exports = { add };
