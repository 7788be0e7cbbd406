// SPDX-License-Identifier: GPL-2.0-or-later
// What is selected is said in words, taken back part by part and step by step, and
// printed by the command that the page gives.
"use strict";

const { spawnSync } = require("node:child_process");
const { KINDS, make } = require("./selection-session.js");
const { assert } = require("./tap.js");

const LINK = "#domain=web+(1)&mode=Xen&time=2..5";

function add(tap, newScreen, file, folder) {
  let screen = null;
  const chips = () => screen.texts("#chosen li");
  const press = (text) => screen.tab.run((wanted) => Array.from(document.querySelectorAll("#chosen button"))
    .find((one) => one.textContent.includes(wanted)).click(), text);
  const taken = async () => Number((await screen.text("#taken")).split(" ")[0].replaceAll("\u202f", ""));
  const open = async (name, link) => {
    screen ??= await newScreen();
    await screen.open(file("basic"));
    await screen.open(file(name), link);
    await screen.tab.run(() => {
      navigator.clipboard.writeText = async (text) => { window.copied = text; };
    });
  };
  const copied = async (key) => {
    await screen.tab.run(() => { window.copied = null; });
    await screen.tab.key(key);
    await screen.tab.until(() => window.copied !== null);
    return screen.tab.run(() => window.copied);
  };
  // Runs a command of the page's.  Returns how many samples it shows.
  const samplesOf = (command) => {
    const here = command.replace("xenopreport", '"$XENOPREPORT_HERE" --session-dir="$SESSIONS_HERE"').replace("--callgraph", "--json");
    const { stdout, stderr } = spawnSync("sh", ["-c", here], { env: { ...process.env, SESSIONS_HERE: folder }, encoding: "utf8" });
    assert.ok(stdout.startsWith("{"), command + ": " + stderr);
    return JSON.parse(stdout).selected.samples;
  };

  tap.add("what is selected is said in words, and a cross takes a part back", async () => {
    await open("reasons", LINK);
    assert.deepEqual(await chips(), ["web (1) \u00d7", "Xen \u00d7", "2\u20135 s \u00d7"]);
    const part = await taken();
    await press("2\u20135 s");
    assert.deepEqual(await chips(), ["web (1) \u00d7", "Xen \u00d7"]);
    assert.ok(await taken() > part);
    await press("web (1)");
    await press("Xen");
    assert.equal(await screen.tab.run(() => document.getElementById("chosen").hidden), true);
  });
  tap.add("zoom, function and search are parts, too", async () => {
    await open("chains", "");
    await screen.tab.run(() => document.querySelector("#functions tbody tr[data-frame]").click());
    await screen.tab.run(() => {
      document.getElementById("words").value = "read";
      document.getElementById("words").dispatchEvent(new Event("input"));
    });
    const [chosen, words] = await chips();
    assert.match(chosen, /^function \S+ \u00d7$/);
    assert.equal(words, "matches read \u00d7");
    await press("function");
    await press("matches");
    assert.deepEqual(await chips(), []);
    assert.equal(await screen.tab.run(() => document.getElementById("words").value), "");
  });
  tap.add("the browser's back and forward walk through selections", async () => {
    await open("reasons", LINK);
    await screen.tab.run(() => new Promise((done) => { setTimeout(done, 400); }));
    for (const part of ["2\u20135 s", "Xen"]) {
      const before = await screen.tab.run(() => location.hash);
      await press(part);
      await screen.tab.run((was) => { window.was = was; }, before);
      await screen.tab.until(() => location.hash !== window.was);
    }
    assert.deepEqual(await chips(), ["web (1) \u00d7"]);
    for (const [step, count] of [["back", 2], ["back", 3], ["forward", 2], ["forward", 1]]) {
      await screen.tab.run((name, wanted) => {
        window.wanted = wanted;
        history[name]();
      }, step, count);
      await screen.tab.until(() => document.querySelectorAll("#chosen li").length === window.wanted);
    }
  });
  tap.add("y copies the command that prints the same samples", async () => {
    for (const [name, link] of [["reasons", LINK], ["threads", "#comm=postgres&comm=nginx"], ["why", "#mode=Xen&mode=kernel"],
                                ["entry", "#entry=exit+ioio"], ["basic", "#image=kernel"]]) {
      await open(name, link);
      const command = await copied("y");
      assert.match(command, new RegExp("^xenopreport --session=" + name + " '?--filter="));
      assert.equal(samplesOf(command), await taken(), command);
    }
    for (const link of ["#subsystem=scheduler&subsystem=locks&time=2..5", "#subsystem=files+and+disks&mode=kernel", "#no-subsystem=locks"]) {
      await open("select", link);
      const command = await copied("y");
      assert.match(command, /'?--filter=symbol=[A-Za-z0-9_,=]+'? (--filter=time=2\.\.5 )?--callgraph$/);
      assert.ok(await taken() > 0);
      assert.equal(samplesOf(command), await taken(), command);
    }
    await open("nameless", "#no-subsystem=emulation");
    assert.match(await copied("y"), /--session=nameless --callgraph {2}# not quite: subsystems$/);
  });
  tap.add("... also of reasons, vCPUs and what is zoomed to", async () => {
    for (const [link, filter] of [["#reason=none&time=2..5", "reason=outside"],
                                  ["#no-reason=none&time=2..5", "reason=[a-z_,=]+"],
                                  ["#no-vcpu=web+(1)/1&no-vcpu=db+(2)/0", "vcpu=Domain-0/0-1,vcpu=web/0,vcpu=build/0"],
                                  ["#domain=web+(1)&no-vcpu=web+(1)/0", "domain=web --filter=vcpu=web/1"]]) {
      await open("select", link);
      const command = await copied("y");
      assert.match(command, new RegExp(" '?--filter=" + filter + "'? "));
      assert.doesNotMatch(command, /not quite/);
      assert.equal(samplesOf(command), await taken(), command);
    }
    const { samples } = make(), count = (domain, begins) => samples.filter((one) => one.domain === domain && begins(KINDS[one.kind].toReversed()))
      .reduce((sum, one) => sum + one.count, 0);
    for (const [link, stack, wanted] of [["&zoom=user:/usr/bin/tool1:main", "stack=main", count(1, ([root]) => root === "u main")],
                                         ["&zoom=kernel:vfs_read&zoom=xen:lstar_enter", "stack=vfs_read;lstar_enter", count(1, ([root]) => root === "k vfs_read")],
                                         ["", "domain=web", count(1, () => true)]]) {
      await open("select", "#zoom=web+(1)" + link);
      const command = await copied("y");
      assert.ok(command.includes("--filter=domain=web") && command.includes(stack), command);
      assert.doesNotMatch(command, /not quite/);
      assert.ok(wanted > 0);
      assert.equal(samplesOf(command), wanted, command);
    }
    await open("why", "#shape=inverted&shape=all-domains&zoom=xen:do_iret&zoom=xen:pv_hypercall");
    assert.match(await copied("y"), /--filter=symbol=do_iret --callers {2}# not quite: zoom$/);
  });
  // All rows of the tree of text, below the one that is zoomed to: name and percent.
  const treeRows = async () => {
    await screen.tab.key("e");
    const rows = await screen.tab.run(() => {
      const found = [], press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      for (let last = null; document.activeElement !== last; press("ArrowDown")) {
        last = document.activeElement;
        if (last.getAttribute("aria-expanded") === "false")
          press("ArrowRight");
        last = document.activeElement;
        found.push(last.innerText);
      }
      return found;
    });
    return rows.slice(1).map((row) => row.match(/^(?:who called it is not known: )?(.+?) ([0-9.]+) %/).slice(1));
  };
  // Those of a command's tree, in which a row without a share has that of the row above.
  const reportRows = (command) => {
    const here = command.replace("xenopreport", '"$XENOPREPORT_HERE" --session-dir="$SESSIONS_HERE"') + " --no-header --percent-limit=0 --width=0";
    const { stdout, stderr } = spawnSync("sh", ["-c", here], { env: { ...process.env, SESSIONS_HERE: folder }, encoding: "utf8" });
    assert.match(stdout, /^percent/m, command + ": " + stderr);
    let share = null;
    return stdout.slice(stdout.lastIndexOf("\npercent")).split("\n").slice(2).filter((line) => line.trim() && !/^(sure|lost) /.test(line)).flatMap((line) => {
      const percent = line.slice(0, "percent".length).trim(); // own percent may follow
      const [, name] = line.slice("percent".length).match(/^(?: +[0-9.]+%)? +(?:(?:xen|kernel|user|-) +)?[\u2502\u251c\u2514 ]*(.+?)(?: \[[^\]]+\])?$/);
      share = percent || share;
      return [[name, parseFloat(share)]];
    });
  };
  tap.add("... and the report that shows the chains as the flame graph does", async () => {
    const whole = (rows) => rows.filter(([name]) => name !== "[guest moved]") // a row in some trees, and else a remark
      .map(([name, share]) => [name, Math.round(100 * share)]).sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x - y));
    for (const [name, link, words, skipped = 0] of [
      ["why", "#mode=Xen&mode=kernel", "--callgraph"],
      ["why", "#shape=all-domains&mode=Xen&mode=kernel", "--callgraph --sort=symbol"],
      ["why", "#shape=inverted&shape=all-domains&mode=Xen", "--callers"],
      ["why", "#shape=inverted&mode=Xen", "--callers --sort=domain"],
      ["why", "#shape=by-reason&reason=" + encodeURIComponent("hypercall iret: a PV guest's kernel returns to a process"), "--callgraph", 1],
      ["why", "#from=xen:pv_hypercall&mode=Xen&mode=kernel", "--symbol=pv_hypercall"],
      ["why", "#from=xen:pv_hypercall&shape=all-domains&mode=Xen&mode=kernel", "--symbol=pv_hypercall --sort=symbol"],
      ["why", "#shape=no-recursion&mode=Xen&mode=kernel", "--callgraph"],
      ["select", "#shape=all-domains&time=2..5&mode=user", "--filter=time=2..5 --callgraph --sort=symbol"],
      ["select", "#subsystem=scheduler&shape=inverted&shape=all-domains", "--callers"],
    ]) {
      await open(name, link);
      assert.equal(await screen.text("#misfit"), "");
      const command = await copied("y");
      assert.ok(command.endsWith(" " + words), command);
      const [shown, printed] = [whole((await treeRows()).slice(skipped)), whole(reportRows(command))];
      assert.ok(shown.length > 2, command);
      assert.deepEqual(shown.map(([one]) => one), printed.map(([one]) => one), command);
      shown.forEach(([one, share], i) => assert.ok(Math.abs(share - printed[i][1]) <= 1, one + ": " + share + ", not " + printed[i][1]));
    }
  });
  tap.add("... also of a reason, a function of all domains or one with its callers that is zoomed to", async () => {
    const reason = "hypercall iret: a PV guest's kernel returns to a process";
    for (const [link, words] of [["#shape=by-reason&zoom=" + encodeURIComponent(reason), / '?--filter=reason=[^=]+ --callgraph$/],
                                 ["#shape=by-reason&zoom=none&zoom=web+(1)", / --filter=domain=web --filter=reason=outside --callgraph$/],
                                 ["#shape=all-domains&zoom=kernel:schedule", / --filter=stack=schedule --callgraph --sort=symbol$/],
                                 ["#shape=inverted&shape=all-domains&zoom=xen:do_iret", / --filter=symbol=do_iret --callers$/],
                                 ["#shape=inverted&zoom=web+(1)&zoom=xen:do_iret", / --filter=domain=web --filter=symbol=do_iret --callers --sort=domain$/]]) {
      await open("why", link);
      const command = await copied("y"), share = Number((await screen.text("#status")).match(/([0-9.]+) %/)?.[1]);
      assert.match(command, words);
      assert.equal(await screen.text("#misfit"), "");
      assert.equal(share, reportRows(command)[0][1], command);
    }
  });
  tap.add("... and what no report has is said", async () => {
    await open("why", "#shape=callers-and-callees&function=xen:do_iret");
    assert.match(await copied("y"), /--symbol=do_iret$/);
    await open("recursion", "#shape=all-domains&shape=no-recursion");
    assert.match(await copied("y"), /--callgraph --sort=symbol {2}# not quite: recursion as one frame$/);
    await open("why", "#shape=by-reason");
    assert.match(await copied("y"), /--callgraph {2}# not quite: by reason$/);
  });
  tap.add("... also where a guest chose names that a shell would take for something else", async () => {
    for (const name of ["quotes", "format", "markup", "attribute", "columns"]) {
      await open("hostile-" + name, "");
      for (const list of ["domains", "images"])
        await screen.tab.run((id) => Array.from(document.querySelectorAll("#" + id + " .pick")).find((row) =>
          !/^(idle|other|without image)$/.test(row.querySelector(".label").textContent)).querySelector(".only").click(), list);
      const command = await copied("y");
      assert.match(command, /--filter=domain=.*--filter=image=/);
      assert.ok(await taken() > 0, command);
      assert.equal(samplesOf(command), await taken(), command);
    }
  });
  tap.add("c copies what is selected as text", async () => {
    await open("reasons", LINK);
    const lines = (await copied("c")).split("\n");
    assert.match(lines[0], /^reasons, .*: web \(1\) \u00b7 Xen \u00b7 2\u20135 s$/);
    assert.match(lines[1], /^[0-9.]+ % of pCPU time$/);
    assert.match(lines[2], /^ *[0-9.]+ % {2}do_\w+$/);
  });
}

module.exports = { add };
