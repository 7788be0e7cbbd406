// SPDX-License-Identifier: GPL-2.0-or-later
// With names replaced, no file that the page saves has a word that its session's text says
// of domains, hosts, threads, and of programs' code.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const zlib = require("node:zlib");
const { assert } = require("./tap.js");
const Saving = require("./saving.js");

// Pages, and the session that each was made of.
const SESSIONS = { basic: "basic", chains: "flamegraph", torn: "callgraph", threads: "threads", entry: "entry", why: "why",
                   waits: "waits", overview: "overview", types: "types", causes: "causes" };
const LIBRARY = /(^|\/)lib(c|m|pthread|ssl)[-.]/; // public ones
const SAID = /^(user|kernel|dom0|host|xen|idle|time|dom|Domain|Domain-0|vcpu|many|read|not|swapper(\/\d+)?|usr|bin|lib)$/i; // of any session

function text(name) {
  return fs.readFileSync(path.join(__dirname, "../golden/report", name + ".session"), "utf8");
}

// Names that others chose, and their parts, without those that Xen, kernels and public
// libraries have, too.
function hiddenWords(session) {
  const hidden = [], known = [];
  for (const line of session.split("\n")) {
    const word = line.split(" ");
    if (word[0] === "domain")
      hidden.push(word.slice(4).join(" "));
    if (word[0] === "fact" && word[2] === "host")
      hidden.push(word.slice(3).join(" "));
    if (word[0] === "sample")
      hidden.push(...[...line.matchAll(/thread=\d+:\d+:(\S+)/g)].map(([, name]) => name));
    if (word[0] === "place")
      (word[3] === "user" && !LIBRARY.test(word[5] ?? "") ? hidden : known).push(...word.slice(5, 7));
  }
  const parts = hidden.flatMap((name) => [name, ...name.split(/\W+/)]);
  return [...new Set(parts)].filter((name) => /^[\w./-]*[A-Za-z]{3}[\w./-]*$/.test(name) && !/^0x|@/.test(name) && !SAID.test(name) &&
    !known.some((one) => one.includes(name)));
}

const pattern = (word) => new RegExp("(?<!\\w)" + word.replace(/[.]/g, "\\.") + "(?!\\w)");

// All that a file says: of a page its title and its data, of what is packed what is in it.
function said({ name, bytes }) {
  if (name.endsWith(".gz"))
    return zlib.gunzipSync(bytes).toString();
  if (!name.endsWith(".html"))
    return bytes.toString();
  const [, title] = bytes.toString().match(/<title>(.*?)<\/title>/s), [, data] = bytes.toString().match(/data-type="[^"]*">\n([\w+/=]+)/);
  return title + zlib.inflateRawSync(Buffer.from(data, "base64"));
}

function rows(screen) {
  return screen.tab.run(() => [...document.querySelectorAll("#save button:enabled span")].map((one) => one.textContent));
}

// Of each row of the menu the file's name, and all that it says; of a picture what was written on it.
async function saveAll(screen) {
  const files = [];
  await screen.tab.run(() => {
    const write = CanvasRenderingContext2D.prototype.fillText;
    window.written = [];
    CanvasRenderingContext2D.prototype.fillText = function fillText(words, ...more) {
      window.written.push(words);
      write.call(this, words, ...more);
    };
    const { toBlob } = HTMLCanvasElement.prototype; // after it the page draws its own names again
    HTMLCanvasElement.prototype.toBlob = function then(...given) {
      window.picture = window.written.join("\n");
      toBlob.apply(this, given);
    };
  });
  for (const row of await rows(screen)) {
    await screen.tab.run(() => { window.written.length = 0; });
    const file = await Saving.save(screen, row);
    files.push({ row, name: file.name, text: file.name.endsWith(".png") ? await screen.tab.run(() => window.picture) : said(file) });
  }
  return files;
}

function addSession(tap, screen, file, name) {
  const words = hiddenWords(text(SESSIONS[name]));
  tap.add("nothing of " + name + " is named where names are replaced", async () => {
    await Saving.open(screen, file(name), words.length ? "#find=" + encodeURIComponent(words[0]) : "");
    const plain = (await saveAll(screen)).map((one) => one.text).join("\n");
    const found = words.filter((word) => pattern(word).test(plain));
    await screen.tab.run(() => document.querySelector("#save input").click());
    const before = await screen.text("main");
    for (const { row, name: saved, text: made } of await saveAll(screen)) {
      assert.ok(made.length > 50, row);
      for (const word of words)
        assert.ok(!pattern(word).test(made) && !pattern(word).test(saved), row + " has " + word);
    }
    assert.equal(await screen.text("main"), before);
    assert.deepEqual(screen.tab.complaints, []);
    return found.length + " words were there before";
  });
}

function add(tap, screen, file) {
  Object.keys(SESSIONS).forEach((name) => addSession(tap, screen, file, name));
  tap.add("words are looked for", () => {
    const all = Object.values(SESSIONS).flatMap((name) => hiddenWords(text(name)));
    assert.ok(all.length >= 20, String(all));
    return all.length + " words";
  });
  tap.add("names of Xen, kernels and public libraries stay; the others are numbered", async () => {
    await Saving.open(screen, file("chains"));
    await screen.tab.run(() => document.querySelector("#save input").click());
    const made = (await Saving.save(screen, "Folded")).bytes.toString();
    assert.match(made, /(^|\n)Domain-0;function-\d+ \[image-\d+\];write;entry_SYSCALL_64_\[k\]/);
    const names = new Set(made.match(/function-\d+/g));
    assert.ok(names.size >= 3, made);
    assert.equal((await Saving.save(screen, "Folded")).bytes.toString(), made);
  });
}

module.exports = { add };
