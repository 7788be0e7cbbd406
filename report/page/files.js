// SPDX-License-Identifier: GPL-2.0-or-later
// Files that the reader keeps.  The browser writes them; nothing is sent anywhere.
const Files = (() => {
  const KEPT = 60000; // ms that a browser has to write a file

  // "current-5..10.folded": of which session, and of which part of its time.
  function name(app, end) {
    const { model, state: { selection, base } } = app, part = selection.from > 0 || selection.to < model.bins;
    const times = [...(app.result.sides && base ? [Link.range(model, base)] : []), ...(part ? [Link.range(model, selection)] : [])];
    const session = (model.info.session?.name ?? "comparison").slice(0, 100);
    return [session, ...times].join("-").replace(/[^\w.-]+/g, "_") + "." + end;
  }

  function keep(blob, download) {
    const address = URL.createObjectURL(blob);
    Lists.element("a", { href: address, download }).click();
    setTimeout(() => URL.revokeObjectURL(address), KEPT);
  }

  // Bytes as one part, compressed: "gzip", or "deflate-raw".
  async function pack(how, bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream(how));
    return [new Uint8Array(await new Response(stream).arrayBuffer())];
  }

  return { name, keep, pack };
})();
