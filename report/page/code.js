// SPDX-License-Identifier: GPL-2.0-or-later
// The instructions of a function and its lines of source, with their samples: rows of
// the page's data, as xenopreport --annotate prints them.  They are of the selected
// domains, and of the page's whole time.
const Code = (() => {
  const XEN = 0; // a mode
  const HOT = 5; // percent of the function, as report/code/annotate-rows.c has it
  const FEW = 5; // instructions that are hot in any case

  // The functions that a frame is, one for each kernel or process that has it; and how
  // many the page has.
  function of(model, frame) {
    model.codeRead ??= model.code();
    const { functions, more } = model.codeRead;
    return { bodies: functions.filter((one) => one.frame === frame), known: functions.length, more };
  }

  // What the selected domains have of a row: samples and ns.
  /** @param {any} row */
  function partOf({ domains }, row, selected) {
    const [, samples, time, , , parts = [domains[0], samples, time]] = row, sum = [0, 0];
    for (let i = 0; i < parts.length; i += 3)
      if (selected[parts[i]]) {
        sum[0] += parts[i + 1];
        sum[1] += parts[i + 2];
      }
    return sum;
  }

  // Of each row the samples of the selected domains, and how many percent of theirs that is.
  function counts(body, selected) {
    const all = body.domains.every((domain) => selected[domain]);
    const rows = body.rows.map((row) => !Array.isArray(row) ? [0, 0] : all ? [row[1], row[2]] : partOf(body, row, selected));
    const whole = all ? [body.samples, body.time_ns] : rows.reduce((sum, row) => [sum[0] + row[0], sum[1] + row[1]], [0, 0]);
    const by = whole[1] ? 1 : 0; // time, if there is any
    return { samples: rows.map((row) => row[0]), parts: rows.map((row) => whole[by] ? 100 * row[by] / whole[by] : 0) };
  }

  // Indexes of rows to stop at: hot ones, and if there are none those with most samples.
  function hotRows({ samples, parts }) {
    const sampled = [...samples.keys()].filter((i) => samples[i] > 0), hot = sampled.filter((i) => parts[i] >= HOT);
    return hot.length ? hot : sampled.sort((a, b) => parts[b] - parts[a] || a - b).slice(0, FEW).sort((a, b) => a - b);
  }

  function hottest(counted) {
    return hotRows(counted).reduce((best, i) => best < 0 || counted.parts[i] > counted.parts[best] ? i : best, -1);
  }

  // Whose it is, if there are several: "web (1) and 2 more".
  function whose({ info, frames }, { frame, domains }) {
    return frames.mode[frame] === XEN ? "Xen" : info.domain_names[domains[0]] + (domains.length > 1 ? " and " + (domains.length - 1) + " more" : "");
  }

  // Of the domains that have it, those that are selected, as a word.
  function key({ domains }, selected) {
    return domains.filter((domain) => selected[domain]).join(" ");
  }

  /** @param {any} row */
  function instructionRow(row, samples, part, most, isHot) {
    const { element, isolated, partCell } = Lists, [offset, , , inside, text] = row;
    const made = element("tr", { tabIndex: -1, className: isHot ? "hot" : "" }, samples ? partCell(part, 100, most) : element("td", {}),
      element("td", { textContent: samples ? samples + (inside ? "~" : "") : "" }),
      element("td", { className: "offset", textContent: "+0x" + offset.toString(16) }),
      element("td", { className: "name", title: text.slice(0, 1000) }, isolated(text)));
    made.dataset.offset = offset;
    return made;
  }

  function otherRow(row) {
    const { element, isolated } = Lists, quiet = typeof row === "number";
    const text = quiet ? "\u2026 " + Text.count(row) + " instructions without samples" : row;
    return element("tr", {}, element("td", { className: quiet ? "quiet-rows" : "line", colSpan: 4, title: quiet ? "" : text.slice(0, 1000) },
                                     isolated(text)));
  }

  // A table of the rows; each instruction can have the focus.
  function table(body, counted) {
    const { element } = Lists, made = element("table", { className: "code" }), hot = new Set(hotRows(counted));
    const { samples, parts } = counted, most = parts.reduce((a, b) => Math.max(a, b), 0);
    made.setAttribute("aria-label", "Instructions");
    const titles = ["of it", "samples", "offset", body.found ? "instruction" : ""];
    made.append(
      element("colgroup", {}, ...["num", "count", "offset", "name"].map((className) => element("col", { className }))),
      element("thead", {}, element("tr", {}, ...titles.map((textContent, i) =>
        element(textContent ? "th" : "td", { className: i === 3 ? "name" : "", textContent })))), // an empty heading is none
      element("tbody", {}, ...body.rows.map((row, i) => Array.isArray(row) ? instructionRow(row, samples[i], parts[i], most, hot.has(i)) : otherRow(row))));
    return made;
  }

  // What is to be said of it, a sentence each.
  function notes({ code, found, inside, outside, rows_more: more }) {
    return [...(found ? ["Code: " + code + "."] : []),
            ...(inside ? ["~ " + Text.count(inside) + " samples fell inside of an instruction: what ran there is not what the file has."] : []),
            ...(outside ? [Text.count(outside) + " samples fell behind what is shown."] : []),
            ...(more ? [Text.count(more) + " more rows are left out."] : []),
            "Samples here are of the selected domains, in the page\u2019s whole time; the command that y copies has all that is selected."];
  }

  // Whether it has a name by which it can be asked for.
  function isNamed(model, frame) {
    return frame >= 0 && !/^(0x|\[)/.test(model.frameName(frame));
  }

  // Why there are no instructions, "" if there are, and what to do; with a colon at its
  // end a command follows.
  function remedy(model, frame, body, own) {
    const { known, more } = of(model, frame);
    if (body)
      return body.found ? "" : "Its code was " + body.code + ". With that, this command shows its instructions:";
    if (!isNamed(model, frame))
      return "What has no name has no instructions here.";
    if (!known && !more)
      return "This page has no instructions, of a session this large; this command has them:";
    if (!(own > 0))
      return "No sample fell into its own instructions, only into what it called.";
    return "The page has the instructions of the " + Text.count(known) + " functions with most time themselves, and " +
      Text.count(more) + " more have samples; this command has those of any:";
  }

  return { of, counts, hottest, whose, key, isNamed, table, notes, remedy };
})();
