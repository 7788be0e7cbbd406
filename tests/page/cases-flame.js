// SPDX-License-Identifier: GPL-2.0-or-later
// How the flame graph is drawn: what is narrower than a pixel, the small picture of
// all of it, and files.
"use strict";

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { assert } = require("./tap.js");

const text = fs.readFileSync(path.join(__dirname, "../../report/page/blend.js"), "utf8");
const Blend = new Function(text + "; return Blend;")();

const ROW = 20; // pixels

function addBlend(tap, screen, file) {
  tap.add("a pixel has the mean colour of its frames, by how much of it each is", () => {
    const blend = Blend.create(4, Float32Array.from([200, 0, 0, 0, 100, 40]), [1, 2, 3]);
    blend.add(0.2, 3, 0.75, 0, false);
    blend.add(0.9, 3, 0.25, 1, false);
    blend.add(1.5, 3, 0.1, 1, false);
    blend.add(2.5, 3, 0.1, 1, false);
    blend.add(9, -1, 0.1, 0, false); // rounding: the last pixel
    assert.deepEqual(blend.pieces(), [{ depth: -1, x: 3, wide: 1, colour: "#c80000" },
                                      { depth: 3, x: 0, wide: 1, colour: "#96190a" }, { depth: 3, x: 1, wide: 2, colour: "#006428" }]);
    assert.deepEqual([blend.has(2.9, 3), blend.has(3, 3), blend.has(1, 2)], [true, false, false]);
  });
  tap.add("... and what is marked has its own", () => {
    const blend = Blend.create(1, Float32Array.from([200, 0, 0]), [1, 2, 3]);
    blend.add(0, 0, 0.01, 0, true);
    blend.add(0, 0, 0.9, 0, false);
    assert.deepEqual(blend.pieces(), [{ depth: 0, x: 0, wide: 1, colour: "#010203" }]);
  });
  tap.add("where there are frames, there is no gap of paper wider than a pixel", async () => {
    await screen.open(file("many"));
    for (const key of ["", "I", "a"]) {
      if (key)
        await screen.tab.key(key);
      const gaps = await screen.tab.run((row) => {
        const canvas = document.getElementById("flame"), { data, width } = canvas.getContext("2d").getImageData(0, row * 20 + 10, canvas.width, 1);
        const clear = Array.from({ length: width - 1 }, (none, x) => data[4 * x + 3] < 128 && data[4 * x + 7] < 128 ? x : -1);
        return clear.filter((x) => x >= 0);
      }, key === "" ? 3 : 2);
      assert.deepEqual(gaps, [], "after " + (key || "opening"));
    }
  });
  tap.add("a place with frames narrower than a pixel says so", async () => {
    await screen.open(file("many"));
    const { left, top, width } = await screen.place("#flame");
    await screen.tab.move(left + width - 2, top + 3.5 * ROW);
    assert.match(await screen.text("#tip"), /^frames narrower than a pixel/);
  });
}

function addMap(tap, screen, file) {
  const isHidden = () => screen.tab.run(() => document.getElementById("map").hidden);
  tap.add("the small picture is there when not all is in sight, and leads back", async () => {
    await screen.open(file("chains"));
    await screen.tab.run(() => new Promise((done) => { setTimeout(done, 150); }));
    assert.equal(await isHidden(), true);
    await screen.clickFrame(0.1, 4);
    await screen.tab.until(() => !document.getElementById("map").hidden);
    const place = await screen.place("#map"), graph = await screen.place("#flame-box");
    assert.ok(place.left + place.width <= graph.left + graph.width && place.top + place.height <= graph.top + graph.height);
    await screen.tab.click(place.left + place.width - 3, place.top + 4); // beside what is in sight
    assert.deepEqual(await screen.path(), ["all"]);
    await screen.tab.until(() => document.getElementById("map").hidden);
    assert.deepEqual(screen.tab.complaints, []);
  });
  tap.add("in the small picture rows are brought into sight", async () => {
    await screen.open(file("why"));
    await screen.tab.run(() => { document.getElementById("flame-box").style.maxHeight = "120px"; });
    await screen.tab.size(1440, 990); // as if the window were low
    await screen.tab.until(() => !document.getElementById("map").hidden);
    // Once more if all else that follows another size came between: the picture is elsewhere then.
    for (let i = 0; i < 5; i++) {
      const { left, top, width, height } = await screen.place("#map");
      await screen.tab.click(left + width / 2, top + height - 1);
      if (await screen.tab.run(() => document.getElementById("flame-box").scrollTop > 0))
        break;
    }
    assert.ok(await screen.tab.run(() => document.getElementById("flame-box").scrollTop > 0));
    assert.deepEqual(screen.tab.complaints, []);
    await screen.tab.size(1440, 1000);
  });
}

function addFiles(tap, screen, file) {
  // What the browser has written after a key.
  const save = async (key, name) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "xenoprof-saved-"));
    try {
      await screen.tab.send("Page.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
      await screen.tab.key(key);
      for (let i = 0; i < 500 && !fs.existsSync(path.join(folder, name)); i++)
        await new Promise((done) => { setTimeout(done, 20); });
      return fs.readFileSync(path.join(folder, name));
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  };
  tap.add("P saves the flame graph as SVG, in which names are text", async () => {
    await screen.open(file("chains"));
    const saved = (await save("P", "chains.svg")).toString();
    assert.match(saved, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<svg /);
    const found = await screen.tab.run((text) => {
      const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
      return { error: parsed.querySelector("parsererror")?.textContent ?? "", strange: parsed.querySelectorAll("script, c, a, image, use, style").length,
               names: [...parsed.querySelectorAll("g text")].map((one) => one.textContent),
               hints: [...parsed.querySelectorAll("g > title")].map((one) => one.textContent),
               odd: [...parsed.querySelectorAll("*")].flatMap((one) => [...one.attributes]).filter(({ name }) => /^on|href/.test(name)).length };
    }, saved);
    assert.deepEqual([found.error, found.strange, found.odd], ["", 0, 0]);
    assert.ok(found.names.includes("entry_SYSCALL_64") && found.names.includes('a]]>b&"<c>'), String(found.names));
    assert.ok(found.hints.some((hint) => /^entry_SYSCALL_64\nkernel, entry and exit\n500\.0 ms, 62\.50 % of pCPU time/.test(hint)));
    assert.deepEqual(screen.tab.complaints, []);
  });
  tap.add("p saves it as PNG, also of another shape", async () => {
    await screen.open(file("why"), "#shape=inverted", "dark");
    const saved = await save("p", "why.png");
    assert.equal(saved.subarray(1, 4).toString(), "PNG");
    const [width, height] = [saved.readUInt32BE(16), saved.readUInt32BE(20)];
    const canvas = await screen.tab.run(() => [document.getElementById("flame").width, document.getElementById("flame").height]);
    assert.ok(width > canvas[0] && height > canvas[1], width + " x " + height);
    assert.deepEqual(screen.tab.complaints, []);
  });
}

function add(tap, screen, file) {
  addBlend(tap, screen, file);
  addMap(tap, screen, file);
  addFiles(tap, screen, file);
}

module.exports = { add };
