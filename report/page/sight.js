// SPDX-License-Identifier: GPL-2.0-or-later
// An action takes as long as what its reader sees of it: views whose panel is out of
// sight follow a moment later, or at once when it comes into sight, is printed, or has
// the focus.  Until then the panel is busy, for who listens.
const Sight = (() => {
  const LATER = 150; // ms
  const hidden = new Set(); // panels
  const waiting = new Map(); // of views, the functions that are to be called
  let due = 0;

  function catchUp(view) {
    const names = waiting.get(view) ?? [];
    waiting.delete(view);
    view.panel.removeAttribute("aria-busy");
    for (const name of names)
      view[name]();
  }

  // What is waited for, at once.
  function finish() {
    clearTimeout(due);
    [...waiting.keys()].forEach(catchUp);
  }

  function isHidden({ panel }) {
    return hidden.has(panel) && !panel.contains(document.activeElement);
  }

  // Calls a function of a view, now or soon.
  function call(view, name) {
    if (!view.panel || !isHidden(view)) {
      view[name]();
      return;
    }
    if (!waiting.has(view))
      waiting.set(view, new Set());
    waiting.get(view).add(name);
    view.panel.setAttribute("aria-busy", "true");
    clearTimeout(due);
    due = setTimeout(finish, LATER);
  }

  // Of views that have a panel; one that is not there at all has no place to be seen.
  function watch(views) {
    const look = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting, boundingClientRect }) => {
      if (!isIntersecting && boundingClientRect.height > 0)
        hidden.add(target);
      else if (hidden.delete(target))
        views.filter((view) => view.panel === target && waiting.has(view)).forEach(catchUp);
    }));
    views.forEach(({ panel }) => panel && look.observe(panel));
    window.addEventListener("beforeprint", finish);
    document.addEventListener("focusin", () => [...waiting.keys()].forEach((view) => isHidden(view) || catchUp(view)));
  }

  return { call, finish, watch };
})();
