// SPDX-License-Identifier: GPL-2.0-or-later
// Formats numbers, and names that others chose.
const Text = (() => {
  const SHAPELESS = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\ufe00-\ufe0f]/gu;

  // Characters without a shape, or that change direction, are spelled out.  Most texts
  // are plain, which is known sooner.
  function clean(text) {
    return /^[ -~]*$/.test(text) ? text : text.replace(SHAPELESS, (character) => {
      const code = character.codePointAt(0);
      return code < 0x80 ? "\\x" + code.toString(16).padStart(2, "0") : "\\u{" + code.toString(16) + "}";
    });
  }

  // As markup has it: no name can end the text that it is in.
  function markup(text) {
    return text.replace(/[\ufffe\uffff]/g, "\ufffd").replace(/[&<>"']/g, (letter) => "&#" + letter.charCodeAt(0) + ";");
  }

  function cleanAll(value) {
    if (typeof value === "string")
      return clean(value);
    if (Array.isArray(value))
      return value.map(cleanAll);
    if (value !== null && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cleanAll(part)]));
    return value;
  }

  // Formats us for people.
  function time(us) {
    if (us >= 3.6e9)
      return Math.floor(us / 3.6e9) + " h " + String(Math.floor(us % 3.6e9 / 6e7)).padStart(2, "0") + " min";
    if (us >= 1e6)
      return (us / 1e6).toFixed(3) + " s";
    if (us >= 1e3)
      return (us / 1e3).toFixed(1) + " ms";
    return us.toFixed(0) + " \u00b5s";
  }

  function seconds(us) {
    return (us / 1e6).toFixed(3).replace(/\.?0+$/, "");
  }

  // A width that is a round number: "20 ms".
  function width(us) {
    return us >= 1e6 ? us / 1e6 + " s" : us / 1e3 + " ms";
  }

  function percent(part, whole) {
    return (whole > 0 ? 100 * part / whole : 0).toFixed(2) + " %";
  }

  function count(number) {
    return Math.round(number).toLocaleString("en").replaceAll(",", "\u202f");
  }

  return { clean, cleanAll, markup, time, seconds, width, percent, count };
})();
