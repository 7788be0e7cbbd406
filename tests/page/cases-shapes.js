// SPDX-License-Identifier: GPL-2.0-or-later
// Other shapes of the call chains: of small trees as functions alone, and in the page,
// where their sums are those of the table of functions, which are --json's.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { assert } = require("./tap.js");

const [Shapes, Callers, Later] = new Function(["shapes.js", "callers.js", "later.js"].map((name) =>
  fs.readFileSync(path.join(__dirname, "../../report/page", name), "utf8")).join("\n") + "; return [Shapes, Callers, Later];")();

const NAMES = "abcdefgh", UNKNOWN = "?", IDLE = 3, NO_MODE = 4;
const USUAL = { overAll: false, recursion: false, hidden: null, focus: -1, uses: null };

// A tree as the model has it, of lines "domain chain time", the chain's root first: a
// function is a letter.
function treeOf(...lines) {
  const tree = { parent: [0], frame: [-1], domain: [-1], mode: [NO_MODE], image: [0], part: [0], ownTime: [0], end: [], domainNode: [] };
  const add = (parent, frame, domain, mode) => {
    for (let i = parent + 1; i < tree.parent.length; i++)
      if (tree.parent[i] === parent && tree.frame[i] === frame && tree.domain[i] === domain)
        return i;
    [["parent", parent], ["frame", frame], ["domain", domain], ["mode", mode], ["image", 0], ["part", 0], ["ownTime", 0]]
      .forEach(([column, value]) => tree[column].push(value));
    return tree.parent.length - 1;
  };
  for (const line of lines) { // in the order of a walk
    const [domain, chain, time] = line.split(" ");
    let node = add(0, -1, Number(domain), domain === "0" ? IDLE : NO_MODE);
    tree.domainNode[domain] = node;
    for (const letter of chain === "-" ? "" : chain)
      node = add(node, letter === UNKNOWN ? NAMES.length : NAMES.indexOf(letter), Number(domain), letter === UNKNOWN ? NO_MODE : 1);
    tree.ownTime[node] += Number(time);
  }
  tree.count = tree.parent.length;
  for (let i = tree.count - 1; i >= 0; i--)
    [tree.end[i], tree.end[tree.parent[i]]] = [Math.max(tree.end[i] ?? 0, i + 1), Math.max(tree.end[tree.parent[i]] ?? 0, tree.end[i] ?? 0, i + 1)];
  return tree;
}

function nameAt(tree, i) {
  return tree.frame[i] >= 0 ? NAMES[tree.frame[i]] ?? UNKNOWN : tree.domain[i] >= 0 ? "d" + tree.domain[i] : "r" + tree.reason[i];
}

// The nodes of a column for each reason, with all above them, as Shapes.byReason() wants them.
function partsOf(tree, uses) {
  const up = (i) => i ? [...up(tree.parent[i]), i] : [0];
  return uses.map((use, reason) => {
    const has = tree.parent.flatMap((above, i) => use[i] > 0 || (reason === 0 && above === 0) ? up(i) : []);
    const nodes = [...new Set(has)].sort((a, b) => a - b);
    return { reason, nodes, own: nodes.map((i) => use[i]) };
  });
}

// What is wished of a tree: the tree's nodes, which of them are kept, and what they have.
function wished(tree, { overAll, uses, ...others }) {
  const chains = uses ? Later.finish(Shapes.byReason(tree, partsOf(tree, uses))) : tree;
  const all = others.focus >= 0 ? Shapes.fromFocus(chains, others.focus) : chains, own = Float64Array.from(all.ownTime);
  const collapsed = others.recursion || others.hidden ? Later.finish(Shapes.collapse(all, others)) : null;
  const total = Shapes.addUp(all, own.slice()), sums = { own, total, ownCount: own, totalCount: total };
  return { all, how: { overAll, collapsed }, sums: collapsed ? Shapes.collapseSums(all, collapsed, sums) : sums };
}

