// SPDX-License-Identifier: GPL-2.0-or-later
// Reads profiles of other tools' formats back: rows of { stack, domain, vcpu, count, time },
// stacks with the callers first, times in ns.  It shares nothing with the page.
"use strict";

const zlib = require("node:zlib");

// Numbers of seven bits a byte, the lowest first.
class Numbers {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get more() {
    return this.at < this.bytes.length;
  }

  next() {
    let value = 0n, shift = 0n, byte;
    do {
      byte = this.bytes[this.at++];
      value |= BigInt(byte & 0x7f) << shift;
      shift += 7n;
    } while (byte & 0x80);
    return Number(value);
  }

  part(size) {
    this.at += size;
    return this.bytes.subarray(this.at - size, this.at);
  }
}

// Fields of a message: by number, what each occurrence has.
function fields(bytes) {
  const found = {}, numbers = new Numbers(bytes);
  while (numbers.more) {
    const key = numbers.next();
    if (key & 5)
      throw new Error("a field of wire type " + (key & 7));
    const value = numbers.next();
    (found[key >> 3] ??= []).push(key & 2 ? numbers.part(value) : value);
  }
  return found;
}

function packed(bytes) {
  const found = [], numbers = new Numbers(bytes);
  while (numbers.more)
    found.push(numbers.next());
  return found;
}

// perftools.profiles.Profile.
function pprof(file) {
  const profile = fields(zlib.gunzipSync(file)), texts = profile[6].map(String);
  const byId = (list) => new Map((list ?? []).map(fields).map((one) => [one[1][0], one]));
  const functions = byId(profile[5]), locations = byId(profile[4]), mappings = byId(profile[3]);
  const text = (number) => texts[number?.[0] ?? 0];
  const types = profile[1].map(fields).map((type) => text(type[1]) + "/" + text(type[2]));
  const rows = profile[2].map(fields).map((sample) => {
    const places = packed(sample[1][0]).map((id) => locations.get(id)).reverse();
    const labels = Object.fromEntries((sample[3] ?? []).map(fields).map((label) => [text(label[1]), text(label[2])]));
    const [count, time] = packed(sample[2][0]);
    return { ...labels, count, time, stack: places.map((place) => text(functions.get(fields(place[4][0])[1][0])[2])),
             images: places.map((place) => place[2] ? text(mappings.get(place[2][0])[5]) : "") };
  });
  return { rows, types, usual: text(profile[14]), start: profile[9]?.[0] ?? 0, duration: profile[10][0], comments: (profile[13] ?? []).map((one) => texts[one]) };
}

// A processed profile of Firefox Profiler.
function firefox(file) {
  const { meta, threads, shared } = JSON.parse(file), { stackTable, frameTable, funcTable, resourceTable, stringArray } = shared;
  const chain = (stack) => stack === null ? [] : [...chain(stackTable.prefix[stack]), frameTable.func[stackTable.frame[stack]]];
  const rows = threads.flatMap(({ processName: domain, name, samples }) => samples.stack.map((stack, i) => ({
    domain, vcpu: name.match(/ v(\d+)$/)?.[1], at: samples.time[i], count: 1, time: Math.round(samples.weight[i] * 1e6),
    stack: chain(stack).map((func) => stringArray[funcTable.name[func]]),
    images: chain(stack).map((func) => funcTable.resource[func] < 0 ? "" : stringArray[resourceTable.name[funcTable.resource[func]]]),
    categories: chain(stack).length && meta.categories[frameTable.category[stackTable.frame[stack]]].name,
  })));
  return { rows, meta };
}

module.exports = { pprof, firefox };
