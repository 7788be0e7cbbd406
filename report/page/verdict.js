// SPDX-License-Identifier: GPL-2.0-or-later
// The verdict of what is selected, by the rules of report/why/verdict-rules.def: waits,
// busy pCPUs and what guests could do without are found anew.  Other lines are known
// of the whole session alone, and say so beside them.
VIEWS.verdict = (() => {
  const WHOLE = "of the whole session: ";
  const MANY = 2e5, LATER = 150; // rows of samples that are looked at after what is in sight; ms

  function fill(text, signs) {
    return text.replace(/[%*@]/g, (sign) => signs[sign]);
  }

  function line(rules, rule, percent, { whose = "", found }) {
    const { rank, least, sentence, command } = rules[rule];
    return percent < least ? []
      : [{ rule, rank, percent, text: fill(sentence, { "%": percent.toFixed(2) + "%", "*": whose, "@": found }) + " (" + command + ")" }];
  }

  // Nodes in which a kernel spins for a lock: the innermost function that says so does.
  function spinningNodes({ tree, info: { findings } }) {
    const spins = new Set(findings.spins), interrupts = new Set(findings.interrupts), found = new Uint8Array(tree.count);
    for (let i = 1; i < tree.count; i++)
      found[i] = spins.has(tree.frame[i]) ? 1 : interrupts.has(tree.frame[i]) ? 0 : found[tree.parent[i]];
    return found;
  }

  function create(app) {
    const { model } = app, { element, isolated } = Lists;
    const place = document.getElementById("verdict"), list = place.querySelector("ul");
    let most = 0, due = 0, whole, findings, names, why, waits, rules, spinning;

    function read() {
      ({ verdict: whole = [], findings, domain_names: names, why = [], waits = [] } = model.info);
      rules = findings?.rules;
      spinning = findings?.spins.length ? spinningNodes(model) : new Uint8Array(model.tree.count);
    }

    function waited() {
      const rows = Waited.rows(model, app.state.selection), marked = rows.filter(({ times }) => Waited.isMarked(times));
      const sum = (key) => marked.reduce((all, { times }) => all + times[key], 0);
      if (!marked.length)
        return [];
      const longest = marked.reduce((best, row) => Waited.share(row.times) > Waited.share(best.times) ? row : best);
      const who = longest.domain + " v" + longest.vcpu, cap = 2 * sum("capped") > sum("ready") ? "; by their cap, mostly" : "";
      return line(rules, "waits", 100 * sum("ready") / sum("known"), { found: (marked.length === 1 ? who + " for a pCPU"
        : marked.length + " of " + rows.length + " vCPUs for a pCPU, " + who + " " + (100 * Waited.share(longest.times)).toFixed(1) + "%") + cap });
    }

    // Whatever is selected but time: pCPUs are full, or they are not.
    function busy() {
      const { brush } = app.result, { tree } = model;
      if (!model.account?.pcpusKnown || Waited.rows(model, { ...Model.selectAll(model), from: app.state.selection.from, to: app.state.selection.to })
        .some(({ times }) => Waited.isMarked(times)))
        return [];
      const idle = tree.idle.reduce((sum, node) => sum + brush.times[node], 0), domains = new Float64Array(names.length);
      Model.kindsInTime(model, app.result).forEach((time, kind) => {
        const { domain, mode } = tree.kinds[kind];
        domains[domain] += mode === Model.IDLE ? 0 : time;
      });
      const first = domains.indexOf(Math.max(...domains)), share = (time) => 100 * time / (brush.all || 1);
      return line(rules, "busy", share(brush.all - idle), { found: names[first] + " had " + share(domains[first]).toFixed(2) + "%" });
    }

    // What each domain's kernel spins, and what Xen did for a guest that could do without,
    // by reason: largest first, and of what Xen did the largest of each domain alone.
    function findingsOf() {
      const { tree } = model, { own } = app.result, found = new Map(), guests = new Set(findings.guests);
      const add = (domain, reason, time) => {
        const key = domain + "/" + reason;
        if (!found.has(key))
          found.set(key, { domain, reason, time: 0 });
        found.get(key).time += time;
      };
      if (findings.spins.length)
        own.forEach((time, node) => time > 0 && spinning[node] && add(tree.domain[node], 0, time));
      if (why.some(({ avoidable }) => avoidable))
        Model.forReasons(model, app.result, app.state.selection, (reason, node, time) => {
          const domain = tree.domain[node];
          if (why[reason - 1].avoidable && !spinning[node] && guests.has(domain))
            add(domain, reason, time);
        });
      const said = new Set();
      return [...found.values()].sort((a, b) => b.time - a.time).filter(({ domain, reason }) =>
        !reason || (!said.has(domain) && said.add(domain))).slice(0, findings.most);
    }

    function causes() {
      return findingsOf().flatMap(({ domain, reason, time }) => {
        const percent = 100 * time / (app.result.all || 1), whose = names[domain];
        return reason ? line(rules, "emulated", percent, { whose, found: why[reason - 1].reason })
          : line(rules, "spins", percent, { whose, found: "" });
      });
    }

    function isWhole() {
      const all = Model.selectAll(model), { from, to, ...lists } = app.state.selection;
      return !app.state.base && from === 0 && to === model.bins &&
        Object.keys(lists).every((key) => lists[key].every((value, i) => value || !all[key][i]));
    }

    // In the order of ranks, and of a rank the larger percentage first; two times that are
    // compared have none of their own.
    function lines() {
      if (isWhole() || !findings)
        return whole;
      const pair = Boolean(app.result.sides);
      const anew = pair ? [] : [...(waits.length && (Waited.follows(model) || !Waited.isPart(model, app.state.selection)) ? waited() : []),
                                ...busy(), ...causes()];
      const followed = pair ? [] : [...(waits.length && Waited.follows(model) ? ["waits"] : []),
                                    ...(model.account?.pcpusKnown ? ["busy"] : []), "emulated", "spins"];
      const rest = whole.filter(({ rule }) => !followed.includes(rule)).map((one) => ({ ...one, rank: rules[one.rule].rank, whole: true }));
      return [...anew, ...rest].sort((a, b) => a.rank - b.rank || b.percent - a.percent).slice(0, findings.lines);
    }

    // It gets no lower: what is below it would move while a time is dragged.
    function show() {
      const shown = lines(), all = shown === whole;
      place.hidden = !whole.length && all;
      document.getElementById("verdict-of").textContent = all ? "" : app.result.sides ? "" : "of what is selected";
      list.replaceChildren(...shown.map(({ text, trust, whole: dim }) => element("li", { className: dim ? "whole" : trust ? "trust" : "" },
        dim ? WHOLE : "", isolated(text))));
      if (!shown.length)
        list.append(element("li", { className: "whole", textContent: "Nothing stands out in what is selected." }));
      most = Math.max(most, list.childElementCount);
      list.style.minHeight = all ? "" : 1.4 * most + "em";
    }

    function update() {
      clearTimeout(due);
      if (model.samples.node.length > MANY && !isWhole())
        due = setTimeout(show, LATER);
      else
        show();
    }

    read();
    return { numbersChanged: update, renewing: () => read };
  }

  return { create };
})();
