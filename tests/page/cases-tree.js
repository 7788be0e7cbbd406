// SPDX-License-Identifier: GPL-2.0-or-later
// The call chains as a tree of text, by keys alone, and as the browser tells a
// screen reader.  "chains" is tests/golden/report/flamegraph.session; in "wide"
// one function calls 130 others, in "many" each of three calls 80.
"use strict";

const { assert } = require("./tap.js");

const ROW = 20; // pixels

// The rows with elements, as indented text: those in sight, and some around them.
function lines(screen) {
  return screen.tab.run(() => Array.from(document.querySelectorAll("#tree [role=treeitem]"), (row) =>
    " ".repeat(Number(row.getAttribute("aria-level")) - 1) + row.innerText.replace(/\s+/g, " ")));
}

// How many rows there are, also of those without elements.
async function count(screen) {
  return await screen.tab.run(() => document.getElementById("tree").scrollHeight) / ROW;
}

function focused(screen) {
  return screen.tab.run(() => {
    const at = document.activeElement;
    return at.closest("#tree") ? at.innerText.replace(/\s+/g, " ") : null;
  });
}

// Waits until what is seen of the tree are rows, each where it belongs.
function inSight(screen) {
  return screen.tab.until((high) => {
    const place = document.getElementById("tree"), { top, left } = place.getBoundingClientRect();
    const texts = [];
    for (let y = high / 2; y < place.clientHeight && top + y < window.innerHeight; y += high)
      texts.push(document.elementsFromPoint(left + 5, top + y).some((one) => one.matches("#tree [role=treeitem]")));
    return texts.every((one) => one);
  }, ROW);
}

async function keys(screen, ...names) {
  for (const name of names)
    await screen.tab.key(name);
}

function addWalk(tap, screen, file) {
  tap.add("the tree is made when it is opened", async () => {
    await screen.open(file("chains"));
    assert.deepEqual(await lines(screen), []);
    await keys(screen, "e");
    assert.match(await focused(screen), /^all /);
    const shown = await lines(screen);
    assert.equal(shown.length, 3);
    assert.match(shown[1], /^ Domain-0 \(0\) [0-9.]+ %$/);
    assert.match(shown[2], /^ <script>alert\('1'\)<\/script> \(1\) /);
  });
  tap.add("arrows walk in the tree, open and close", async () => {
    await keys(screen, "ArrowRight", "ArrowRight");
    assert.match(await focused(screen), /^Domain-0/);
    assert.match((await lines(screen))[2], /^  main /);
    await keys(screen, "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight");
    assert.match(await focused(screen), /^write 62\.50 %$/);
    await keys(screen, "ArrowLeft", "ArrowLeft");
    assert.match(await focused(screen), /^main /);
    await keys(screen, "End");
    assert.match(await focused(screen), /^<script>/);
    await keys(screen, "ArrowUp", "Home", "ArrowUp", "ArrowLeft");
    assert.match(await focused(screen), /^all /);
    assert.equal((await lines(screen)).length, 1);
    await keys(screen, "ArrowRight");
  });
  tap.add("what is above and below in the tree adds up", async () => {
    await screen.open(file("chains"));
    await keys(screen, "e", "ArrowDown");
    for (let i = 0; i < 5; i++)
      await keys(screen, "ArrowRight", "ArrowRight");
    const shown = await lines(screen);
    assert.match(shown[4], /^    entry_SYSCALL_64 62\.50 %$/);
    assert.match(shown[5], /^     ksys_write 37\.50 %, itself 37\.50 %$/);
    assert.match(shown[6], /^     lstar_enter 25\.00 %$/);
  });
  tap.add("Enter in the tree zooms the flame graph and chooses the function", async () => {
    await screen.open(file("chains"));
    await keys(screen, "e", "ArrowDown", "ArrowRight", "ArrowRight", "Enter");
    assert.deepEqual((await screen.path()).slice(-1), ["main"]);
    assert.match(await focused(screen), /^main /);
    assert.deepEqual(await screen.texts("#tree [aria-selected=true] bdi"), ["main"]);
    assert.deepEqual(await screen.texts("#callees td.name"), ["write"]);
  });
  tap.add("a click opens a row of the tree, and another closes it", async () => {
    await screen.open(file("chains"));
    await keys(screen, "e");
    const before = (await lines(screen)).length;
    await screen.click("#tree [role=treeitem]:nth-child(2) bdi");
    assert.equal((await lines(screen)).length, before + 1);
    await screen.click("#tree [role=treeitem]:nth-child(2) bdi");
    assert.equal((await lines(screen)).length, before);
  });
}

