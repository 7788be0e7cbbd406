// SPDX-License-Identifier: GPL-2.0-or-later
// The page, used by mouse and by keyboard.  "chains" is a session of two domains
// with hostile names: tests/golden/report/flamegraph.session.
"use strict";

const { assert } = require("./tap.js");

// What is in it, in ms: 300 in ksys_write, 200 in do_xen_version, 200 and 90 in
// the other domain's processes, 10 idle.
const ALL = 800;

function percent(ms) {
  return Number((100 * ms / ALL).toFixed(2));
}

// What is known of the session, behind the answer.
async function facts(screen) {
  await screen.tab.run(() => { document.getElementById("more").open = true; });
  return screen.text("#facts");
}

function addFigures(tap, screen, file, json) {
  tap.add("its table has the figures of --json", async () => {
    await screen.open(file("basic"));
    const shown = await screen.functions();
    const rows = json("basic").rows.filter((row) => row.symbol !== null && row.mode !== "idle");
    const all = json("basic").session.pcpu_time_ns;
    assert.ok(rows.length >= 4);
    for (const row of rows)
      assert.equal(shown.get(row.symbol).own, Number((100 * row.time_ns / all).toFixed(2)), row.symbol);
  });
  tap.add("what is known of the session, and losses are in sight", async () => {
    assert.match(await facts(screen), /nmi, 100 Hz/);
    const info = await screen.text("#info");
    assert.match(info, /lost\s+14 \(1\.54 %\)/);
    assert.match(await facts(screen), /missed\s+190 of 1\s100 ticks/);
  });
  tap.add("rows that cannot be in sight come soon after the others", async () => {
    const rows = `document.getElementById("functions").tBodies[0].rows.length`;
    await screen.open(file("wide"));
    await screen.tab.until("() => " + rows + " === 100");
    const atOnce = await screen.tab.run(`() => {
      for (let i = 0; i < 3; i++)
        document.getElementById("all").click();
      return ${rows};
    }`);
    assert.ok(atOnce < 30);
    await screen.tab.until("() => " + rows + " >= 100");
    assert.equal(await screen.tab.run("() => " + rows), 100);
  });
  tap.add("tables out of sight follow soon, and at once if they are printed, asked for or scrolled to", async () => {
    const open = async () => {
      await screen.tab.size(1440, 400);
      await screen.open(file("why"));
      await screen.tab.run(async () => {
        const frame = () => new Promise(requestAnimationFrame), first = () => document.querySelector("#functions tbody tr").textContent, wanted = first();
        await frame();
        await frame(); // by now it is known what is in sight
        const lists = document.querySelector(".lists"), timer = window.setTimeout;
        Object.assign(window, { choose: () => {
          window.setTimeout = () => 0; // nothing comes later
          document.querySelector("#modes .only").click();
          window.setTimeout = timer;
          return [lists.getAttribute("aria-busy"), first() === wanted];
        }, shown: () => [lists.getAttribute("aria-busy"), first() === wanted] });
      });
    };
    const isNow = "() => { const [busy, same] = window.shown(); return busy === null && !same; }";
    await open();
    assert.deepEqual(await screen.tab.run(() => {
      const before = window.choose();
      window.dispatchEvent(new Event("beforeprint"));
      return [before, window.shown()];
    }), [["true", true], [null, false]]);
    await open();
    assert.deepEqual(await screen.tab.run(() => {
      const before = window.choose();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "s", bubbles: true }));
      return [before, window.shown(), document.activeElement.closest("table").id];
    }), [["true", true], [null, false], "functions"]);
    await open();
    assert.deepEqual(await screen.tab.run(() => {
      const before = window.choose();
      document.querySelector(".lists").scrollIntoView();
      return before;
    }), ["true", true]);
    await screen.tab.until(isNow);
    await open();
    await screen.tab.run(() => document.querySelector("#modes .only").click());
    await screen.tab.until(isNow);
    await screen.tab.size(1440, 1000);
  });
  tap.add("kernels and the ends of chains are in sight", async () => {
    await screen.open(file("ends"));
    const info = (await screen.text("#info")) + await facts(screen);
    assert.match(info, /chains\s+78\.33 % reached their root/);
    assert.match(info, /kernel of Domain-0\s+6\.12\.9-amd64 at 0xffffffff81000000/);
    assert.match(info, /other livepatches\s+hotfix-1=below hotfix=2=above/);
    assert.match(info, /kernel of db\s+not found: it is not Linux/);
  });
  tap.add("each cause of a chain's end has its words, and what helps is in sight", async () => {
    await screen.open(file("causes"));
    const info = (await screen.text("#info")) + await facts(screen);
    const hint = await screen.tab.run(() => document.querySelector("#info [title*=walker]").title);
    assert.match(info, /chains\s+75\.31 % reached their root/);
    assert.match(info, /chains that found the spool full\s+start with a larger --spool/);
    assert.match(info, /chains that are of guests whose memory this Xen's facts do not show\s+load the module with --xen-syms/);
    assert.doesNotMatch(info, /chains that got no answer/);
    assert.match(hint, /^web \(1\), 207 in kernel: .*0\.48 % found the spool full/);
    assert.match(hint, /1\.45 % got no answer from their walker/);
    assert.match(hint, /\ndb \(2\), 32 in kernel: .*31\.25 % are of a guest whose memory ended too many processes/);
  });
  tap.add("expired samples are in sight, where there are any", async () => {
    await screen.open(file("expired"));
    assert.match(await screen.text("#info"), /expired\s+70 \(--max-size, --max-age\)/);
    await screen.open(file("basic"));
    assert.doesNotMatch(await screen.text("#info"), /expired/);
  });
}

