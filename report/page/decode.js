// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes the text in the page into columns of numbers; doc/page.md has the format.
const Decode = (() => {
  function bytesOf(base64) {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++)
      bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  async function inflate(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  class Reader {
    constructor(bytes) {
      this.bytes = bytes;
      this.at = 0;
    }

    get more() {
      return this.at < this.bytes.length;
    }

    // Seven bits a byte, lowest first.
    number() {
      let byte = this.bytes[this.at++];
      if (byte < 0x80)
        return byte;
      let value = byte & 0x7f, factor = 0x80;
      do {
        byte = this.bytes[this.at++];
        value += (byte & 0x7f) * factor;
        factor *= 0x80;
      } while (byte >= 0x80);
      return value;
    }

    section() {
      const size = this.number();
      this.at += size;
      return new Reader(this.bytes.subarray(this.at - size, this.at));
    }

    // The rest of the section as one array.
    numbers(kind, count) {
      const values = new kind(count);
      for (let i = 0; i < count; i++)
        values[i] = this.number();
      return values;
    }
  }

  // One entry for each run of samples of one lane in one bin.
  function readRuns(reader) {
    const bins = [], lanes = [], starts = [];
    let bin = 0, start = 0;
    while (reader.more) {
      bin += reader.number();
      bins.push(bin);
      lanes.push(reader.number());
      starts.push(start);
      start += reader.number();
    }
    starts.push(start);
    return { bin: Uint32Array.from(bins), lane: Uint32Array.from(lanes), start: Uint32Array.from(starts) };
  }

  function readSamples(runs, nodes, counts) {
    const total = runs.start[runs.start.length - 1];
    const node = new Uint32Array(total), count = new Uint32Array(total);
    for (let run = 0; run < runs.bin.length; run++) {
      let at = 0;
      for (let i = runs.start[run]; i < runs.start[run + 1]; i++) {
        at += nodes.number();
        node[i] = at;
        count[i] = counts.number() + 1;
      }
    }
    return { node, count };
  }

  // Rows of time of an owner and of a kind, group after group; times in us.
  function readOwners(reader) {
    const groups = [];
    while (reader.more) {
      const [kind, domain, vcpu, shown, count] = [0, 0, 0, 0, 0].map(() => reader.number());
      const group = { kind, domain, vcpu, shown, from: new Float64Array(count), to: new Float64Array(count),
                      time: new Float64Array(count) };
      for (let i = 0, last = 0; i < count; i++) {
        group.from[i] = last += reader.number();
        group.to[i] = Math.max(last + reader.number(), last + 1);
        group.time[i] = reader.number();
      }
      groups.push(group);
    }
    return groups;
  }

  // How long vCPUs waited, and for what: us, in equal bins of Xen's account.  What is
  // not waiting is blocked in a picture, whatever it was.
  function readWaits(reader) {
    const width = reader.more ? reader.number() : 0, over = reader.more ? reader.number() : 0;
    const groups = [], names = ["known", "runnable", "capped", "halted", "device", "paused"];
    while (reader.more) {
      const [domain, vcpu, count] = [0, 0, 0].map(() => reader.number()), column = () => new Float64Array(count);
      const group = { domain, vcpu, bin: column(), waiting: column(), blocked: column() };
      names.forEach((name) => { group[name] = column(); });
      for (let i = 0, bin = 0; i < count; i++) {
        group.bin[i] = bin += reader.number();
        names.forEach((name) => { group[name][i] = reader.number(); });
        group.waiting[i] = group.runnable[i] + group.capped[i];
        group.blocked[i] = group.halted[i] + group.device[i] + group.paused[i];
      }
      groups.push(group);
    }
    return { width, over, groups };
  }

  // Who ran on each pCPU: us, in equal spans of bins.
  function readPcpus(reader) {
    const span = reader.more ? reader.number() : 1, groups = [];
    while (reader.more) {
      const [pcpu, domain, mode, count] = [0, 0, 0, 0].map(() => reader.number());
      const group = { pcpu, domain, mode, at: new Float64Array(count), time: new Float64Array(count) };
      for (let i = 0, at = 0; i < count; i++) {
        group.at[i] = at += reader.number();
        group.time[i] = reader.number();
      }
      groups.push(group);
    }
    return { span, groups };
  }

  // Instructions of the hottest functions: read when somebody asks for them.
  function readCode({ bytes }) {
    return bytes.length ? Text.cleanAll(JSON.parse(new TextDecoder().decode(bytes))) : { functions: [], more: 0 };
  }

  function countNumbers(reader) {
    let count = 0;
    for (const byte of reader.bytes)
      count += byte < 0x80 ? 1 : 0;
    return count;
  }

  const load = (base64) => loadPacked(bytesOf(base64));

  async function loadPacked(bytes) {
    const all = new Reader(await inflate(bytes));
    const info = Text.cleanAll(JSON.parse(new TextDecoder().decode(all.section().bytes)));
    if (info.version !== 5)
      throw new Error("this page's data is of another version than its program");
    const frameCount = info.frame_names.length;
    const frames = {
      image: all.section().numbers(Uint32Array, frameCount),
      mode: all.section().numbers(Uint8Array, frameCount),
    };
    const ups = all.section();
    const nodeCount = countNumbers(ups);
    const nodes = {
      up: ups.numbers(Uint16Array, nodeCount),
      value: all.section().numbers(Uint32Array, nodeCount),
      time: all.section().numbers(Float64Array, nodeCount),
    };
    const runs = readRuns(all.section());
    const samples = readSamples(runs, all.section(), all.section());
    const owners = readOwners(all.section());
    const waits = readWaits(all.section());
    const ranOn = readPcpus(all.section());
    const code = all.section();
    const sides = info.diff ? {
      before: all.section().numbers(Float64Array, nodeCount),
      after: all.section().numbers(Float64Array, nodeCount),
      beyond: all.section().numbers(Uint8Array, nodeCount),
    } : {};
    return { info, frames, nodes, runs, samples, owners, waits, ranOn, code: () => readCode(code), ...sides };
  }

  return { load, loadPacked };
})();
