// SPDX-License-Identifier: GPL-2.0-or-later
// The details of a function: its instructions are those of --annotate, and all else
// is of what is selected.
"use strict";

const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { assert } = require("./tap.js");
const { harm, NONE } = require("./cases-hostile.js");

// The functions of --annotate's text: image, name, the domain, and rows as the page has
// them.
function annotated(text) {
  return text.split(/^function {2}/m).slice(1).map((part) => {
    const [, name, image] = part.match(/^(.+) \[(.+)\], at 0x/), domain = part.match(/^domain {4}(.+)$/m)?.[1] ?? "Xen";
    const rows = part.slice(part.indexOf("\npercent")).split("\n").slice(2)
      .filter((line) => line.trim() && !/^(~|rest|\(\d+ more)/.test(line))
      .map((line) => {
        const found = line.match(/^ *(?:([0-9.]+)% +(\d+~?))? +\+0x([0-9a-f]+)(?: {2}(.*))?$/);
        return found ? [found[1] ? found[1] + " %" : "", found[2] ?? "", "+0x" + found[3], (found[4] ?? "").trimEnd()]
          : [line.trim().replace(/^\.\.\./, "\u2026").replaceAll("\\xe2\\x80\\xae", "\\u{202e}")];
      });
    return { name: name.split("#").pop(), image, domain, rows };
  });
}

// What a link calls it.
function linkOf({ image, name }) {
  const where = image === "xen" ? "xen" : image.startsWith("/") ? "user:" + image : image === "kernel" ? "kernel" : "kernel:" + image;
  return "#details=1&function=" + encodeURIComponent(where + ":" + name);
}

function add(tap, screen, file, folder) {
  const { tab } = screen;
  const isOpen = () => tab.run(() => !document.getElementById("drawer").hidden);
  const shown = () => tab.run(() => Array.from(document.querySelectorAll("#drawer .code tbody tr"),
    (row) => Array.from(row.cells, (cell) => cell.textContent)));
  const focused = () => tab.run(() => document.activeElement.dataset.offset ? Number(document.activeElement.dataset.offset)
    : document.activeElement.id || document.activeElement.tagName);
  const pick = (domain) => tab.run((wanted) => {
    const choice = document.querySelector("#drawer select"), one = Array.from(choice.options).find(({ text }) => text.startsWith(wanted + ", "));
    if (one && choice.options.length > 1) {
      choice.value = one.value;
      choice.dispatchEvent(new Event("change"));
    }
  }, domain);
  const all = () => screen.texts("#drawer .figures td").then((texts) => texts.filter((one) => one).map((one) => one.trim()));
  // Lists follow what a page opens with.
  const filled = () => tab.until(() => Array.from(document.querySelectorAll("#drawer .shares")).every((list) => list.firstChild));
  const lists = async () => {
    await filled();
    return tab.run(() => Object.fromEntries(Array.from(document.querySelectorAll("#drawer section"), (part) =>
      [part.querySelector("h3").innerText, Array.from(part.querySelectorAll(".shares li"), (row) =>
        [row.querySelector(".name")?.innerText, parseFloat(row.querySelector(".part")?.innerText)])])));
  };
  const sum = (rows) => rows.reduce((all, [, percent]) => all + percent, 0);

  tap.add("instructions, lines and numbers are those of --annotate", async () => {
    const functions = annotated(fs.readFileSync(path.join(folder, "code.annotate"), "utf8"));
    assert.ok(functions.length > 10);
    for (const one of functions) {
      await tab.open(file("basic"));
      await screen.open(file("code"), linkOf(one));
      await pick(one.domain);
      assert.deepEqual(await shown(), one.rows, one.name + " " + one.domain);
    }
    assert.ok(functions.some(({ rows }) => rows.some(([first]) => /window\.ran/.test(first))));
    assert.deepEqual(await harm(tab), NONE);
    assert.deepEqual(tab.complaints, []);
  });
  tap.add("a stranger finds the instruction that spins with three keys", async () => {
    const actions = ["s", "Enter", "Enter"]; // to the functions, the hottest of them, its details
    await screen.open(file("code"));
    for (const key of actions)
      await tab.key(key);
    assert.ok(actions.length <= 3);
    assert.equal(await screen.text("#drawer h2"), "spin");
    assert.equal(await focused(), 4);
    const [row] = (await shown()).filter(([, , offset]) => offset === "+0x4");
    assert.deepEqual(row, ["85.55 %", "203~", "+0x4", "cmpl    $5, 0x23(%rip)  # counter"]);
    assert.equal(await tab.run(() => {
      const { top, bottom } = document.activeElement.getBoundingClientRect(), box = document.querySelector("#drawer .rows").getBoundingClientRect();
      return top >= box.top && bottom <= box.bottom && bottom <= window.innerHeight;
    }), true, "it is in sight");
  });
  tap.add("n and p go through the hot ones, Escape leads back to where one was", async () => {
    await screen.open(file("code"));
    await tab.key("f");
    await tab.key("D");
    const found = [await focused()];
    for (const key of ["n", "n", "p", "p", "ArrowDown", "ArrowUp", "ArrowUp", "Home", "End"]) {
      await tab.key(key);
      found.push(await focused());
    }
    assert.deepEqual(found, [4, 21, 4, 21, 4, 11, 4, 1, 0, 31]);
    await tab.key("Escape");
    assert.equal(await isOpen(), false);
    assert.equal(await focused(), "flame");
    assert.equal((await screen.texts("#chosen li")).length, 1);
    await tab.key("D");
    assert.equal(await focused(), 4);
    await tab.key("t");
    await tab.key("f");
    assert.equal(await isOpen(), true);
    await tab.key("D");
    assert.equal(await focused(), 4, "into them, if they are open");
    await tab.key("D");
    assert.equal(await isOpen(), false);
    await tab.key("Escape");
    assert.equal((await screen.texts("#chosen li")).length, 0);
  });
  tap.add("D alone is of the hottest function that has a name, if there is one", async () => {
    for (const [link, name] of [["", "emulate"], ["#mode=user&no-domain=Domain-0+(0)", "[user of nginx]"]]) {
      await screen.open(file("basic"));
      await screen.open(file("nameless"), link);
      assert.match((await screen.texts("#functions tbody tr[data-frame]"))[0], /%\s\[/, "the first has none");
      await tab.key("D");
      assert.equal(await screen.text("#drawer h2"), name);
    }
  });
  tap.add("figures, domains, reasons and callers are of what is selected", async () => {
    for (const [name, frame] of [["reasons", "xen:do_iret"], ["why", "xen:do_iret"], ["chains", "kernel:ksys_write"]]) {
      await tab.open(file("basic"));
      await screen.open(file(name), "#details=1&function=" + frame);
      const whole = await all(), { Domains: domains, Reasons: reasons, Callers: callers } = await lists();
      for (const rows of [domains, reasons, callers])
        if (rows.length && rows[0][0])
          assert.ok(Math.abs(sum(rows) - 100) < 0.05 * rows.length, name + ": " + JSON.stringify(rows));
      const own = (await screen.functions()).get(frame.split(":").pop());
      assert.equal(parseFloat(whole[2]), own.own, name);
      assert.equal(parseFloat(whole[6]), own.total, name);
      assert.deepEqual(callers.map(([one]) => one), (await screen.texts("#callers td.name")).map((one) => one.trim()).slice(0, 12));
      for (const [domain, percent] of domains) {
        await tab.open(file("basic"));
        await screen.open(file(name), "#details=1&function=" + frame + "&domain=" + encodeURIComponent(domain));
        const part = await all(), { Domains: alone } = await lists();
        assert.deepEqual(alone, [[domain, 100]]);
        assert.ok(Math.abs(parseFloat(part[6]) - percent * own.total / 100) < 0.02, domain);
      }
    }
  });
  tap.add("reasons are those of why Xen ran, also of a part of the time", async () => {
    await screen.open(file("reasons"), "#details=1&function=xen:do_iret&mode=Xen&time=2..5");
    const { Reasons: reasons } = await lists();
    assert.equal(reasons.length, 1);
    assert.match(reasons[0][0], /iret/);
    assert.match(await screen.text("#drawer .when + p"), /^from 2 to 5 s; most from [0-9.]+ to [0-9.]+ s: [0-9.]+ m?s$/);
  });
  tap.add("of what several domains have, it is what a selected one has", async () => {
    await screen.open(file("code"), "#details=1&function=kernel:spin&domain=web+(1)");
    assert.match(await tab.run(() => document.querySelector("#drawer select").selectedOptions[0].text), /^web \(1\), /);
    assert.deepEqual((await shown()).find(([, samples]) => samples), ["100.00 %", "60", "+0x4", "cmpl    $5, 0x23(%rip)  # counter"]);
    await tab.key("0");
    assert.match(await tab.run(() => document.querySelector("#drawer select").selectedOptions[0].text), /^web \(1\), /, "it stays");
  });
  tap.add("instructions of Xen have the samples of the selected domains", async () => {
    const sampled = (rows) => rows.filter(([, samples]) => samples).map(([part, samples, offset]) => [part, samples.replace("~", ""), offset]);
    await screen.open(file("code"), "#details=1&function=xen:spin");
    for (const [part, domain] of [["0", "Domain-0 (0)"], ["1", "web (1)"]]) {
      const [spin] = annotated(fs.readFileSync(path.join(folder, "code-" + part + ".annotate"), "utf8")).filter(({ name }) => name === "spin");
      await tab.run((name) => Array.from(document.querySelectorAll("#domains .pick"))
        .find((row) => row.querySelector(".label").textContent === name).querySelector(".only").click(), domain);
      await tab.until((name) => { // lists and rows follow
        const domains = document.querySelectorAll("#drawer .shares")[0].querySelectorAll(".name");
        return domains.length === 1 && domains[0].textContent === name;
      }, domain);
      assert.deepEqual(sampled(await shown()), sampled(spin.rows), domain);
    }
  });
  tap.add("what has no code says so, with what to do, and so does what has no row", async () => {
    await screen.open(file("code"), "#details=1&function=kernel:spin_more");
    assert.match(await screen.text("#drawer .said"), /^Its code was not found: give --code=0:FILE, the vmlinux or vmlinuz of 6\.1\.0-none/);
    assert.match(await screen.text("#drawer code"), /^xenopreport --session=code --annotate=kernel:spin_more$/);
    await screen.open(file("wide"), "#details=1&function=user:a.out:caller");
    assert.match(await screen.text("#drawer .said"), /^No sample fell into its own instructions/);
  });
  tap.add("source that not all users of the host may read is not in a page", async () => {
    for (const [name, line] of [["here-644", "annotate.s:7          cmpl    $5, counter(%rip)"], ["here-600", "annotate.s:7"]]) {
      await screen.open(file(name));
      await tab.key("D");
      assert.equal((await shown()).filter((row) => row.length === 1)[2][0], line);
    }
  });
  tap.add("a caller is chosen, and the details are its", async () => {
    await screen.open(file("chains"), "#details=1&function=kernel:ksys_write");
    await filled();
    const name = await screen.text("#drawer .shares button .name");
    await tab.run(() => document.querySelector("#drawer .shares button").click());
    assert.equal(await screen.text("#drawer h2"), name);
    assert.equal(await focused(), "drawer-title");
  });
  tap.add("a link has the details, and y the command that prints them", async () => {
    await screen.open(file("code"));
    await tab.key("D");
    const link = await screen.link();
    assert.match(link, /function=xen%3Aspin&details=1/);
    await screen.open(file("basic"));
    for (const [name, fragment] of [["code", link], ["hostile-quotes", ""], ["hostile-columns", ""], ["hostile-format", ""], ["hostile-bidi", ""]]) {
      await screen.open(file(name), fragment);
      if (!fragment) {
        await tab.run(() => Array.from(document.querySelectorAll("#functions tbody tr[data-frame]"))
          .find((row) => !/^(0x|\[)/.test(row.querySelector(".name").innerText.trim())).click());
        await tab.key("D");
      }
      assert.equal(await isOpen(), true);
      const command = await tab.run(() => new Promise((done) => {
        navigator.clipboard.writeText = async (text) => done(text);
        document.dispatchEvent(new KeyboardEvent("keydown", { key: "y" }));
      }));
      assert.match(command, new RegExp("^xenopreport --session=" + name + " '?--annotate="));
      const here = command.replace("xenopreport", '"$XENOPREPORT_HERE" --session-dir="$SESSIONS_HERE" --no-header --width=0');
      const { stdout, stderr } = spawnSync("sh", ["-c", here], { env: { ...process.env, SESSIONS_HERE: folder }, encoding: "utf8" });
      const [one] = annotated(stdout);
      assert.ok(one, command + ": " + stderr);
      assert.deepEqual(one.rows.filter((row) => row.length > 1), (await shown()).filter((row) => row.length > 1), command);
    }
  });
  tap.add("beside the details eight rows of the flame graph are in sight, and all buttons", async () => {
    for (const [width, height, rows] of [[1400, 900, 8], [1280, 900, 8], [1200, 800, 2]]) {
      await tab.size(width, height);
      await screen.open(file("basic"));
      await screen.open(file("rich"), "#details=1&function=user:/usr/lib/postgresql/postgres:heap_getnext");
      await filled();
      const seen = await tab.run(() => {
        const edge = document.getElementById("drawer").getBoundingClientRect().left;
        const cut = [...document.querySelectorAll("body > :not(#drawer) :is(button, input, summary)")].filter((one) => one.checkVisibility() &&
          !one.closest(".cards, .skip, #whom, .scroll") && one.getBoundingClientRect().right > edge);
        return { top: document.getElementById("flame-box").getBoundingClientRect().top, cut: cut.map((one) => one.id || one.innerText) };
      });
      assert.deepEqual(seen.cut, []);
      assert.ok(seen.top + 20 * rows <= height, width + ": it begins at " + seen.top);
    }
    await tab.size(1440, 1000);
  });
  tap.add("on a phone the details are all there is, until they are closed", async () => {
    await tab.size(390, 844);
    await screen.open(file("code"), "#details=1&function=xen:spin");
    const before = await tab.run(() => ({ wide: document.getElementById("drawer").offsetWidth, inert: document.querySelector("main").inert,
                                          over: document.documentElement.scrollWidth > window.innerWidth }));
    assert.deepEqual(before, { wide: 390, inert: true, over: false });
    await screen.click("#drawer header button");
    assert.equal(await tab.run(() => document.querySelector("main").inert), false);
    await screen.click("#details");
    assert.equal(await isOpen(), true);
    await tab.size(1440, 1000);
    await tab.until(() => !document.querySelector("main").inert);
  });
}

module.exports = { add };
