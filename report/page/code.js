// SPDX-License-Identifier: GPL-2.0-or-later
// The instructions of a function and its lines of source, with their samples: rows of
// the page's data, as xenopreport --annotate prints them.  They are of the page's whole
// time, whatever is selected.
const Code = (() => {
  const HOT = 5; // percent of the function, as report/code/annotate-rows.c has it
  const FEW = 5; // instructions that are hot in any case

  // The functions that a frame is, one for each kernel or process that has it; and how
  // many the page has.
  function of(model, frame) {
    model.codeRead ??= model.code();
    const { functions, more } = model.codeRead;
    return { bodies: functions.filter((one) => one.frame === frame), known: functions.length, more };
  }

  function percent({ time_ns: all, samples: count }, time, samples) {
    return all ? 100 * time / all : count ? 100 * samples / count : 0;
  }

  // Indexes of rows to stop at: hot ones, and if there are none those with most samples.
  function hotRows(body) {
    const sampled = [...body.rows.keys()].filter((i) => Array.isArray(body.rows[i]) && body.rows[i][1] > 0);
    const part = (i) => percent(body, body.rows[i][2], body.rows[i][1]);
    const hot = sampled.filter((i) => part(i) >= HOT);
    return hot.length ? hot : sampled.sort((a, b) => part(b) - part(a) || a - b).slice(0, FEW).sort((a, b) => a - b);
  }

  function hottest(body) {
    const part = (i) => percent(body, body.rows[i][2], body.rows[i][1]);
    return hotRows(body).reduce((best, i) => best < 0 || part(i) > part(best) ? i : best, -1);
  }

  // Whose it is, if there are several: "web (1) and 2 more".
  function whose({ info }, { domains }) {
    return (info.domain_names[domains[0]] ?? "Xen") + (domains.length > 1 ? " and " + (domains.length - 1) + " more" : "");
  }

  // Whether it is of a selected domain.
  function isSelected({ domains: selected }, { domains }) {
    return !domains.length || domains.some((domain) => selected[domain]);
  }

  function instructionRow(body, row, most, isHot) {
    const { element, isolated, partCell } = Lists;
    const [offset, samples, time, inside, text] = row, part = percent(body, time, samples);
    const cell = samples ? partCell(part, 100, most) : element("td", {});
    const made = element("tr", { tabIndex: -1, className: isHot ? "hot" : "" }, cell,
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
  function table(body) {
    const { element } = Lists, made = element("table", { className: "code" }), hot = new Set(hotRows(body));
    made.setAttribute("aria-label", "Instructions");
    const parts = body.rows.filter(Array.isArray).map(([, samples, time]) => percent(body, time, samples));
    const most = parts.reduce((a, b) => Math.max(a, b), 0);
    const titles = ["of it", "samples", "offset", body.found ? "instruction" : ""];
    made.append(
      element("colgroup", {}, ...["num", "count", "offset", "name"].map((className) => element("col", { className }))),
      element("thead", {}, element("tr", {}, ...titles.map((textContent, i) =>
        element(textContent ? "th" : "td", { className: i === 3 ? "name" : "", textContent })))), // an empty heading is none
      element("tbody", {}, ...body.rows.map((row, i) => Array.isArray(row) ? instructionRow(body, row, most, hot.has(i)) : otherRow(row))));
    return made;
  }

  // What is to be said of it, a sentence each.
  function notes({ code, found, inside, outside, rows_more: more }) {
    return [...(found ? ["Code: " + code + "."] : []),
            ...(inside ? ["~ " + Text.count(inside) + " samples fell inside of an instruction: what ran there is not what the file has."] : []),
            ...(outside ? [Text.count(outside) + " samples fell behind what is shown."] : []),
            ...(more ? [Text.count(more) + " more rows are left out."] : []),
            "Samples here are of the page\u2019s whole time, whatever is selected; the command that y copies has what is selected."];
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

  return { of, hottest, whose, isSelected, isNamed, table, notes, remedy };
})();
