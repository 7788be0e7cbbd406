// SPDX-License-Identifier: GPL-2.0-or-later
// What a person sees and does on the page, for tests.
"use strict";

const ROW = 20; // pixels of a frame

class Screen {
  // Whoever looks at the page does so when what is out of sight has followed.
  constructor(tab) {
    this.tab = tab;
    const run = tab.run.bind(tab);
    tab.run = async (...code) => {
      await run(() => new Promise((resolve) => {
        const look = () => document.querySelector("[aria-busy]") ? setTimeout(look, 10) : resolve();
        look();
      }));
      return run(...code);
    };
  }

  async open(file, fragment = "", scheme = "light") {
    this.tab.complaints.length = 0;
    await this.tab.scheme(scheme);
    await this.tab.open(file, fragment);
    await this.tab.until(() => document.documentElement.dataset.ready === "1" ||
                               !document.getElementById("notes").hidden);
  }

  text(selector) {
    return this.tab.run((wanted) => document.querySelector(wanted)?.innerText ?? null, selector);
  }

  texts(selector) {
    return this.tab.run((wanted) => Array.from(document.querySelectorAll(wanted), (one) => one.innerText), selector);
  }

  // Scrolls to an element.  Returns where it is.
  place(selector) {
    return this.tab.run((wanted) => {
      const element = document.querySelector(wanted);
      element.scrollIntoView({ block: "center" });
      const { left, top, width, height } = element.getBoundingClientRect();
      return { left, top, width, height };
    }, selector);
  }

  async click(selector) {
    const { left, top, width, height } = await this.place(selector);
    await this.tab.click(left + width / 2, top + height / 2);
  }

  // A frame of the flame graph: its position as a share of the width, its row.
  async clickFrame(part, row) {
    const { left, top, width } = await this.place("#flame");
    await this.tab.click(left + part * width, top + (row + 0.5) * ROW);
  }

  // Looks for a place of an element where the tip begins so, by moves that the page makes itself (the mouse
  // takes a while for each), and has the mouse there.
  async hover(selector, tip) {
    await this.place(selector);
    const { at, tips } = await this.tab.run((wanted, tip) => {
      const element = document.querySelector(wanted), tips = new Set();
      const { left, top, right, bottom } = element.getBoundingClientRect();
      for (let y = top + 10; y < bottom; y += 20)
        for (let x = left + 5; x < right; x += 10) {
          element.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y }));
          const text = document.querySelector("#tip").innerText;
          if (text.startsWith(tip))
            return { at: [x, y] };
          tips.add(text);
        }
      return { tips: Array.from(tips) };
    }, selector, tip);
    if (!at)
      throw new Error(`nowhere ${tip}, but:\n${tips.join("\n")}`);
    await this.tab.move(0, 0);
    await this.tab.move(...at);
    return this.text("#tip");
  }

  async drag(selector, from, to) {
    const { left, top, width, height } = await this.place(selector);
    await this.tab.drag(left + from[0] * width, top + from[1] * height, left + to[0] * width, top + to[1] * height);
  }

  // The table of functions: name -> percent of its own, of all.
  async functions() {
    const rows = await this.tab.run(() => Array.from(document.querySelectorAll("#functions tbody tr[data-frame]"),
      (row) => Array.from(row.cells, (cell) => cell.innerText)));
    return new Map(rows.map(([own, total, name]) => [name.trim(), { own: parseFloat(own), total: parseFloat(total) }]));
  }

  path() {
    return this.tab.run(() => Array.from(document.querySelectorAll("#path button"), (one) => one.innerText));
  }

  picture(id) {
    return this.tab.run((wanted) => document.getElementById(wanted).toDataURL(), id);
  }

  // Waits until the page's address describes what is on the screen: page.js says it when nothing
  // has changed for 150 ms.
  async link() {
    await this.tab.run(() => new Promise((resolve) => setTimeout(resolve, 250)));
    return this.tab.run(() => location.hash);
  }
}

module.exports = { Screen };
