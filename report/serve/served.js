// SPDX-License-Identifier: GPL-2.0-or-later
// The page of --serve: it has no data of its own, but asks the program that served it,
// and while its session grows asks again each second that somebody looks at it.  What
// is selected stays, by name.
const Served = (() => {
  const EACH = 1000, PATIENT = 30000; // ms: between two questions; at most, without answers
  const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));
  const byId = (id) => document.getElementById(id);
  let type = null, tag = "", written = 0; // what was asked for; the answer's; ms, when its last block was

  // What another try may do better; said: the program itself says so.
  const failure = (text, said) => Object.assign(new Error(text), { again: true, said });
  const cut = () => { throw failure("xenopreport --serve does not answer: it ended, or the way to it is cut", false); };

  // The data, or null: they are those that the page has.
  async function ask() {
    const answer = await fetch("data" + (type === null ? "" : "?type=" + encodeURIComponent(type)),
                               { cache: "no-store", headers: tag ? { "If-None-Match": tag } : {} }).catch(cut);
    if (answer.status === 304)
      return null;
    if (!answer.ok)
      throw failure(await answer.text().catch(cut), true);
    const bytes = new Uint8Array(await answer.arrayBuffer().catch(cut)), line = bytes.indexOf("\n".charCodeAt(0));
    const { types } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, line)));
    const data = await Decode.loadPacked(bytes.subarray(line + 1));
    Types.know(Text.cleanAll(types));
    tag = answer.headers.get("ETag");
    written = performance.now() - 1000 * Number(answer.headers.get("Age"));
    document.title = data.info.title;
    return data;
  }

  function show(text) {
    const notes = byId("notes");
    notes.hidden = !text;
    notes.replaceChildren(Lists.isolated(Text.clean(text)));
  }

  // The first data, however long they take.
  async function load() {
    const main = document.querySelector("main");
    byId("name").textContent = "Reading the session\u2026";
    main.style.visibility = "hidden"; // there is nothing in it yet
    type = Types.wanted(location.hash);
    for (;;)
      try {
        const data = await ask();
        show("");
        main.style.visibility = "";
        return data;
      } catch (error) {
        if (!error.again)
          throw error;
        show(error.message);
        if (error.said)
          type = null; // what a link asks for may not be there
        await sleep(EACH);
      }
  }

  // Whether somebody is in the midst of something that new data would disturb.
  let pressed = false;
  function isBusy() {
    return pressed || byId("keys").open || document.querySelector("details.menu[open]") !== null ||
      [byId("from"), byId("to")].includes(document.activeElement);
  }

  function ago(time) {
    const seconds = Math.max(0, Math.floor(time / 1e3));
    return (seconds < 60 ? seconds + " s" : seconds < 3600 ? Math.floor(seconds / 60) + " min" : Text.time(seconds * 1e6)) + " ago";
  }

  VIEWS.served = {
    create(app) {
      const word = Lists.element("span", {}), dot = Lists.element("i", {});
      const button = Lists.element("button", { type: "button", id: "pause", title: "Whether new data come (z)" });
      const place = Lists.element("div", { id: "live", className: "live" }, dot, word, button);
      const isOpen = () => app.model.info.session.state === "open";
      let paused = false, failed = "", woken = () => {};

      function tell() {
        const state = !isOpen() ? "ended" : failed ? "failed" : paused ? "paused" : "live";
        place.dataset.state = state;
        word.textContent = { ended: "ended", failed: "no answer, data of ", paused: "paused, data of ", live: "live, " }[state] +
          (state === "ended" ? "" : ago(performance.now() - written));
        button.hidden = state === "ended";
        button.textContent = paused ? "Go on" : "Pause";
      }

      function pause() {
        paused = !paused;
        woken();
        tell();
      }

      // Until somebody looks, and it is not paused.
      async function wanted() {
        while (document.hidden || paused)
          await new Promise((resolve) => { woken = resolve; });
      }

      async function take() {
        const data = await ask();
        while (data && isBusy())
          await sleep(100);
        if (data)
          app.renew(data);
        if (failed || data)
          Info.show(app.model);
        failed = "";
      }

      async function follow() {
        for (let wait = EACH; isOpen(); ) {
          await sleep(wait);
          await wanted();
          if (isBusy())
            continue;
          try {
            await take();
            wait = EACH;
          } catch (error) {
            failed = error.message;
            show(failed);
            wait = Math.min(PATIENT, 2 * wait);
          }
          tell();
        }
      }

      document.querySelector(".who").after(place);
      button.addEventListener("click", pause);
      document.addEventListener("visibilitychange", () => woken());
      document.addEventListener("pointerdown", () => { pressed = true; }, true);
      for (const kind of ["pointerup", "pointercancel"])
        document.addEventListener(kind, () => { pressed = false; }, true);
      setInterval(() => document.hidden || tell(), EACH);
      tell();
      follow();
      return { keys: isOpen() ? [{ key: "z", what: "no new data for a while, and again", run: pause }] : [] };
    },
  };

  return { load };
})();