function addSelections(tap, screen, file) {
  tap.add("the tree follows what is selected, and keeps the focus", async () => {
    await screen.open(file("chains"));
    await keys(screen, "e", "ArrowDown", "ArrowRight", "ArrowRight");
    assert.match(await focused(screen), /^main /);
    await screen.tab.run(() => document.querySelector("#domains input").click());
    const shown = await lines(screen);
    assert.equal(shown.filter((line) => line.includes("Domain-0")).length, 0);
    assert.match(await screen.text("#tree [tabindex='0']"), /^all /);
    await keys(screen, "0");
    assert.equal((await lines(screen)).length, 4);
  });
  tap.add("the tree marks what is searched for", async () => {
    await screen.open(file("chains"));
    await keys(screen, "e", "ArrowDown", "ArrowRight", "/");
    await screen.tab.type("mai");
    assert.deepEqual(await screen.texts("#tree .hit bdi"), ["main"]);
  });
  tap.add("callers that are not known have no row in the tree", async () => {
    await screen.open(file("torn"));
    await keys(screen, "e");
    await screen.tab.run(() => {
      for (let closed; (closed = document.querySelector("#tree [aria-expanded=false]"));)
        closed.click();
    });
    const shown = await lines(screen);
    assert.ok(shown.length > 8);
    assert.ok(shown.some((line) => /^ +who called it is not known: /.test(line)));
    assert.ok(!shown.some((line) => /^ +\[truncated\] /.test(line) && !/itself/.test(line)));
  });
  tap.add("of many rows of the tree a hundred come first", async () => {
    await screen.open(file("wide"));
    await keys(screen, "e", "ArrowDown", "ArrowRight", "ArrowDown", "ArrowRight", "End");
    assert.equal(await focused(screen), "30 more");
    assert.equal(await count(screen), 3 + 101);
    assert.equal(await screen.tab.run(() => document.activeElement.getAttribute("aria-setsize")), "101");
    await keys(screen, "Enter");
    assert.match(await focused(screen), /^callee_/);
    assert.equal(await count(screen), 3 + 130);
    await keys(screen, "ArrowLeft");
    assert.match(await focused(screen), /^caller /);
  });
  tap.add("only rows of the tree in sight have elements, and the current one", async () => {
    await screen.open(file("many"));
    await keys(screen, "e", "ArrowDown", "ArrowRight");
    await screen.tab.run(() => { // the last first: what it calls comes behind all others
      for (let closed; (closed = [...document.querySelectorAll("#tree [aria-level='3'][aria-expanded=false]")].pop());)
        closed.click();
    });
    await keys(screen, "Home");
    assert.equal(await count(screen), 1 + 1 + 3 + 3 * 80);
    assert.ok((await lines(screen)).length < 150);
    await keys(screen, "End");
    assert.match(await focused(screen), /^callee_/);
    await inSight(screen);
    await screen.tab.run(() => { document.getElementById("tree").scrollTop = 2000; });
    await inSight(screen);
    assert.match(await focused(screen), /^callee_/);
    await keys(screen, "Home", "ArrowDown");
    assert.match(await focused(screen), /^web /);
    await inSight(screen);
    await screen.tab.size(1440, 4000);
    await inSight(screen);
    await screen.tab.size(1440, 1000);
  });
  tap.add("the tree of a comparison says before and after", async () => {
    await screen.open(file("diff"));
    await keys(screen, "e", "ArrowDown");
    assert.match(await focused(screen), /before [0-9.]+ %, after [0-9.]+ %, change [+\u2212-]?[0-9.]+/);
  });
}

// What the browser tells a screen reader.
function addReader(tap, screen, file) {
  tap.add("a screen reader is told of the tree, its rows, and their states", async () => {
    await screen.open(file("chains"));
    await keys(screen, "e", "ArrowDown", "ArrowRight");
    const { nodes } = await screen.tab.send("Accessibility.getFullAXTree");
    const told = (role) => nodes.filter((node) => node.role?.value === role && !node.ignored);
    const state = (node, name) => node.properties.find((one) => one.name === name)?.value.value;
    assert.match(told("tree")[0].name.value, /^Call chains/);
    const rows = told("treeitem");
    assert.deepEqual(rows.map((node) => state(node, "level")), [1, 2, 3, 2]);
    assert.deepEqual(rows.map((node) => state(node, "expanded")), [true, true, false, false]);
    assert.match(rows[2].name.value, /^main 62\.50 %$/);
    assert.equal(rows.filter((node) => state(node, "focused")).length, 1);
  });
}

function add(tap, screen, file) {
  addWalk(tap, screen, file);
  addSelections(tap, screen, file);
  addReader(tap, screen, file);
}

module.exports = { add };
