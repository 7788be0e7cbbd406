// SPDX-License-Identifier: GPL-2.0-or-later
// What a person sees and does on the page, for tests.
"use strict";

const ROW = 20; // pixels of a frame

class Screen {
  constructor(tab) {
    this.tab = tab;
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

  // Waits until the page's address describes what is on the screen.
  async link() {
    await this.tab.run(() => new Promise((resolve) => setTimeout(resolve, 400)));
    return this.tab.run(() => location.hash);
  }
}

module.exports = { Screen };
