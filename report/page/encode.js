// SPDX-License-Identifier: GPL-2.0-or-later
// Columns of numbers become the text in a page: what decode.js takes apart.  Its numbers
// are those of Protocol Buffers, too.
const Encode = (() => {
  const CHUNK = 24576; // bytes, a multiple of 3: base64 is padded at the end only

  function column(values) {
    return new Protobuf().numbers(values);
  }

  function writeRuns({ bin, lane, start }) {
    const writer = new Protobuf();
    bin.forEach((at, run) => writer.numbers([at - (run ? bin[run - 1] : 0), lane[run], start[run + 1] - start[run]]));
    return writer;
  }

  function writeNodes({ start }, { node }) {
    const writer = new Protobuf();
    for (let run = 0; run + 1 < start.length; run++)
      for (let i = start[run]; i < start[run + 1]; i++)
        writer.varint(node[i] - (i > start[run] ? node[i - 1] : 0));
    return writer;
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
  function headed(numbers, groups, writer) {
    return groups.length ? column(numbers).raw(writer.bytes) : new Protobuf();
  }

  // The sections of a page on one session, in their order.
  function sections({ info, frames, nodes, runs, samples, owners, waits, ranOn }) {
    const text = new Protobuf(), all = new Protobuf();
    text.raw(new TextEncoder().encode(JSON.stringify(info)));
    [text, column(frames.image), column(frames.mode), column(nodes.up), column(nodes.value), column(nodes.time),
     writeRuns(runs), writeNodes(runs, samples), column(samples.count.map((count) => count - 1)), writeOwners(owners),
     headed([waits.width, waits.over], waits.groups, writeGroups(waits.groups, ["domain", "vcpu"], ["bin", "waiting", "blocked"])),
     headed([ranOn.span], ranOn.groups, writeGroups(ranOn.groups, ["pcpu", "domain", "mode"], ["at", "time"])),
    ].forEach(({ bytes }) => all.varint(bytes.length).raw(bytes));
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
