// SPDX-License-Identifier: GPL-2.0-or-later
// Why Xen ran: cards that follow what is selected, and select.
"use strict";

const { assert } = require("./tap.js");

const SHOWN = 6;

function add(tap, screen, file, json) {
  const cards = () => screen.tab.run(() => Array.from(document.querySelectorAll("#why .card"),
    (card) => ({ percent: card.querySelector("b").textContent, text: card.querySelector("span").textContent,
                 remedy: card.querySelector(".remedy")?.textContent ?? null })));
  const press = (text) => screen.tab.run((wanted) => Array.from(document.querySelectorAll("#why .card"))
    .find((card) => card.textContent.includes(wanted)).click(), text);
  const percent = (time, all) => (100 * time / all).toFixed(2) + " %";
  const only = (id, name) => screen.tab.run((place, label) =>
    [...document.querySelectorAll("#" + place + " .pick")].find((row) => row.querySelector(".label").textContent === label)
      .querySelector(".only").click(), id, name);

  // As --why has it, of the same part.
  async function same(report) {
    const { reasons, session } = report, all = session.pcpu_time_ns, shown = await cards();
    assert.equal(shown.length, Math.min(SHOWN, reasons.length));
    const times = new Map(reasons.map(({ text, time_ns: time }) => [text, percent(time, all)]));
    for (const { text, percent: part } of shown) {
      const reason = reasons.find((one) => text.startsWith(one.text));
      assert.equal(part, times.get(reason.text), reason.text);
    }
    assert.deepEqual(shown.map((one) => parseFloat(one.percent)),
                     reasons.slice(0, SHOWN).map((one) => parseFloat(times.get(one.text))));
  }

  tap.add("why Xen ran is what --why says, with the remedies", async () => {
    await screen.open(file("why"));
    const report = json("why-why");
    await same(report);
    assert.deepEqual((await cards()).map((card) => card.remedy !== null),
                     report.reasons.slice(0, SHOWN).map((one) => one.advice !== null || one.parts.some((part) => part.advice)));
  });
  tap.add("... of the selected time, and of the selected domains", async () => {
    await screen.open(file("reasons"));
    await same(json("reasons-why"));
    await only("domains", "web (1)");
    await same(json("reasons-web-why"));
    await screen.open(file("basic"));
    await screen.open(file("reasons"), "#time=2..5");
    await same(json("reasons-2..5-why"));
    await only("modes", "user");
    assert.deepEqual(await cards(), []);
  });
  tap.add("a card selects what Xen ran for; again, all", async () => {
    await screen.open(file("why"));
    const report = json("why-why"), [first] = report.reasons, before = (await cards()).map((card) => card.percent);
    await press(first.text);
    assert.match(await screen.text("#taken"), new RegExp("^" + first.samples + " of 636 samples"));
    assert.deepEqual((await cards()).map((card) => card.percent), before);
    assert.equal(await screen.tab.run(() => document.querySelectorAll('#why [aria-pressed="true"]').length), 1);
    const functions = await screen.texts("#functions tbody tr");
    assert.ok(functions.some((row) => row.includes(first.rows[0].functions[0].symbol)));
    const link = await screen.link();
    assert.equal(new URLSearchParams(link.slice(1)).get("reason"), first.text);
    await screen.open(file("basic"));
    await screen.open(file("why"), link);
    assert.match(await screen.text("#taken"), new RegExp("^" + first.samples + " of 636 samples"));
    await press(first.text);
    assert.match(await screen.text("#taken"), /^636 of 636 samples/);
  });
  tap.add("... and by keyboard, where the focus stays", async () => {
    await screen.open(file("why"));
    await screen.tab.key("w");
    await screen.tab.key("Enter");
    assert.equal(await screen.tab.run(() => document.activeElement.getAttribute("aria-pressed")), "true");
    await screen.tab.key("Enter");
    assert.match(await screen.text("#taken"), /^636 of 636 samples/);
  });
  tap.add("twelve rows of the flame graph are on a first screen of 1400x900", async () => {
    await screen.tab.size(1400, 900);
    for (const name of ["why", "overview", "bursts", "rich"]) {
      await screen.open(file(name));
      const top = await screen.tab.run(() => document.getElementById("flame").getBoundingClientRect().top);
      assert.ok(top + 12 * 20 <= 900, name + ": it begins at " + top);
    }
    await screen.tab.size(1440, 1000);
  });
}

module.exports = { add };