// A shape as "path own" of each node that has any of its own, and the sum of all.
function shown(tree, wishes) {
  const { all, how, sums } = wished(tree, { ...USUAL, ...wishes }), shape = Shapes.create(all, how, how.collapsed), rows = [], nodes = [];
  const walk = (node, path) => {
    nodes.push(node);
    if (shape.own(node) > 0)
      rows.push((path || "all") + " " + shape.own(node));
    const sum = shape.children(node).reduce((left, child) => left + shape.total(child), shape.own(node));
    assert.equal(sum, shape.total(node), path);
    for (const child of shape.children(node)) {
      assert.equal(shape.parent(child), node);
      walk(child, (path ? path + ">" : "") + nameAt(all, shape.source(child)));
    }
  };
  shape.fill(sums);
  walk(0, "");
  return { rows, total: shape.total(0), shape, nodes, all };
}

// All that is below a function or all of them, turned round, as "path total".
function turned(tree, how = {}, sums = wished(tree, USUAL).sums) {
  const callers = Callers.create(tree, how), rows = [];
  const walk = (node, path) => {
    rows.push((path || "all") + " " + callers.total(node));
    for (const child of callers.children(node))
      walk(child, (path ? path + ">" : "") + nameAt(tree, callers.source(child)));
  };
  callers.fill(sums);
  walk(0, "");
  return { rows, callers, ...sums };
}

function addUnits(tap) {
  const tree = treeOf("1 - 1", "1 ab 2", "1 abab 4", "1 ac 8", "2 a 16", "2 bc 32");
  const all = 63;
  tap.add("a tree without wishes keeps its shape, the largest first", () => {
    const { rows, total } = shown(tree, {});
    assert.equal(total, all);
    assert.deepEqual(rows, ["d2>b>c 32", "d2>a 16", "d1 1", "d1>a>c 8", "d1>a>b 2", "d1>a>b>a>b 4"]);
  });
  tap.add("over all domains chains are taken together, idle time is not", () => {
    const { rows, total } = shown(treeOf("0 - 5", "1 - 1", "1 ab 2", "2 ab 4"), { overAll: true });
    assert.equal(total, 12);
    assert.deepEqual(rows, ["all 1", "a>b 6", "d0 5"]);
  });
  tap.add("recursion is one frame, also by way of others", () => {
    const { rows, total } = shown(treeOf("1 aaab 1", "1 abac 2", "1 abab 4"), { recursion: true });
    assert.equal(total, 7);
    assert.deepEqual(rows, ["d1>a>b 5", "d1>a>c 2"]);
  });
  tap.add("time of a function that is hidden is its caller's", () => {
    const hidden = new Uint8Array(NAMES.length + 1);
    hidden[1] = 1;
    const { rows, total } = shown(tree, { hidden });
    assert.equal(total, all);
    assert.deepEqual(rows, ["d2>c 32", "d2>a 16", "d1 1", "d1>a 2", "d1>a>c 8", "d1>a>a 4"]);
    assert.deepEqual(shown(tree, { hidden, overAll: true }).rows, ["all 1", "c 32", "a 18", "a>c 8", "a>a 4"]);
  });
  tap.add("a focus keeps the chains with its function, from there on", () => {
    const { rows, total } = shown(tree, { focus: 1 });
    assert.equal(total, 38);
    assert.deepEqual(rows, ["d2>b>c 32", "d1>b 2", "d1>b>a>b 4"]);
    assert.deepEqual(shown(tree, { focus: 1, overAll: true, recursion: true }).rows, ["b 6", "b>c 32"]);
  });
  tap.add("reasons are root frames, and what is of none has one of its own", () => {
    const other = treeOf("1 - 0", "1 ab 8", "1 ac 4", "2 a 2");
    const uses = [0, 1, 2].map(() => new Float64Array(other.count));
    other.ownTime.forEach((time, i) => { uses[other.frame[i] === 1 ? 1 : other.frame[i] === 2 ? 2 : 0][i] = time; });
    const { rows, total, all: forest } = shown(other, { uses });
    assert.equal(total, 14);
    assert.deepEqual(rows, ["r1>d1>a>b 8", "r2>d1>a>c 4", "r0>d2>a 2"]);
    assert.ok(forest.places[0][1] > 0, "time without a sample has a place, too");
    assert.deepEqual(shown(other, { uses, overAll: true }).rows, ["r1>a>b 8", "r2>a>c 4", "r0>a 2"]);
  });
  tap.add("callers that are not known have no row if there is any below", () => {
    const { shape, nodes } = shown(treeOf("1 ?ab 1", "1 ? 2"), { overAll: true }), below = [];
    assert.deepEqual(nodes.map(shape.isAbsent), [0, 1, 0, 0]);
    shape.forBelow(0, (frame, row) => below.push(NAMES[frame] + row), 1e-3);
    assert.deepEqual(below, ["a1", "b2"]);
    const alone = shown(treeOf("1 ? 2"), { overAll: true });
    assert.deepEqual(alone.nodes.map(alone.shape.isAbsent), [0, 0]);
  });
  tap.add("turned round, each function has what it has itself, and its callers below it", () => {
    assert.deepEqual(turned(treeOf("1 - 1", "1 ab 2", "1 cab 4", "1 a 8", "2 ab 16")).rows,
                     ["all 31", "d2 16", "d2>b 16", "d2>b>a 16", "d1 15", "d1>a 8", "d1>b 6", "d1>b>a 6", "d1>b>a>c 4"]);
    const { all, how, sums } = wished(treeOf("1 ab 2", "1 cab 4", "2 ab 16"), { ...USUAL, overAll: true });
    assert.deepEqual(turned(all, how, sums).rows, ["all 22", "b 22", "b>a 22", "b>a>c 4"]);
  });
  tap.add("callers of one function have all that it called; of recursion the outermost counts", () => {
    assert.deepEqual(turned(treeOf("1 ab 2", "1 abcb 4", "1 b 8", "2 cbd 16"), { seed: 1 }).rows,
                     ["all 30", "c 16", "c>d2 16", "d1 8", "a 6", "a>d1 6"]);
  });
  tap.add("what is filled again keeps its numbers, and what is not there has nothing", () => {
    const { callers, own, total } = turned(treeOf("1 ab 2", "1 cb 4"));
    const [domain] = callers.children(0), [function_] = callers.children(domain), [most, least] = callers.children(function_);
    own[2] = own[3] = total[2] = total[3] = 0;
    callers.fill({ own, ownCount: own, total, totalCount: total });
    assert.deepEqual([callers.total(most), callers.total(least)], [4, 0]);
    assert.deepEqual(callers.children(least), []);
    assert.deepEqual(callers.children(function_), [most]);
  });
  tap.add("all that is below a node is told without making it", () => {
    const { callers } = turned(treeOf("1 cab 2", "2 - 1")), found = [];
    const [domain] = callers.children(0), [function_] = callers.children(domain);
    callers.forBelow(function_, (node, rows, time) => found.push([node, rows, time]));
    assert.deepEqual(found, [[3, 1, 2], [2, 2, 2]]);
  });
}

