// SPDX-License-Identifier: GPL-2.0-or-later
// Columns of numbers become the text in a page: what decode.js takes apart.  Its numbers
// are those of Protocol Buffers, too.
const Encode = (() => {
  const CHUNK = 24576; // bytes, a multiple of 3: base64 is padded at the end only

  function numbers(values) {
    return new Protobuf().numbers(values);
  }

  // The lowest byte of each, then the next one of each, and so on.
  function column(values) {
    const writer = numbers([values.length]);
    let left = Float64Array.from(values), more = left.length > 0;
    while (more) {
      writer.raw(Uint8Array.from(left, (value) => value % 0x100));
      left = left.map((value) => Math.floor(value / 0x100));
      more = left.some((value) => value > 0);
    }
    return writer;
  }

  function writeRuns({ bin, lane, start }) {
    const writer = new Protobuf();
    bin.forEach((at, run) => writer.numbers([at - (run ? bin[run - 1] : 0), lane[run], start[run + 1] - start[run]]));
    return writer;
  }

  // Nodes with time of their own, or samples, have marks; and the root.
  function markNodes({ up, time }, { node }) {
    const marked = Uint8Array.from([1, ...time], (value) => value > 0 ? 1 : 0), before = new Uint32Array(marked.length);
    node.forEach((one) => { marked[one] = 1; });
    for (let i = 1; i < marked.length; i++)
      before[i] = before[i - 1] + marked[i - 1];
    return { before, marks: up.map((none, i) => marked[i + 1] ^ (up[i + 1] === 0 ? 0 : 1)), times: time.filter((none, i) => marked[i + 1]) };
  }

  // By how many nodes with marks are before them.
  function writeEntries({ start }, { node }, before) {
    const values = [];
    for (let run = 0; run + 1 < start.length; run++)
      for (let i = start[run]; i < start[run + 1]; i++)
        values.push(before[node[i]] - (i > start[run] ? before[node[i - 1]] : 0));
    return column(values);
  }

  // Rows of groups, each after its first numbers; the first of a row is less the one before.
  function writeGroups(groups, heads, columns) {
    const writer = new Protobuf();
    for (const group of groups) {
      const [first, ...others] = columns.map((name) => group[name]);
      writer.numbers(heads.map((name) => group[name])).varint(first.length);
      first.forEach((at, i) => writer.numbers([at - (i ? first[i - 1] : 0), ...others.map((values) => values[i])]));
    }
    return writer;
  }

  function writeOwners(groups) {
    const wide = (group) => group.from.map((from, i) => group.to[i] - from);
    return writeGroups(groups.map((group) => ({ ...group, wide: wide(group) })), ["kind", "domain", "vcpu", "shown"], ["from", "wide", "time"]);
  }

  // Some numbers, and what follows them, if anything does.
  function headed(first, groups, writer) {
    return groups.length ? numbers(first).raw(writer.bytes) : new Protobuf();
  }

  // The sections of a page on one session, in their order; the last would be instructions,
  // which are of all its time.
  function sections({ info, frames, nodes, runs, samples, owners, waits, ranOn }) {
    const text = new Protobuf(), all = new Protobuf(), { before, marks, times } = markNodes(nodes, samples);
    text.raw(new TextEncoder().encode(JSON.stringify(info)));
    [text, numbers(frames.image), numbers(frames.mode), column(nodes.up), column(nodes.value), column(marks), column(times),
     writeRuns(runs), writeEntries(runs, samples, before), column(samples.count.map((count) => count - 1)), writeOwners(owners),
     headed([waits.width, waits.over], waits.groups, writeGroups(waits.groups, ["domain", "vcpu"], ["bin", ...Decode.WAITS])),
     headed([ranOn.span], ranOn.groups, writeGroups(ranOn.groups, ["pcpu", "domain", "mode"], ["at", "time"])),
     new Protobuf()].forEach(({ bytes }) => all.varint(bytes.length).raw(bytes));
    return all.bytes;
  }

  function base64(bytes) {
    const parts = [];
    for (let at = 0; at < bytes.length; at += CHUNK)
      parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK))));
    return parts.join("");
  }

  return { sections, base64 };
})();
