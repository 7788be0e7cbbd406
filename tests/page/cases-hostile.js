// SPDX-License-Identifier: GPL-2.0-or-later
// Pages and pictures of sessions in which every name is hostile
// (tests/cli/hostile-names-session.js): nothing in them is run, obeyed or lost.
"use strict";

const { assert } = require("./tap.js");
const { NAMES } = require("../cli/hostile-names-session.js");

// What a name could do: run, become an element, be obeyed by who shows texts, widen the page, or keep a
// browser that lays it out for half a minute.
async function harm(tab) {
  return tab.run(() => ({
    ran: "ran" in window, scripts: document.scripts.length,
    strange: document.querySelectorAll("main script, main img, aside script, aside img, [onmouseover], [onload], [onerror]").length,
    odd: /[\p{Cf}\p{Zl}\p{Zp}\x00-\x08\x0b-\x1f\x7f-\x9f]/u.test(document.body.innerText.replace(/[\u2068\u2069]/g, "")),
    wide: document.documentElement.scrollWidth > window.innerWidth,
    long: Array.from(document.querySelectorAll("body :not(script)"))
      .some((one) => Array.from(one.childNodes).some((text) => text.nodeType === Node.TEXT_NODE && text.length > 1000)),
  }));
}

const NONE = { ran: false, scripts: 1, strange: 0, odd: false, wide: false, long: false };

function addPage(tap, screen, file, which) {
  tap.add("page of hostile names: " + which, async () => {
    await screen.open(file("hostile-" + which));
    assert.deepEqual(await harm(screen.tab), NONE);
    assert.ok((await screen.texts("#domains .label")).length >= 5);
    for (const [part, row] of [[0.1, 1], [0.1, 2], [0.2, 0], [0.6, 1]]) {
      await screen.clickFrame(part, row);
      assert.deepEqual(await harm(screen.tab), NONE);
    }
    const path = await screen.path();
    const link = await screen.link();
    await screen.open(file("hostile-" + which), link);
    assert.deepEqual(await screen.path(), path);
    await screen.click("#functions tbody tr[data-frame]");
    assert.deepEqual(await harm(screen.tab), NONE);
    await screen.tab.key("D");
    await screen.tab.until(() => document.querySelectorAll("#drawer .shares li").length > 2);
    assert.deepEqual(await harm(screen.tab), NONE);
    await screen.tab.key("Escape");
    assert.deepEqual(screen.tab.complaints, []);
  });
}

function addPicture(tap, tab, svg, which) {
  tap.add("picture of hostile names: " + which, async () => {
    tab.complaints.length = 0;
    await tab.open(svg);
    assert.equal(await tab.run(() => document.documentElement.nodeName), "svg");
    const { left, top, width } = await tab.run(() => {
      const frames = Array.from(document.querySelectorAll(".f rect"), (one) => one.getBoundingClientRect());
      const { left, top, width } = frames[Math.floor(frames.length / 2)];
      return { left, top, width };
    });
    await tab.click(left + width / 2, top + 5);
    await tab.key("/");
    await tab.type("x");
    assert.deepEqual(await tab.run(() => ({
      ran: "ran" in window, scripts: document.querySelectorAll("script").length,
      strange: document.querySelectorAll("parsererror, img, [onmouseover], g[onload], [onerror]").length,
    })), { ran: false, scripts: 1, strange: 0 });
    assert.deepEqual(tab.complaints, []);
  });
}

function add(tap, screen, file, picture) {
  for (const which of Object.keys(NAMES)) {
    addPage(tap, screen, file, which);
    addPicture(tap, screen.tab, picture("hostile-" + which), which);
  }
}

module.exports = { add, harm, NONE };
