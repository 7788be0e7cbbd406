// SPDX-License-Identifier: GPL-2.0-or-later
// The SVG picture, with its script and without.
"use strict";

const { assert } = require("./tap.js");

function addScript(tap, tab, svg) {
  const shown = (name) => tab.run((wanted) => {
    const group = Array.from(document.querySelectorAll(".f"))
      .find((one) => one.querySelector("title").textContent.includes(wanted));
    const box = group.querySelector("rect").getBoundingClientRect();
    return { left: box.left, top: box.top, width: box.width, height: box.height,
             gone: getComputedStyle(group).display === "none" };
  }, name);

  tap.add("the picture is well-formed, and nothing in it is run", async () => {
    tab.complaints.length = 0;
    await tab.open(svg);
    assert.equal(await tab.run(() => document.documentElement.nodeName), "svg");
    assert.equal(await tab.run(() => document.querySelectorAll("parsererror, b").length), 0);
    assert.equal(await tab.run(() => document.querySelectorAll("script").length), 1);
    assert.deepEqual(tab.complaints, []);
  });
  tap.add("a click zooms in, the frame below leads back", async () => {
    const before = await shown("ksys_write");
    await tab.click(before.left + 20, before.top + 5);
    const after = await shown("ksys_write");
    assert.ok(after.width > 2 * before.width, JSON.stringify({ before, after }));
    assert.equal((await shown("do_xen_version")).gone, true);
    const all = await shown("all");
    await tab.click(all.left + 20, all.top + 5);
    assert.deepEqual(await shown("ksys_write"), before);
  });
  tap.add("search marks and sums, each time once", async () => {
    await tab.key("/");
    await tab.type("entry|ksys");
    assert.equal(await tab.run(() => document.getElementById("matched").textContent),
                 "matched " + (100 * 500 / 790).toFixed(2) + " %, 2 frames");
    assert.equal(await tab.run(() => document.querySelectorAll(".f.hit").length), 2);
    await tab.key("Escape");
    assert.equal(await tab.run(() => document.querySelectorAll(".f.hit").length), 0);
  });
  tap.add("keys: arrows, Enter, Backspace, i", async () => {
    for (const key of ["ArrowDown", "ArrowDown", "Enter"])
      await tab.key(key);
    assert.match(await tab.run(() => document.getElementById("status").textContent), /^main/);
    const before = await shown("main");
    await tab.key("i");
    assert.notEqual((await shown("main")).top, before.top);
    await tab.key("Escape");
  });
  tap.add("it takes the width of its window", async () => {
    await tab.size(900, 700);
    await tab.until(() => document.querySelector(".f rect").getBoundingClientRect().width < 900);
    await tab.size(1440, 1000);
  });
}

function add(tap, screen, svg, torn, page) {
  const { tab } = screen;
  addScript(tap, tab, svg);
  addColours(tap, screen, svg, page);
  tap.add("it opens with its root on top, and says how many chains are whole", async () => {
    await tab.open(svg);
    const at = (name) => tab.run((wanted) => Array.from(document.querySelectorAll(".f"))
      .find((one) => one.querySelector("title").textContent.includes(wanted)).querySelector("rect").getBoundingClientRect().top, name);
    assert.ok(await at("all") < await at("ksys_write"));
    assert.match(await tab.run(() => document.querySelectorAll(".facts")[1].textContent), /0 lost\. 100\.0 % of chains are whole/);
  });
  tap.add("what was called from what is not known is torn", async () => {
    await tab.open(torn);
    const shown = await tab.run(() => Array.from(document.querySelectorAll(".f"), (one) => ({
      name: one.querySelector("title").textContent.split("\n")[0], torn: one.classList.contains("torn"),
      dashes: getComputedStyle(one.querySelector("rect")).strokeDasharray,
    })));
    assert.equal(shown.some((one) => /truncated|guest moved/.test(one.name)), false);
    assert.ok(shown.some((one) => one.torn));
    assert.ok(shown.every((one) => one.torn === (one.dashes !== "none")));
  });
  // Without a title, Chromium takes a time that grows with the square of the frames.
  tap.add("its title is found at once", async () => {
    await tab.open(svg);
    assert.equal(await tab.run(() => document.documentElement.firstElementChild.nodeName), "title");
    assert.ok(await tab.run(() => document.title));
    assert.equal(await tab.run(() => document.querySelectorAll("svg > .f").length), 0);
  });
  tap.add("without its script the picture is there", async () => {
    await tab.send("Emulation.setScriptExecutionDisabled", { value: true });
    await tab.open(svg);
    await tab.send("Emulation.setScriptExecutionDisabled", { value: false });
    assert.ok(await tab.run(() => document.querySelectorAll(".f").length) > 10);
    assert.equal(await tab.run(() => getComputedStyle(document.getElementById("tools")).display), "none");
  });
}

// Other viewers than browsers know no variables of a style sheet, so the
// picture has the page's colours by value.
function addColours(tap, screen, svg, page) {
  tap.add("its colours are those of the page", async () => {
    await screen.open(page);
    const wanted = await screen.tab.run(() => [0, 1, 2, 3].map((i) => "--mode-" + i)
      .concat([0, 1, 2, 3, 4, 5, 6].map((i) => "--change-" + i))
      .map((name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()));
    await screen.tab.open(svg);
    const drawn = await screen.tab.run(() => [0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12].map((i) => {
      const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      rect.setAttribute("class", "c" + i);
      document.documentElement.append(rect);
      const parts = getComputedStyle(rect).fill.match(/\d+/g);
      rect.remove();
      return "#" + parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("");
    }));
    assert.deepEqual(drawn, wanted);
  });
}

module.exports = { add };