function addMouse(tap, screen, file) {
  tap.add("a click on a frame zooms in and chooses its function", async () => {
    await screen.open(file("chains"));
    await screen.clickFrame(0.1, 4);
    assert.deepEqual((await screen.path()).slice(-2), ["write", "entry_SYSCALL_64"]);
    assert.deepEqual(await screen.texts("#callers td.name"), ["write"]);
    assert.deepEqual(await screen.texts("#callees td.name"), ["ksys_write", "lstar_enter"]);
    assert.deepEqual(await screen.texts("#callees td.part"), ["60.00 %", "40.00 %"]);
  });
  tap.add("a click on a frame above zooms out", async () => {
    await screen.clickFrame(0.5, 0);
    assert.deepEqual(await screen.path(), ["all"]);
  });
  tap.add("the pointer over a frame shows its name and time", async () => {
    const { left, top, width } = await screen.place("#flame");
    await screen.tab.move(left + 0.1 * width, top + 4.5 * 20);
    assert.match(await screen.text("#tip"), /^entry_SYSCALL_64\nkernel, entry and exit\n500\.0 ms, 62\.50 % of pCPU time/);
  });
  tap.add("a mode that is not wanted goes", async () => {
    await screen.click("#modes .pick:nth-child(1) input");
    const shown = await screen.functions();
    assert.equal(shown.has("do_xen_version"), false);
    assert.equal(shown.get("ksys_write").own, percent(300));
    assert.equal(shown.get("main").total, percent(300));
  });
  tap.add("All brings it back, but no idle time", async () => {
    await screen.click("#all");
    const shown = await screen.functions();
    assert.equal(shown.get("do_xen_version").own, percent(200));
    assert.equal(await screen.tab.run(() => document.querySelector("#modes .pick:nth-child(4) input").checked), false);
  });
  tap.add("only one domain, only one image, only one vCPU", async () => {
    await screen.tab.run(() => document.querySelector("#domains .pick:nth-child(1) .only").click());
    assert.equal((await screen.functions()).get("main").total, percent(500));
    assert.equal((await screen.functions()).size, 6);
    await screen.tab.run(() => document.querySelector("#images .pick:nth-child(1) .only").click());
    assert.deepEqual([...(await screen.functions()).keys()].sort(),
                     ["entry_SYSCALL_64", "ksys_write", "main", "write"]);
    await screen.open(file("basic"));
    await screen.click("#domains .vcpus:last-of-type button:nth-child(1)");
    const shown = await screen.functions();
    assert.equal(shown.has("do_xen_version"), false);
    assert.equal(shown.get("[user]").own, 5.86);
  });
}

