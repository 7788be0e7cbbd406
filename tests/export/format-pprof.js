// SPDX-License-Identifier: GPL-2.0-or-later
// pprof, as "go tool pprof -raw" reads it.
"use strict";

const { run } = require("./tools.js");
const { Rows } = require("./rows.js");

// The blocks of the text, each below its name: "Samples:", "Locations", "Mappings".
function blocksOf(text) {
  const blocks = { head: [] };
  let block = blocks.head;
  for (const line of text.split("\n")) {
    const name = /^(Samples|Locations|Mappings):?$/.exec(line)?.[1];
    if (name) {
      block = blocks[name] = [];
    } else {
      block.push(line);
    }
  }
  return blocks;
}

// "     1: 0xffff82d040201010 M=1 do_xen_version :0 s=0" of each location, and below
// it what its function was inlined into: "             sum /src/prog/sum.c:14 s=0".
function placesOf(lines) {
  const places = new Map();
  let last = [];
  for (const line of lines) {
    const found = /^ *(?:(\d+): 0x[0-9a-f]+ (?:M=\d+ )?)?(.*?) (\S*):(\d+)(?::\d+)? s=\d+/.exec(line);
    if (found?.[1]) {
      last = [];
      places.set(found[1], last);
    }
    if (found) {
      last.push({ name: found[2], line: found[4] === "0" ? undefined : `${found[3]}:${found[4]}` });
    }
  }
  return places;
}

function labelsOf(line) {
  const labels = {};
  for (const [, key, value] of line.matchAll(/(\w+):\[(.*?)\](?= \w+:\[|$)/g)) {
    labels[key] = value;
  }
  return labels;
}

function read(file, type) {
  const blocks = blocksOf(run("go", ["tool", "pprof", "-symbolize=none", "-raw", file]));
  const places = placesOf(blocks.Locations);
  const [head, ...lines] = blocks.Samples;
  const columns = head.replaceAll("[dflt]", "").split(" ").map((column) => column.split("/")[0]);
  const amount = columns.indexOf(type);
  const ret = new Rows();
  if (amount < 1) {
    throw new Error(`pprof has no samples of ${type}: ${head}`);
  }
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const [values, locations] = lines[i].split(": ");
    const value = values.trim().split(/ +/);
    const labels = labelsOf(lines[i + 1]);
    const [{ name, line }] = places.get(locations.trim().split(" ")[0]);
    ret.add(labels.domain, labels.mode, name, value[amount - 1], value[amount], line);
  }
  return ret;
}

// What was inlined is at one place with what it was inlined into, which is its caller.
function check(file, report) {
  const places = [...placesOf(blocksOf(run("go", ["tool", "pprof", "-symbolize=none", "-raw", file])).Locations).values()];
  const inlined = places.filter(([{ name }]) => name.endsWith("(inlined)"));
  return report.rows.some(({ symbol }) => symbol?.endsWith("(inlined)")) && !inlined.some((place) => place.length > 1)
    ? ["pprof has no place with a function that was inlined, and its caller"] : [];
}

module.exports = { needs: ["go"], has: ["domain", "mode", "samples", "lines"], types: true, read, check };
