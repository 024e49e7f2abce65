// A cascade that asks about one item and releases its clicks as noisy sums: an item's clicks are summed in blocks of public
// length, and a block's sum gets Laplace noise once. With n clicks and m noises of scale b in an estimate the index is
// mean + (3 ln t + n rate^2/8 - m ln(1 - rate^2 b^2))/(rate n), at the best rate for the end of the epoch that t is in.
import { laplace } from "./random.js";
import { indexState, listStays, chooseList } from "./indices.js";
import { leastFirst } from "./selection.js";
import { observe, pseudoRegret } from "./lists.js";
import { hybridNoise, bitCount, COUNTER_ROW } from "./counters.js";
import { chernoffExponent, chernoffRate } from "./tails.js";
import { roundByRound } from "./rounds.js";

// `design`: an estimate of all blocks ("keep"), of the last ("forget"), or of a hybrid "counter" of single clicks.
export function releasesRecord(design, scale, least, growth) {
  return { kernel: "releases", design, scale, least, growth };
}

export function playReleases(problem, record, { env, choice, noise }, checkpoints, report, trace) {
  const { means, size } = problem;
  const items = means.length;
  const { design, scale, least, growth } = record;
  const reports = new Float64Array(items);
  const length = new Float64Array(items).fill(nextBlock(0, least, growth));
  const left = length.slice();
  const counted = new Float64Array(items); // reports in the estimate
  const noises = new Float64Array(items); // and blocks
  const clicks = new Float64Array(items); // of the open block
  const total = new Float64Array(items);
  const estimate = new Float64Array(items);
  const counters = new Float64Array(design === "counter" ? items * COUNTER_ROW : 0);
  const list = indexState(problem, choice);
  const { mean, root, now, rest, order } = list;
  const feedback = new Float64Array(size);
  let tail = 0; // 3 ln t at the end of the epoch
  let end = 1;
  let lost = 0; // by the list

  function renew(item) {
    const n = counted[item];
    const counts = design === "counter" ? hybridNoises(n, scale) : [noises[item], scale, 0, 0];
    const rate = chernoffRate(tail, n, ...counts);
    mean[item] = estimate[item] + chernoffExponent(rate, n, ...counts) / (rate * n);
    root[item] = 3 / (rate * n);
  }

  return roundByRound(checkpoints, report, (t) => {
    if (t === end) {
      end = 2 * t;
      tail = 3 * Math.log(2 * t);
      for (let item = 0; item < items; item++) if (counted[item] > 0) renew(item);
      rest[0] = Infinity;
    }
    now[0] = Math.log(t);
    if (!listStays(list)) {
      chooseList(list);
      lost = pseudoRegret(problem, order);
    }
    leastFirst(reports, order);
    const observed = observe(problem, order, env, feedback);
    const item = order[0];
    reports[item] += 1;
    clicks[item] += feedback[0];
    left[item] -= 1;
    if (left[item] === 0) {
      if (design === "forget") total[item] = counted[item] = noises[item] = 0;
      total[item] += clicks[item];
      counted[item] += length[item];
      noises[item] += 1;
      clicks[item] = 0;
      let released = 0;
      if (design === "counter") released = hybridNoise(noise, counted[item], scale, counters, item * COUNTER_ROW);
      else total[item] += laplace(noise, scale);
      estimate[item] = (total[item] + released) / counted[item];
      renew(item);
      length[item] = left[item] = nextBlock(reports[item], least, growth);
    }
    if (trace) trace.push([...order, observed]);
    return lost;
  });
}

function nextBlock(reports, least, growth) {
  return Math.max(least, Math.ceil((growth - 1) * reports));
}

// Which noises a hybrid counter holds after item n: [few, small, many, large].
function hybridNoises(n, scale) {
  const k = 31 - Math.clz32(n);
  const nodes = bitCount(n) - 1;
  return [k + 1, 2 * scale, nodes, nodes > 0 ? 2 * k * scale : 0];
}
