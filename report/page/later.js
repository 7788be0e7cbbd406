// SPDX-License-Identifier: GPL-2.0-or-later
// What somebody may want soon is made while nobody does anything: in pieces, between
// which the page follows its reader.  A job is a generator that yields after each
// piece of a few ms.
const Later = (() => {
  const QUIET = 500, PIECE = 12; // ms: since somebody did something; that a piece may take
  const ACTIONS = ["pointerdown", "keydown", "wheel", "input", "change", "click", "hashchange"];

  // All that is left of a job, at once.  Returns what it returns.
  function finish(job) {
    let step = job.next();
    while (!step.done)
      step = job.next();
    return step.value;
  }

  // Safari has no requestIdleCallback().
  const askTimer = (call) => setTimeout(call, PIECE, { timeRemaining: () => PIECE });

  // Does a job, and says in the document when that is done.
  function whenIdle(job) {
    const ask = window.requestIdleCallback ?? askTimer;
    let quiet = 0;
    const noted = () => { quiet = performance.now() + QUIET; };
    const go = () => {
      const wait = quiet - performance.now();
      if (wait > 0)
        setTimeout(go, wait);
      else
        ask(take);
    };
    const take = (idle) => {
      let over = false;
      if (performance.now() >= quiet)
        do
          over = job.next().done;
        while (!over && idle.timeRemaining() >= PIECE);
      if (!over) {
        go();
        return;
      }
      ACTIONS.forEach((kind) => window.removeEventListener(kind, noted, true));
      document.documentElement.dataset.warm = "1";
    };
    ACTIONS.forEach((kind) => window.addEventListener(kind, noted, { capture: true, passive: true }));
    go();
  }

  return { finish, whenIdle };
})();
