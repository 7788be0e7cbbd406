// SPDX-License-Identifier: GPL-2.0-or-later
// Drives a headless Chromium over a pipe; needs nothing but node.
"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const TIMEOUT = 120000; // ms, for one answer; a busy machine is slow

// A key as the browser names it.
const KEYS = {
  Enter: { code: "Enter", windowsVirtualKeyCode: 13, text: "\r" },
  Escape: { code: "Escape", windowsVirtualKeyCode: 27 },
  Backspace: { code: "Backspace", windowsVirtualKeyCode: 8 },
  Tab: { code: "Tab", windowsVirtualKeyCode: 9 },
  Home: { code: "Home", windowsVirtualKeyCode: 36 },
  End: { code: "End", windowsVirtualKeyCode: 35 },
  ArrowLeft: { code: "ArrowLeft", windowsVirtualKeyCode: 37 },
  ArrowUp: { code: "ArrowUp", windowsVirtualKeyCode: 38 },
  ArrowRight: { code: "ArrowRight", windowsVirtualKeyCode: 39 },
  ArrowDown: { code: "ArrowDown", windowsVirtualKeyCode: 40 },
};
const SHIFT = 8;

class Pipe {
  constructor(output, input) {
    this.output = output;
    this.waiting = new Map();
    this.listeners = [];
    this.last = 0;
    this.ended = new Promise((resolve, reject) => { this.endWith = reject; });
    this.ended.catch(() => {}); // who waits says it
    output.on("error", () => {}); // nobody reads any more: so it has ended
    let rest = [];
    input.on("data", (chunk) => {
      let end;
      while ((end = chunk.indexOf(0)) >= 0) {
        rest.push(chunk.subarray(0, end));
        this.take(JSON.parse(Buffer.concat(rest).toString()));
        rest = [];
        chunk = chunk.subarray(end + 1);
      }
      rest.push(chunk);
    });
  }

  take(message) {
    const waiting = this.waiting.get(message.id);
    if (!waiting) {
      this.listeners.forEach((listener) => listener(message));
      return;
    }
    this.waiting.delete(message.id);
    clearTimeout(waiting.timer);
    if (message.error)
      waiting.reject(new Error(waiting.method + ": " + message.error.message));
    else
      waiting.resolve(message.result);
  }

  end(error) {
    this.over = true;
    this.waiting.forEach(({ timer }) => clearTimeout(timer));
    this.endWith(error);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.last;
    if (this.over)
      return this.ended;
    return this.unlessEnded(new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(method + ": no answer in " + TIMEOUT + " ms")), TIMEOUT);
      this.waiting.set(id, { method, resolve, reject, timer });
      this.output.write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    }));
  }

  unlessEnded(promise) {
    return Promise.race([promise, this.ended]);
  }
}

class Tab {
  constructor(pipe, session) {
    this.pipe = pipe;
    this.session = session;
    this.complaints = []; // of the page: errors, and what its policy refused
    pipe.listeners.push((message) => this.listen(message));
  }

  listen(message) {
    if (message.sessionId !== this.session)
      return;
    if (message.method === "Runtime.exceptionThrown")
      this.complaints.push(message.params.exceptionDetails.exception?.description ?? "an exception");
    if (message.method === "Log.entryAdded" && message.params.entry.level === "error")
      this.complaints.push(message.params.entry.text);
    if (message.method === "Page.loadEventFired")
      this.loaded?.();
  }

  send(method, params) {
    return this.pipe.send(method, params, this.session);
  }

  async open(file, fragment = "") {
    const loaded = new Promise((resolve) => { this.loaded = resolve; });
    await this.send("Page.navigate", { url: "about:blank" });
    await this.pipe.unlessEnded(loaded);
    const again = new Promise((resolve) => { this.loaded = resolve; });
    await this.send("Page.navigate", { url: "file://" + path.resolve(file) + fragment });
    await this.pipe.unlessEnded(again);
  }

