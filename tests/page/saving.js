// SPDX-License-Identifier: GPL-2.0-or-later
// Files that the page makes, without a browser that writes them.
"use strict";

// Opens a page that hands over what it would have written.
async function open(screen, file, link = "") {
  await screen.tab.send("Page.navigate", { url: "about:blank" }); // else a link alone would not open it anew
  await screen.open(file, link);
  await screen.tab.run(() => {
    URL.createObjectURL = (blob) => {
      window.blob = blob;
      return "";
    };
    HTMLAnchorElement.prototype.click = function click() {
      window.savedAs = this.download;
    };
  });
}

// Presses a row of the menu.  Returns the name of the file, and its bytes.
async function save(screen, row) {
  await screen.tab.key("S");
  await screen.tab.run((wanted) => {
    window.blob = null;
    [...document.querySelectorAll("#save button")].find((one) => one.innerText.startsWith(wanted)).click();
  }, row);
  await screen.tab.until(() => window.blob);
  const [name, text] = await screen.tab.run(async () => {
    const bytes = new Uint8Array(await window.blob.arrayBuffer()), parts = [];
    for (let at = 0; at < bytes.length; at += 8192)
      parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
    return [window.savedAs, btoa(parts.join(""))];
  });
  return { name, bytes: Buffer.from(text, "base64") };
}

module.exports = { open, save };
