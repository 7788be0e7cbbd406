// SPDX-License-Identifier: GPL-2.0-or-later
// What the samples of the page are of.  A page has the data of each type of its
// session apart, and shows one: choosing another one opens the page anew.
const Types = (() => {
  const TIME = "time", WAITING = "waiting";
  const UNITS = ["", " k", " M", " G", " T", " P", " E"];
  let names = []; // that the page has; the first is shown unless a link says more

  // "1.23 M"
  function short(count) {
    let unit = 0;
    for (; count >= 999.5 && unit < UNITS.length - 1; unit++)
      count /= 1000;
    const digits = count < 9.995 ? 2 : count < 99.95 ? 1 : 0;
    return count.toFixed(unit ? digits : 0) + UNITS[unit];
  }

  // How amounts are written, and what shares are of.  Amounts are us of time, or
  // events; in the page's list of reasons they are ns, or events.
  function of(info) {
    const session = info.session ?? {};
    const name = session.type ?? TIME, timed = name === TIME || name === WAITING;
    const type = (session.types ?? []).find((one) => one.name === name);
    const scale = timed ? 1e3 : 1;
    return {
      name, scale, isTime: name === TIME,
      whole: name === TIME ? "pCPU time" : name === WAITING ? "waiting time" : name,
      amount: timed ? Text.time : (count) => short(count) + " " + (type?.unit ?? "events"),
      all: (name === TIME ? session.pcpu_time_ns : type?.amount ?? 0) / scale,
    };
  }

  // The type that a link asks for, or null.
  function wanted(fragment) {
    return new URLSearchParams(fragment.replace(/^#/, "")).get("type");
  }

  // The text of the data of the type that a link asks for, or of the first.
  function take(fragment) {
    const blocks = [...document.querySelectorAll("script[data-type]")];
    names = blocks.map((one) => one.dataset.type);
    const text = blocks[Math.max(0, names.indexOf(wanted(fragment)))].textContent.trim();
    blocks.forEach((one) => one.remove());
    return text;
  }

  // The page's data are elsewhere, of these types.
  function know(types) {
    names = types;
  }

  // Whether a link asks for another type of the page than is shown.
  function asks(model, fragment) {
    const name = wanted(fragment) ?? names[0];
    return name !== model.type.name && names.includes(name);
  }

  const isFirst = (name) => name === names[0];

  // Opens the page anew, with nothing but the type in its link.
  function open(name) {
    history.replaceState(null, "", isFirst(name) ? location.pathname + location.search
      : "#" + new URLSearchParams([["type", name]]));
    location.reload();
  }

  // A list to choose from, if there is a choice.
  function show(model) {
    const place = document.getElementById("type");
    document.getElementById("type-part").hidden = names.length < 2;
    place.replaceChildren(...names.map((name) => Lists.element("option", { value: name, textContent: name })));
    place.value = model.type.name;
    place.addEventListener("change", () => open(place.value));
  }

  return { of, short, take, know, wanted, asks, isFirst, show };
})();
