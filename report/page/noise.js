// SPDX-License-Identifier: GPL-2.0-or-later
// Whether changes are beyond the noise of sampling: the test and the rate of
// report/model/noise.h, over columns.
const Noise = (() => {
  const RATE = 0.05, SAMPLES = 10, QUANTILE = 1.959964;
  const SERIES = 2; // up to there the series has fewer terms than the fraction
  const TERMS = 40;

  // The probability that a normal distribution gives to what is further than x times
  // the square root of 2 standard deviations from its middle: 1 - erf(x), for x >= 0.
  function beside(x) {
    const fall = Math.exp(-x * x);
    if (x < SERIES) {
      let term = x, sum = x;
      for (let n = 1; n < TERMS && term > 1e-17 * sum; n++)
        sum += term *= 2 * x * x / (2 * n + 1);
      return 1 - 2 / Math.sqrt(Math.PI) * fall * sum;
    }
    let below = x;
    for (let n = TERMS; n > 0; n--)
      below = x + n / 2 / below;
    return fall / Math.sqrt(Math.PI) / below;
  }

  function variance(part, n) {
    return n > 0 ? part * (1 - part) / n : 0;
  }

  // Half of the interval in which a change is at 95 %: of shares was and is, of so many
  // samples.
  function error(was, is, n) {
    return QUANTILE * Math.sqrt(variance(Math.min(1, was), n[0]) + variance(Math.min(1, is), n[1]));
  }

  // How far apart two shares are, in standard deviations by the square root of 2; 0: it
  // is not tested.
  function distance(was, is, n) {
    const sum = was * n[0] + is * n[1], both = sum / (n[0] + n[1]);
    if (sum < SAMPLES || !(n[0] > 0 && n[1] > 0))
      return 0;
    const spread = variance(both, n[0]) + variance(both, n[1]), far = Math.abs(is - was) / Math.sqrt(2 * spread);
    return spread > 0 && far > 1e-16 ? far : 0;
  }

  // The distance of which beside() is that.
  function distanceOf(chance) {
    let low = 0, high = 30; // there it is 0
    for (let turn = 0; turn < 60; turn++) {
      const middle = (low + high) / 2;
      if (beside(middle) > chance)
        low = middle;
      else
        high = middle;
    }
    return high;
  }

  // The distance from which on they are beyond noise.  Where k of all are so far that
  // chance has them there as often as k are allowed to be, fewer may be further than
  // k must be; and so on, until no more are left out.
  function threshold(distances, tested) {
    let left = tested, wanted = 0;
    for (let before = Infinity; left && left < before;) {
      before = left;
      wanted = distanceOf(RATE * before / tested);
      left = 0;
      for (let i = 0; i < before; i++)
        if (distances[i] >= wanted)
          distances[left++] = distances[i];
    }
    return left ? wanted : Infinity;
  }

  // Of distances, those of some indexes that are tested: marks which are beyond noise.
  function markTested(length, indexes, distances) {
    const marks = new Uint8Array(length), least = threshold(distances.slice(), distances.length);
    for (let i = 0; i < indexes.length; i++)
      marks[indexes[i]] = distances[i] >= least ? 1 : 0;
    return marks;
  }

  // Marks which of all distances that are tested at once are beyond noise.
  function markDistances(all) {
    const indexes = [...all.keys()].filter((i) => all[i]);
    return markTested(all.length, indexes, indexes.map((i) => all[i]));
  }

  // Marks which amounts changed beyond noise, of all tested at once; of what whole is, so
  // many samples.  Of many nodes most have too few samples to be tested.
  let indexes = new Uint32Array(0), distances = new Float64Array(0); // kept, since they are large
  function mark(was, is, n, whole) {
    const [before, after] = n, least = SAMPLES * (1 - 1e-9) * whole;
    let count = 0;
    if (indexes.length < was.length) {
      indexes = new Uint32Array(was.length);
      distances = new Float64Array(was.length);
    }
    for (let i = 0; i < was.length; i++) {
      if (was[i] === is[i] || was[i] * before + is[i] * after < least)
        continue;
      const far = distance(Math.min(1, was[i] / whole), Math.min(1, is[i] / whole), n);
      if (far) {
        indexes[count] = i;
        distances[count++] = far;
      }
    }
    return markTested(was.length, indexes.subarray(0, count), distances.subarray(0, count));
  }

  return { mark, markDistances, error, beside, QUANTILE };
})();