function addTimes(tap, screen, file) {
  tap.add("a part of the time, dragged", async () => {
    await screen.open(file("chains"));
    const { width } = await screen.place("#timeline");
    const at = (second) => (132 + second * (width - 132)) / width;
    await screen.drag("#timeline", [at(0.4), 0.5], [at(0.6), 0.5]);
    const shown = await screen.functions();
    assert.deepEqual([...shown.keys()].sort(),
                     ["do_xen_version", "entry_SYSCALL_64", "lstar_enter", "main", "write"]);
  });
  tap.add("a part of the time, typed", async () => {
    for (const [id, value] of [["from", "0.1"], ["to", "0.25"]])
      await screen.tab.run((name, text) => {
        document.getElementById(name).value = text;
        document.getElementById(name).dispatchEvent(new Event("change"));
      }, id, value);
    assert.deepEqual([...(await screen.functions()).keys()].sort(),
                     ["entry_SYSCALL_64", "ksys_write", "main", "write"]);
    // 15 samples of 10 ms, and no account: this is all there is.
    assert.equal((await screen.functions()).get("ksys_write").own, 100);
  });
  tap.add("a part of the time, by keys; Escape ends it", async () => {
    await screen.click("#whole");
    await screen.tab.run(() => document.activeElement.blur());
    await screen.tab.key("t");
    for ( let i = 0; i < 10; i++ )
      await screen.tab.key("ArrowRight");
    for ( let i = 0; i < 10; i++ )
      await screen.tab.key("ArrowRight", { shift: true });
    assert.equal(await screen.tab.run(() => document.getElementById("from").value), "0.1");
    assert.equal(await screen.tab.run(() => document.getElementById("to").value), "0.2");
    await screen.tab.key("Escape");
    assert.equal(await screen.tab.run(() => document.getElementById("to").value), "1");
  });
  tap.add("a part of the time, in the heat map", async () => {
    await screen.open(file("basic"));
    const { width } = await screen.place("#heat");
    const at = (second) => (54 + second / 10 * (width - 54)) / width;
    await screen.drag("#heat", [at(1.5), 0.85], [at(3.5), 0.85]);
    const from = Number(await screen.tab.run(() => document.getElementById("from").value));
    const to = Number(await screen.tab.run(() => document.getElementById("to").value));
    assert.ok(from >= 1 && from < 1.1 && to > 3 && to < 3.2, from + " to " + to);
  });
}

function addKeys(tap, screen, file) {
  tap.add("search by key: what matches is marked and summed", async () => {
    await screen.open(file("chains"));
    const before = await screen.picture("flame");
    await screen.tab.key("/");
    await screen.tab.type("KSYS|lstar");
    assert.equal(await screen.text("#matched"), "matched " + (100 * 500 / 790).toFixed(2) + " %");
    assert.deepEqual([...(await screen.functions()).keys()].sort(), ["ksys_write", "lstar_enter"]);
    assert.notEqual(await screen.picture("flame"), before);
  });
  tap.add("n goes to the next match", async () => {
    await screen.tab.key("Enter");
    await screen.tab.key("n");
    assert.match(await screen.text("#status"), /ksys_write/);
    await screen.tab.key("n");
    assert.match(await screen.text("#status"), /lstar_enter/);
  });
  tap.add("half a regular expression is not an error", async () => {
    await screen.tab.key("/");
    await screen.tab.type("(");
    assert.equal(await screen.text("#matched"), "no regular expression yet");
    await screen.tab.key("Escape");
    assert.equal(await screen.text("#matched"), "");
  });
  tap.add("arrows, Enter and Backspace in the flame graph", async () => {
    for (const key of ["f", "Home", "ArrowDown", "ArrowRight", "ArrowDown", "ArrowDown", "Enter"])
      await screen.tab.key(key);
    assert.deepEqual((await screen.path()).length, 4);
    assert.match((await screen.path())[3], /\\u\{202e\}/);
    await screen.tab.key("Backspace");
    assert.equal((await screen.path()).length, 3);
    await screen.tab.key("r");
    assert.deepEqual(await screen.path(), ["all"]);
  });
  tap.add("i turns it round", async () => {
    const before = await screen.picture("flame");
    await screen.tab.key("i");
    assert.notEqual(await screen.picture("flame"), before);
    await screen.tab.key("i");
    assert.equal(await screen.picture("flame"), before);
  });
  tap.add("arrows and Enter in the table", async () => {
    for (const key of ["s", "ArrowDown", "Enter"])
      await screen.tab.key(key);
    assert.equal(await screen.text("#callers-title + .chosen"), "of do_xen_version");
  });
  tap.add("? lists the keys, Escape closes the list", async () => {
    await screen.tab.key("?");
    assert.equal(await screen.tab.run(() => document.getElementById("keys").open), true);
    assert.match(await screen.text("#key-table"), /Backspace/);
    assert.ok(await screen.tab.run(() => {
      const { left, top } = document.querySelector("#key-table td").getBoundingClientRect();
      return Boolean(document.elementFromPoint(left + 2, top + 8)?.closest("#key-table"));
    }), "it begins at its first key");
    await screen.tab.key("Escape");
    assert.equal(await screen.tab.run(() => document.getElementById("keys").open), false);
  });
  for (const width of [1000, 768, 390])
    tap.add(width + " pixels are enough for the page's name in a line or two, and for the bar", async () => {
      await screen.tab.size(width, 900);
      await screen.open(file("types"));
      const { lines, wide } = await screen.tab.run(() => ({
        lines: document.getElementById("name").getBoundingClientRect().height / 20,
        wide: document.documentElement.scrollWidth }));
      assert.ok(lines < 3, lines + " lines");
      assert.equal(wide, width);
      await screen.tab.size(1440, 1000);
    });
  tap.add("Tab reaches everything, each with a name and visible", async () => {
    await screen.open(file("basic"));
    const seen = new Set();
    for (let i = 0; i < 80; i++) {
      await screen.tab.key("Tab");
      const at = await screen.tab.run(() => {
        const one = document.activeElement;
        const style = getComputedStyle(one), around = getComputedStyle(one.parentNode);
        return {
          id: one.id || one.className + one.textContent.slice(0, 20),
          named: Boolean(one.ariaLabel || one.textContent.trim() || one.labels?.[0]?.textContent.trim()),
          seen: style.outlineStyle !== "none" || around.outlineStyle !== "none" || one === document.body,
        };
      });
      assert.ok(at.named, at.id + " has no name");
      assert.ok(at.seen, at.id + " does not show that it has the focus");
      seen.add(at.id);
    }
    for (const id of ["words", "copy", "theme", "help", "all", "from", "to", "whole", "timeline", "heat", "flip", "flame"])
      assert.ok(seen.has(id), id + " is not reached");
  });
}

