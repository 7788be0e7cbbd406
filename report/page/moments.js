// SPDX-License-Identifier: GPL-2.0-or-later
// When what is selected begins, ends or becomes more: the times at which the seconds before
// differ from those after it by more than seconds do anyway.
VIEWS.moments = (() => {
  const FAR = 5; // standard deviations of the means: the largest of many would be 3 or 4 by chance
  const USUAL = 0.9; // standard deviations that such steps are on the average
  const LEAST = 0.01; // of the larger mean
  const FEW = 2; // seconds on each side at least

  // Where means differ most between two indexes, if they do.
  function split(values, first, end, spread) {
    let all = 0, best = null, before = 0;
    for (let i = first; i < end; i++)
      all += values[i];
    for (let at = first + 1; at < end; at++) {
      before += values[at - 1];
      const left = at - first, right = end - at, gap = (all - before) / right - before / left;
      const far = Math.abs(gap) * Math.sqrt(left * right / (end - first));
      if (left >= FEW && right >= FEW && (!best || far > best.far))
        best = { at, far, was: before / left, is: (all - before) / right };
    }
    const least = Math.max(FAR * spread, Number.MIN_VALUE);
    return best && best.far > least && Math.abs(best.is - best.was) > LEAST * Math.max(best.is, best.was) ? best : null;
  }

  // How much a second differs from its neighbour by chance, of the nine tenths that do
  // so least: what begins makes one of the others.
  function spreadOf(values) {
    const steps = Array.from(values.subarray(1), (value, i) => Math.abs(value - values[i])).sort((a, b) => a - b);
    const few = steps.slice(0, Math.ceil(steps.length * 0.9));
    return few.reduce((sum, step) => sum + step, 0) / (few.length || 1) / USUAL;
  }

  // All of them, in order: each part is looked at again.
  function find(values) {
    const found = [], parts = [[0, values.length]], spread = spreadOf(values);
    while (parts.length && found.length < 64) {
      const [first, end] = parts.pop(), best = split(values, first, end, spread);
      if (!best)
        continue;
      found.push(best.at);
      parts.push([first, best.at], [best.at, end]);
    }
    return found.sort((a, b) => a - b);
  }

  function create(app) {
    const { model } = app, said = document.getElementById("moment");
    let last = -1;

    // us of what is selected in each second, or bin, if these are wider; begins are bins.
    function seconds() {
      const { modes, domains } = app.state.selection, each = model.account?.slotBins ?? Math.max(1, Math.round(1e6 / model.binTime));
      const bars = Lanes.makeBars(model, app.bins, each), shift = Lanes.barShift(model, each);
      const values = new Float64Array(Lanes.countBars(model, each));
      for (const [domain, sums] of bars)
        for (let at = 0; domains[domain] && at < values.length * Model.COLUMNS; at++)
          values[Math.floor(at / Model.COLUMNS)] += sums[at] * modes[Math.min(at % Model.COLUMNS, Model.NO_MODE)];
      const begin = (second) => Math.max(0, second * each - shift), width = (second) => Math.min(model.bins, (second + 1) * each - shift) - begin(second);
      return { begin, values: values.map((sum, second) => sum / Math.max(1, width(second)) / model.binTime) }; // pCPUs
    }

    function amount(values) {
      const mean = values.reduce((a, b) => a + b, 0) / (values.length || 1);
      return model.type.isTime ? Text.percent(mean, model.pcpus) : model.type.amount(mean * 1e6) + " a second";
    }

    // To the next one; after the last, to the first.
    function go() {
      const { values, begin } = seconds(), found = find(values), next = found.findIndex((at) => begin(at) > last);
      said.hidden = false;
      if (!found.length) {
        said.textContent = "What is selected does not begin or end: it is about as much all of the time.";
        return;
      }
      const i = Math.max(0, next), at = found[i];
      last = begin(at);
      app.moment = { from: begin(found[i - 1] ?? 0), at: last, to: found[i + 1] === undefined ? model.bins : begin(found[i + 1]) };
      said.textContent = "At " + Text.seconds(model.since + Model.timeOf(model, last)) + " s (" + (i + 1) + " of " + found.length +
        "): what is selected goes from " + amount(values.subarray(found[i - 1] ?? 0, at)) + " to " + amount(values.subarray(at, found[i + 1])) +
        (model.type.isTime ? " of pCPU time" : "") + "; v compares both times.";
      app.views.times.goTo(last);
    }

    // What was found is of another selection.
    function forget() {
      last = -1;
      app.moment = null;
      said.hidden = true;
    }

    return { numbersChanged: forget, keys: [{ key: "j", what: "to when what is selected begins, ends or changes; v compares before and after", run: go }] };
  }

  return { create, find, needsTimes: true };
})();
