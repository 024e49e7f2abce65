// Sums of many rewards or of much noise, in a time that does not depend on how many. Few are drawn one by one; of many,
// those above a cut are, and the rest is one normal number with their exact mean and variance.
import { laplace } from "./random.js";

const DIRECT = 8192; // sums of at most this many are drawn one by one
const TAIL = 2048; // expected number of rewards above the cut of a longer one

// P(X > x) = (least / x)^shape, by the inverse of the survival function.
export function paretoReward(env, mean, shape) {
  return ((mean * (shape - 1)) / shape) * (1 - env.random()) ** (-1 / shape);
}

// The sum of n Pareto rewards, those above the threshold counted as 0.
export function paretoSum(env, n, mean, shape, threshold) {
  const least = (mean * (shape - 1)) / shape;
  if (n <= 0 || least <= 0 || threshold <= least) return 0;
  let total = 0;
  if (n <= DIRECT) {
    for (let i = 0; i < n; i++) {
      const reward = paretoReward(env, mean, shape);
      if (reward <= threshold) total += reward;
    }
    return total;
  }
  const cut = Math.min(least * (n / TAIL) ** (1 / shape), threshold);
  const above = (least / cut) ** shape;
  const tail = env.binomial(n, above);
  for (let i = 0; i < tail && cut < threshold; i++) {
    const reward = cut * (1 - env.random()) ** (-1 / shape);
    if (reward <= threshold) total += reward;
  }
  const first = truncatedMoment(least, shape, cut, 1) / (1 - above);
  const second = truncatedMoment(least, shape, cut, 2) / (1 - above);
  const body = n - tail;
  return total + body * first + Math.sqrt(body * Math.max(second - first * first, 0)) * env.standardNormal();
}

// E[X^power 1{X <= threshold}], exactly.
function truncatedMoment(least, shape, threshold, power) {
  const excess = shape - power;
  const log = Math.log(threshold / least);
  return shape * least ** power * (excess === 0 ? log : -Math.expm1(-excess * log) / excess);
}

// The sum of n Laplace variables; of many, as the difference of two gamma variables, which has the same law.
export function laplaceSum(noise, n, scale) {
  if (scale === 0 || n <= 0) return 0;
  if (n > DIRECT) return scale * (noise.gamma(n) - noise.gamma(n));
  let total = 0;
  for (let i = 0; i < n; i++) total += laplace(noise, scale);
  return total;
}