// The rows of the tree of text at one level: name -> percent.
function rowsAt(screen, level) {
  return screen.tab.run((wanted) => Object.fromEntries(Array.from(document.querySelectorAll('#tree [aria-level="' + wanted + '"]'), (row) =>
    [row.querySelector("bdi").innerText, parseFloat(row.innerText.slice(row.querySelector("bdi").innerText.length + 1))])), level);
}

// Opens rows of the tree of text.
function openRows(screen, name) {
  return screen.tab.run((wanted) => [...document.querySelectorAll("#tree [aria-expanded=false]")]
    .find((row) => row.querySelector("bdi").innerText === wanted).click(), name);
}

function near(found, wanted, what) {
  assert.ok(Math.abs(found - wanted) < 0.0101, what + ": " + found + ", not " + wanted);
}

function addPage(tap, screen, file) {
  const keys = async (...names) => {
    for (const name of names)
      await screen.tab.key(name);
  };
  for (const name of ["chains", "why", "torn", "bursts", "many"])
    tap.add("turned round over all domains, functions have what they have themselves: " + name, async () => {
      await screen.open(file(name));
      await keys("I", "a", "e");
      const functions = await screen.functions(), shown = await rowsAt(screen, 2);
      const named = [...functions].filter(([function_, { own }]) => own > 0 && function_ in shown);
      assert.ok(named.length >= 3 && named.length >= Math.min(20, Object.keys(shown).length - 2), named.length + " functions");
      for (const [function_, { own }] of named)
        near(shown[function_], own, function_);
    });
  tap.add("reasons as root frames have what their cards have, and with the rest all there is", async () => {
    await screen.open(file("why"));
    const all = (await screen.tab.run(() => document.getElementById("taken").innerText)), cards = await screen.texts("#why .card b");
    await keys("e");
    const [before] = Object.values(await rowsAt(screen, 1));
    await keys("x");
    const shown = Object.values(await rowsAt(screen, 2));
    assert.equal(Object.values(await rowsAt(screen, 1))[0], before);
    for (const card of cards)
      assert.ok(shown.some((value) => Math.abs(value - parseFloat(card)) < 0.0101), card + " in " + shown);
    near(shown.reduce((sum, value) => sum + value, 0), before, "all reasons");
    await screen.tab.run(() => document.querySelector("#modes .pick:nth-child(2) input").click());
    assert.notEqual(await screen.text("#taken"), all);
    assert.ok(!("not in Xen" in await rowsAt(screen, 2)) || (await rowsAt(screen, 2))["not in Xen"] < 0.01);
  });
  tap.add("callers stand above the chosen function, what it calls below", async () => {
    await screen.open(file("chains"));
    await screen.tab.run(() => [...document.querySelectorAll("#functions tbody tr")]
      .find((row) => row.textContent.includes("entry_SYSCALL_64")).click());
    await keys("k", "e");
    assert.deepEqual(await rowsAt(screen, 1), { entry_SYSCALL_64: 62.5 });
    assert.deepEqual(await rowsAt(screen, 2), { "called by": 62.5, ksys_write: 37.5, lstar_enter: 25 });
    assert.deepEqual(await rowsAt(screen, 3), { write: 62.5 });
    await keys("f", "ArrowUp", "ArrowUp", "ArrowUp");
    assert.match(await screen.text("#status"), /^\u2068?Domain-0/);
    await keys("Home", "ArrowDown");
    assert.match(await screen.text("#status"), /ksys_write/);
    await keys("Enter");
    assert.equal(await screen.text("#callers-title + .chosen"), "of ksys_write");
    assert.deepEqual(await screen.path(), ["ksys_write"]);
    assert.deepEqual(screen.tab.complaints, []);
  });
  tap.add("a function in the middle is where the flame graph is clicked", async () => {
    const { left, top, width } = await screen.place("#flame");
    await screen.tab.click(left + width / 2, top + 2.5 * 20); // Domain-0, main, write
    assert.deepEqual(await screen.path(), ["write"]);
  });
  tap.add("functions go to their callers, chains begin with one, and both come back", async () => {
    await screen.open(file("chains"));
    await keys("e", "End", "Home");
    await screen.tab.run(() => [...document.querySelectorAll("#functions tbody tr")]
      .find((row) => row.textContent.includes("write") && !row.textContent.includes("ksys")).click());
    await keys("m");
    await openRows(screen, "Domain-0 (0)");
    await openRows(screen, "main");
    assert.deepEqual(await rowsAt(screen, 4), { entry_SYSCALL_64: 62.5 });
    await keys("o");
    assert.deepEqual(await rowsAt(screen, 1), { all: 62.5 });
    assert.deepEqual(await screen.texts("#chosen li"),
                     ["chains from write on \u00d7", "without frames of write \u00d7", "function write \u00d7"]);
    const link = await screen.link();
    await keys("M");
    assert.deepEqual(await screen.texts("#chosen li"), ["function write \u00d7"]);
    assert.equal(await screen.tab.run(() => document.querySelectorAll("#tree [aria-level='2']").length), 2);
    await screen.open(file("basic"));
    await screen.open(file("chains"), link);
    assert.equal(await screen.tab.run(() => document.getElementById("misfit").hidden), true);
    assert.deepEqual(await screen.texts("#chosen li"),
                     ["chains from write on \u00d7", "without frames of write \u00d7", "function write \u00d7"]);
  });
  tap.add("a link has the shape, and where it zooms to in that", async () => {
    await screen.open(file("why"));
    await keys("I", "a", "x");
    await screen.clickFrame(0.3, 2);
    const way = await screen.path(), link = await screen.link();
    assert.deepEqual(new URLSearchParams(link.slice(1)).getAll("shape"), ["inverted", "all-domains", "by-reason"]);
    assert.equal(way.length, 3);
    await screen.open(file("basic"));
    await screen.open(file("why"), link);
    assert.deepEqual(await screen.path(), way);
    assert.equal(await screen.tab.run(() => document.getElementById("misfit").hidden), true);
    await screen.open(file("chains"), "#shape=round&without=nothing");
    assert.match(await screen.text("#misfit"), /no function nothing; no shape round/);
  });
  tap.add("another shape is seen whole, and what is selected later has the zoom that is there", async () => {
    await screen.open(file("why"));
    await screen.clickFrame(0.3, 2);
    assert.equal((await screen.path()).length, 3);
    await keys("I");
    assert.deepEqual(await screen.path(), ["all"]);
    await screen.clickFrame(0.2, 3);
    const way = await screen.path();
    assert.equal(way.length, 4);
    await screen.tab.run(() => document.querySelector("#domains input").click());
    await screen.tab.run(() => document.querySelector("#domains input").click());
    assert.deepEqual(await screen.path(), way);
    await keys("k");
    assert.equal((await screen.path()).length, 1);
    assert.deepEqual(screen.tab.complaints, []);
  });
  tap.add("the menu says what is wished, and Escape closes it", async () => {
    await screen.open(file("chains"));
    await screen.click("#menu summary");
    assert.equal(await screen.tab.run(() => [...document.querySelectorAll("#wishes button")].every((one) => one.disabled)), true);
    await screen.click("#wishes .pick:nth-child(1) input");
    assert.deepEqual(await screen.texts("#chosen li"), ["callers below functions \u00d7"]);
    await keys("Escape");
    assert.equal(await screen.tab.run(() => document.getElementById("menu").open), false);
    assert.equal(await screen.tab.run(() => document.activeElement.parentNode.id), "menu");
    await keys("k"); // takes its place
    assert.match((await screen.texts("#chosen li"))[0], /^callers and callees/);
  });
  tap.add("the menu is in sight in narrow windows, too", async () => {
    for (const width of [1400, 768, 390, 320]) {
      await screen.tab.size(width, 900);
      await screen.open(file("why"));
      const [left, right] = await screen.tab.run(() => {
        document.getElementById("menu").open = true;
        const { left: from, right: to } = document.getElementById("wishes").getBoundingClientRect();
        return [from, to];
      });
      assert.ok(left >= 0 && right <= width, width + ": from " + left + " to " + right);
    }
    await screen.tab.size(1440, 1000);
  });
  tap.add("what is made before anybody asks is what would be made then, also if he asks in its midst", async () => {
    for (const wishes of ["x", "I", "a", "xI", "ux"])
      for (const wait of ["warm", "ready"]) {
        await screen.open(file("basic"));
        await screen.open(file("why"));
        await screen.tab.until((name) => document.documentElement.dataset[name] === "1", wait);
        await keys(...wishes);
        const picture = await screen.picture("flame"), link = await screen.link();
        await screen.open(file("basic"));
        await screen.open(file("why"), link); // at once
        assert.equal(await screen.picture("flame"), picture, wait + ", " + wishes);
        assert.deepEqual(screen.tab.complaints, []);
      }
  });
  tap.add("... and it waits while somebody does something", async () => {
    const { tab } = screen, source = `window.acting = true;
      window.requestIdleCallback = (call) => setTimeout(() => {
        if (window.acting)
          window.dispatchEvent(new Event("wheel"));
        window.asked = (window.asked ?? 0) + 1;
        call({ timeRemaining: () => 50 });
      }, 0);`;
    await screen.open(file("basic"));
    const { identifier } = await tab.send("Page.addScriptToEvaluateOnNewDocument", { source });
    await screen.open(file("why"));
    await tab.send("Page.removeScriptToEvaluateOnNewDocument", { identifier });
    await tab.until(() => window.asked > 1);
    assert.equal(await tab.run(() => document.documentElement.dataset.warm ?? "not yet"), "not yet");
    await tab.run(() => { window.acting = false; });
    await tab.until(() => document.documentElement.dataset.warm === "1");
  });
  tap.add("a page on two sessions has the usual shape alone", async () => {
    await screen.open(file("diff"), "#shape=inverted");
    assert.equal(await screen.tab.run(() => document.getElementById("menu").checkVisibility()), false);
    assert.match(await screen.text("#misfit"), /no shape inverted/);
    await keys("I");
    assert.equal(await screen.tab.run(() => document.getElementById("chosen").hidden), true);
  });
}

function add(tap, screen, file) {
  addUnits(tap);
  addPage(tap, screen, file);
}

module.exports = { add };
