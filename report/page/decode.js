// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes the text in the page into columns of numbers; doc/page.md has the format.
const Decode = (() => {
  const WAITS = ["known", "runnable", "capped", "halted", "device", "paused"]; // of a vCPU in a bin

  function bytesOf(base64) {
    /** @type {any} */ // what browsers have since 2025
    const kind = Uint8Array;
    if (kind.fromBase64)
      return kind.fromBase64(base64);
    const text = atob(base64), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++)
      bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  async function inflate(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  function addPlace(values, place, factor) {
    for (let i = 0; i < values.length; i++)
      values[i] += place[i] * factor;
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

    // A column: the lowest byte of each number, then the next one of each, and so on.
    /** @param {any} kind */
    column(kind = Uint32Array) {
      const count = this.more ? this.number() : 0, values = new kind(count);
      for (let factor = 1; this.more && count; factor *= 0x100) {
        const place = this.bytes.subarray(this.at, this.at += count);
        if (factor === 1)
          values.set(place);
        else
          addPlace(values, place, factor);
      }
      return values;
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
    const most = reader.bytes.length / 3 | 0; // three bytes a run, or more
    const bin = new Uint32Array(most), lane = new Uint32Array(most), start = new Uint32Array(most + 1);
    let count = 0;
    for (let at = 0; reader.more; count++) {
      bin[count] = at += reader.number();
      lane[count] = reader.number();
      start[count + 1] = start[count] + reader.number();
    }
    return { bin: bin.subarray(0, count), lane: lane.subarray(0, count), start: start.subarray(0, count + 1) };
  }

  // Nodes of samples are said by how many before them have marks.
  function readSamples({ start }, node, count, marked) {
    for (let run = 0; run + 1 < start.length; run++)
      for (let i = start[run], end = start[run + 1], mark = 0; i < end; i++) {
        mark += node[i];
        node[i] = marked[mark];
        count[i]++;
      }
    return { node, count };
  }

  // What has a mark: its own time, or samples; and the root.  A column has those that
  // are not as nodes most often are: marked, if there is none below them.
  function readMarks(marks, up) {
    const marked = new Uint32Array(marks.length + 1);
    let count = 1;
    for (let i = 0; i < marks.length; i++)
      if (marks[i] !== (up[i + 1] === 0 ? 0 : 1))
        marked[count++] = i + 1;
    return marked.subarray(0, count);
  }

  // The root has no time.
  function readNodes(all) {
    const up = all.section().column(), value = all.section().column();
    const marked = readMarks(all.section().column(), up), own = all.section().column(Float64Array);
    const time = new Float64Array(up.length);
    for (let i = 0; i < own.length; i++)
      time[marked[i + 1] - 1] = own[i];
    return { up, value, time, marked };
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
    const groups = [];
    while (reader.more) {
      const [domain, vcpu, count] = [0, 0, 0].map(() => reader.number()), column = () => new Float64Array(count);
      /** @type {any} */
      const group = { domain, vcpu, bin: column(), waiting: column(), blocked: column() };
      WAITS.forEach((name) => { group[name] = column(); });
      for (let i = 0, bin = 0; i < count; i++) {
        group.bin[i] = bin += reader.number();
        WAITS.forEach((name) => { group[name][i] = reader.number(); });
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
    const nodes = readNodes(all), runs = readRuns(all.section());
    const samples = readSamples(runs, all.section().column(), all.section().column(), nodes.marked);
    const owners = readOwners(all.section());
    const waits = readWaits(all.section());
    const ranOn = readPcpus(all.section());
    const code = all.section();
    const sides = info.diff ? {
      before: all.section().column(Float64Array),
      after: all.section().column(Float64Array),
      beyond: all.section().column(),
    } : {};
    return { info, frames, nodes, runs, samples, owners, waits, ranOn, code: () => readCode(code), ...sides };
  }

  return { load, loadPacked, WAITS };
})();