function addLinks(tap, screen, file) {
  tap.add("a link shows what was on the screen", async () => {
    await screen.open(file("chains"));
    await screen.clickFrame(0.1, 3);
    await screen.click("#modes .pick:nth-child(1) input");
    await screen.tab.key("/");
    await screen.tab.type("ksys");
    await screen.tab.key("Enter");
    await screen.tab.run(() => document.activeElement.blur());
    const link = await screen.link();
    const there = [await screen.path(), await screen.text("#functions"), await screen.picture("flame"),
                   await screen.picture("timeline")];
    await screen.open(file("chains"), link);
    assert.deepEqual([await screen.path(), await screen.text("#functions"), await screen.picture("flame"),
                      await screen.picture("timeline")], there);
  });
  tap.add("a link that makes no sense shows everything", async () => {
    await screen.open(file("chains"), "#z=99999&function=-1&time=5000..2&mode=77.x&find=%5B&up=%00&zoom=%3Cb%3E");
    assert.deepEqual(await screen.path(), ["all"]);
    assert.equal(await screen.text("#misfit"), "The link does not fit this page. Here is no mode 77.x; not the time 5000..2 s; " +
      "nothing called z; no function -1; and 1 more. The rest of it is shown.");
    assert.deepEqual(screen.tab.complaints, []);
  });
}

function addSchemes(tap, screen, file) {
  for (const [scheme, paper] of [["light", "rgb(255, 255, 255)"], ["dark", "rgb(20, 23, 26)"]])
    tap.add("as the browser asks: " + scheme, async () => {
      await screen.open(file("chains"), "", scheme);
      const here = () => screen.tab.run(() => getComputedStyle(document.documentElement).backgroundColor);
      assert.equal(await here(), paper);
      await screen.tab.key("b");
      assert.notEqual(await here(), paper);
    });
}

function addHostile(tap, screen, file) {
  for (const scheme of ["light", "dark"])
    tap.add("names do no harm, " + scheme, async () => {
      await screen.open(file("chains"), "", scheme);
      const found = await screen.tab.run(() => ({
        scripts: document.scripts.length, strange: document.querySelectorAll("c, main script").length,
        odd: /[\p{Cf}\p{Zl}\p{Zp}\x00-\x08\x0b-\x1f\x7f-\x9f]/u.test(document.body.innerText.replace(/[\u2068\u2069]/g, "")),
        wide: document.documentElement.scrollWidth > window.innerWidth,
      }));
      assert.deepEqual(found, { scripts: 1, strange: 0, odd: false, wide: false });
      assert.ok((await screen.texts("#domains .label")).includes("<script>alert('1')</script> (1)"));
      assert.ok((await screen.functions()).has('a]]>b&"<c>'));
      assert.deepEqual(screen.tab.complaints, []);
    });
}

function add(tap, screen, file, json) {
  addFigures(tap, screen, file, json);
  addMouse(tap, screen, file);
  addTimes(tap, screen, file);
  addKeys(tap, screen, file);
  addLinks(tap, screen, file);
  addSchemes(tap, screen, file);
  addHostile(tap, screen, file);
}

module.exports = { add };