  // Does something that opens a page, and waits until that is there.
  async opening(action) {
    const loaded = new Promise((resolve) => { this.loaded = resolve; });
    await action();
    await this.pipe.unlessEnded(loaded);
  }

  // Runs a function in the page.  Returns its value.
  async run(code, ...values) {
    const expression = "(" + code + ")(" + values.map((value) => JSON.stringify(value)).join(",") + ")";
    const answer = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (answer.exceptionDetails)
      throw new Error(answer.exceptionDetails.exception?.description ?? "an exception in the page");
    return answer.result.value;
  }

  // Waits until the function returns true in the page.
  async until(code, ...values) {
    const given = values.map((value) => JSON.stringify(value)).join(",");
    const came = await this.run(`() => new Promise((resolve) => {
      const end = performance.now() + ${TIMEOUT / 2};
      const look = () => {
        const is = (${code})(${given});
        if (is || performance.now() > end)
          resolve(Boolean(is));
        else
          setTimeout(look, 5);
      };
      look();
    })`);
    if (!came)
      throw new Error(`not so within ${TIMEOUT / 2} ms: ${code}`);
  }

  async key(name, { shift = false } = {}) {
    const known = KEYS[name] ?? { text: name };
    const event = { key: name, modifiers: shift ? SHIFT : 0, ...known };
    await this.send("Input.dispatchKeyEvent", { type: known.text ? "keyDown" : "rawKeyDown", ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  async type(text) {
    for (const letter of text)
      await this.key(letter);
  }

  async mouse(type, x, y) {
    await this.send("Input.dispatchMouseEvent",
      { type, x, y, button: "left", buttons: type === "mouseReleased" ? 0 : 1, clickCount: 1 });
  }

  async move(x, y) {
    await this.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
  }

  async click(x, y) {
    await this.drag(x, y, x, y);
  }

  async drag(fromX, fromY, toX, toY) {
    await this.mouse("mousePressed", fromX, fromY);
    if (fromX !== toX || fromY !== toY) {
      await this.mouse("mouseMoved", (fromX + toX) / 2, (fromY + toY) / 2);
      await this.mouse("mouseMoved", toX, toY);
    }
    await this.mouse("mouseReleased", toX, toY);
  }

  async size(width, height) {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  }

  async scheme(name) {
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: name }] });
  }

  async picture(file) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    fs.writeFileSync(file, Buffer.from(data, "base64"));
  }
}

class Browser {
  static async start(program) {
    const browser = new Browser();
    browser.folder = fs.mkdtempSync(path.join(os.tmpdir(), "xenoprof-browser-"));
    const sandbox = process.getuid() === 0 ? ["--no-sandbox"] : [];
    browser.child = spawn(program, ["--headless=new", ...sandbox, "--disable-gpu", "--disable-dev-shm-usage",
      "--no-first-run", "--disable-extensions", "--disable-background-networking", "--hide-scrollbars",
      "--user-data-dir=" + browser.folder, "--remote-debugging-pipe", "about:blank"],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    browser.gone = new Promise((resolve) => browser.child.on("exit", resolve));
    browser.pipe = new Pipe(browser.child.stdio[3], browser.child.stdio[4]);
    browser.child.on("exit", (status, signal) =>
      browser.pipe.end(new Error("the browser ended: " + (signal ?? "exit status " + status))));
    return browser;
  }

  async tab() {
    const { targetId } = await this.pipe.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.pipe.send("Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab(this.pipe, sessionId);
    for (const domain of ["Page", "Runtime", "Log"])
      await tab.send(domain + ".enable");
    // As if its window were in front: :focus is true of nothing else, and frames may come late.
    await tab.send("Emulation.setFocusEmulationEnabled", { enabled: true });
    await tab.size(1440, 1000);
    return tab;
  }

  async stop() {
    await this.pipe.send("Browser.close").catch(() => {});
    await this.gone;
    // Its helpers may still write into the folder; what they leave is no fault of a page.
    try {
      fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
    } catch (error) {
      console.log("# left behind: " + error.message);
    }
  }
}

module.exports = { Browser };
