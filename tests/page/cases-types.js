// SPDX-License-Identifier: GPL-2.0-or-later
// A session with samples of several types: the page shows one, in its own unit, and
// lets its reader choose.
"use strict";

const { assert } = require("./tap.js");

async function choose(screen, name) {
  await screen.tab.opening(() => screen.tab.run((wanted) => {
    const list = document.getElementById("type");
    list.value = wanted;
    setTimeout(() => list.dispatchEvent(new Event("change"))); // which leaves this page
  }, name));
  await screen.tab.until(() => document.documentElement.dataset.ready === "1");
}

// All that is said of the session.
async function facts(screen) {
  await screen.tab.run(() => { document.getElementById("more").open = true; });
  return (await screen.text("#info")) + (await screen.text("#facts"));
}

function names(screen) {
  return screen.tab.run(() => [...document.getElementById("type").options].map((one) => one.value));
}

function add(tap, screen, file, json) {
  tap.add("a session of time alone has no choice of a type", async () => {
    await screen.open(file("basic"));
    assert.equal(await screen.tab.run(() => document.getElementById("type-part").hidden), true);
    assert.doesNotMatch(await facts(screen), /samples are of/);
  });
  tap.add("a page shows time, if there is any, and lists what else there is", async () => {
    await screen.open(file("types"));
    assert.deepEqual(await names(screen), ["time", "waiting", "cycles", "instructions"]);
    assert.equal(await screen.tab.run(() => document.getElementById("type").value), "time");
    assert.match(await facts(screen), /100 %\s+8\.000 s of pCPU time/);
    assert.match(await facts(screen),
                 /samples are of\s+time 600\.0 ms \(shown\); waiting 1\.250 s; cycles 1\.10 G; instructions 560 M, counted 75\.00 % of the time, scaled/);
  });
  tap.add("another type has its own figures, unit and percents, as --json has them", async () => {
    await choose(screen, "cycles");
    assert.equal(screen.tab.complaints.length, 0);
    const shown = await screen.functions(), { rows, session } = json("types-cycles");
    const all = session.types.find((type) => type.name === "cycles").amount;
    assert.equal(rows.length, 4);
    for (const row of rows.filter((one) => one.symbol !== null))
      assert.equal(shown.get(row.symbol).own, Number((100 * row.amount / all).toFixed(2)), row.symbol);
    assert.match(await facts(screen), /100 %\s+1\.10 G cycles/);
    assert.match(await screen.text("#bin"), /^bins of .*; full height: .* cycles$/);
    assert.match(await screen.text("#why-count"), /^9\.05 % of cycles$/);
    await screen.clickFrame(0.1, 3);
    assert.match(await screen.text("#status"), /_raw_spin_lock.*800 M cycles, 72\.40 % of cycles/);
  });
  tap.add("a link has the type, and opens it", async () => {
    const link = await screen.link();
    assert.equal(new URLSearchParams(link.slice(1)).get("type"), "cycles");
    await screen.open(file("types"));
    assert.equal(await screen.tab.run(() => document.getElementById("type").value), "time");
    await screen.open(file("types"), link);
    assert.equal(await screen.tab.run(() => document.getElementById("type").value), "cycles");
    assert.equal(await screen.tab.run(() => document.getElementById("misfit").hidden), true);
  });
  tap.add("waiting is no pCPU time, and may be more than there was of that", async () => {
    await choose(screen, "waiting");
    const shown = await screen.functions();
    assert.equal(shown.get("_raw_spin_lock").own, 80);
    assert.match(await facts(screen), /100 %\s+1\.250 s\s/);
    assert.doesNotMatch(await facts(screen), /pCPU time/);
  });
  tap.add("a link to a type that the page has not is said", async () => {
    await screen.open(file("types"), "#type=branches");
    assert.equal(await screen.tab.run(() => document.getElementById("type").value), "time");
    assert.match(await screen.text("#misfit"), /no samples of branches/);
  });
  tap.add("a recording by events says that no sample is of time", async () => {
    await screen.open(file("events"));
    assert.match(await facts(screen), /samples are of\s+cycles:k 1\.70 G \(shown\); .*; none is of time/);
    assert.deepEqual(await names(screen), ["cycles:k", "instructions:k", "cache-references", "cache-misses"]);
    await choose(screen, "cache-misses");
    assert.match(await facts(screen), /100 %\s+1\.83 M misses/);
    assert.equal(screen.tab.complaints.length, 0);
  });
}

module.exports = { add };
