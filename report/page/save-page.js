// SPDX-License-Identifier: GPL-2.0-or-later
// What is selected as a page of its own: this file with other data.  Its script, style and
// policy are the same to the byte, so the hashes of the policy hold.
const SavePage = (() => {
  const TAG = "script"; // what would end this one must not be in it
  const isData = (node) => node.nodeType === Node.ELEMENT_NODE && node.matches("script[data-type]");

  // The parts of the file as they are before anything is shown.
  function takeParts() {
    const head = /** @type {HTMLElement} */ (document.head.cloneNode(true)), front = document.createElement("body");
    for (let node = document.body.firstChild; node && !isData(node); node = node.nextSibling)
      front.append(node.cloneNode(true));
    return { head, front, script: document.currentScript.textContent };
  }

  const parts = takeParts();

  // Empty attributes have no value in the file.
  function markup(node) {
    return node.getHTML().replaceAll('=""', "");
  }

  function makePage(title, type, data) {
    parts.head.querySelector("title").textContent = "\n" + title;
    return ["<!DOCTYPE html>\n<html lang=\"en\">\n<head>", markup(parts.head), "</head>\n<body>", markup(parts.front),
            "<" + TAG + " type=\"text/plain\"\n data-type=\"" + Text.markup(type) + "\">\n", data,
            "</" + TAG + ">\n<" + TAG + ">", parts.script, "</" + TAG + ">\n</body>\n</html>\n"];
  }

  async function make(app) {
    const { info: { title }, type } = app.model, bytes = Encode.sections(Cut.make(app));
    const [packed] = await Files.pack("deflate-raw", bytes);
    return makePage(title, type.name, Encode.base64(packed));
  }

  // Browsers of 2024 and later can write their markup down.
  const canMake = () => "getHTML" in Element.prototype;

  return { make, canMake };
})();
