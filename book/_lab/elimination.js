// Successive elimination by whole epochs. Epoch e has the gap 2^-e in view: each of the |S| surviving arms is pulled
// R = ceil(1 + pulls L 2^(e power)) times, L = ln(inside |S| e^2 / beta), and leaves if its noisy mean lies more than
// width (L / R)^exponent below the largest. Rewards above truncation (R / L)^truncationPower count as 0.
import { laplace } from "./random.js";
import { paretoSum, laplaceSum } from "./sums.js";

export function eliminationRecord(constants) {
  return { kernel: "elimination", noise: "exact", scale: 0, ...constants }; // noise "mean" or "rewards"
}

// Its time does not depend on how many rounds there are.
export function playElimination(problem, record, { env, noise }, checkpoints, report, trace) {
  const { means, shape, best } = problem;
  const { inside, beta, scale } = record;
  const pulls = new Float64Array(means.length);
  const regret = new Float64Array(checkpoints.length);
  const horizon = checkpoints[checkpoints.length - 1];
  let alive = Array.from(means, (_, arm) => arm);
  let mark = 0;
  let begun = 0;
  for (let epoch = 1; ; epoch++) {
    const size = alive.length;
    const log = Math.log((inside * size * epoch ** 2) / beta);
    let share = size === 1 ? Infinity : record.pulls * log * 2 ** (epoch * record.power);
    if (share < Number.MAX_SAFE_INTEGER) share = Math.ceil(share + 1);
    const end = begun + size * share;
    for (; mark < checkpoints.length && checkpoints[mark] <= end; mark++) {
      regret[mark] = regretInTurns(means, best, pulls, alive, checkpoints[mark] - begun);
    }
    if (trace) for (let t = begun; t < Math.min(end, horizon); t++) trace.push([alive[(t - begun) % size], 1]);
    report(Math.min(end, horizon));
    if (end > horizon || mark === checkpoints.length) return regret;
    const width = record.width * (log / share) ** record.exponent;
    const threshold = record.truncation * (share / log) ** record.truncationPower;
    const estimates = alive.map((arm) => {
      pulls[arm] += share;
      let total = paretoSum(env, share, means[arm], shape, threshold);
      if (record.noise === "rewards") total += laplaceSum(noise, share, scale * 2 * threshold);
      const onMean = record.noise === "mean" ? laplace(noise, (scale * 2 * threshold) / share) : 0;
      return total / share + onMean;
    });
    const largest = Math.max(...estimates);
    alive = alive.filter((_, place) => largest - estimates[place] <= width);
    begun = end;
  }
}

// After some rounds of an epoch in which the arms alive are played in turns, added in the order of their numbers.
export function regretInTurns(means, best, pulls, alive, played) {
  const full = Math.floor(played / alive.length);
  const rest = played % alive.length;
  let total = 0;
  for (let arm = 0; arm < means.length; arm++) {
    const place = alive.indexOf(arm);
    const n = pulls[arm] + (place < 0 ? 0 : full + (place < rest ? 1 : 0));
    total += n * Math.max(best - means[arm], 0);
  }
  return total;
}
