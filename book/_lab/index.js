// The index algorithms: in round t an arm with n reports has the index mean + a(t)/sqrt(n) + b(t, n)/n, with a(t) a sum
// of terms sqrt(alpha ln t + beta); the list of the largest indices is shown, and each observation is reported with noise.
import { laplace, gaussian, respond } from "./random.js";
import { largest, stillLargest, breakTies, leastFirst } from "./selection.js";
import { observe, pseudoRegret } from "./lists.js";
import { hybridNoise, COUNTER_ROW } from "./counters.js";

// The constants of an index policy, those of `kernels.index.Record`.
export function indexRecord(constants) {
  return {
    kernel: "index",
    noise: "exact", // "laplace", "gaussian", "response" or "hybrid"
    scale: 0, // Laplace scale, Gaussian sigma, 1/epsilon of a hybrid counter
    flip: 0, // probability that a bit which is sent is the false one
    bonus: "none", // b(t, n): nothing; "flat", c ln t; "pulls", c ln t (ln n)^1.5; "fixed", c
    bonusScale: 0,
    reports: "all", // or that of the "first" item, "nothing", or all, "reordered": the least reported item first
    observeFirst: true, // one free observation of every arm, in clear
    clock: 0, // rounds counted before the first
    ...constants,
  };
}

export function playIndex(problem, record, { env, choice, noise }, checkpoints, report, trace) {
  const { means, size, cascade } = problem;
  const items = means.length;
  const { scale, flip, clock, bonusScale } = record;
  const terms = record.terms.flat();
  const isLaplace = record.noise === "laplace";
  const isGaussian = record.noise === "gaussian";
  const isResponse = record.noise === "response";
  const isHybrid = record.noise === "hybrid";
  const hasBonus = record.bonus !== "none";
  const onlyFirst = record.reports === "first";
  const leastOnTop = onlyFirst || record.reports === "reordered";
  const silent = record.reports === "nothing";
  const pulls = new Int32Array(items);
  const total = new Float64Array(items);
  const mean = new Float64Array(items).fill(Infinity); // before the first report, and with it the index
  const root = new Float64Array(items);
  const weight = new Float64Array(items);
  const counters = new Float64Array(isHybrid ? items * COUNTER_ROW : 0);
  const indices = new Float64Array(items);
  const order = new Int32Array(size);
  const played = new Int32Array(size).fill(-1);
  const values = new Float64Array(size);
  const feedback = new Float64Array(size);
  const group = new Int32Array(items);
  const inClear = record.observeFirst ? 1 : 0;
  const regret = new Float64Array(checkpoints.length);
  const horizon = checkpoints[checkpoints.length - 1];
  for (let item = 0; item < items * inClear; item++) {
    mean[item] = total[item] = env.random() < means[item] ? 1 : 0;
    pulls[item] = root[item] = 1;
    weight[item] = bonusWeight(record.bonus, 1);
  }
  let lost = 0;
  let sum = 0;
  let mark = 0;
  for (let t = 1; t <= horizon; t++) {
    const logT = Math.log(t + clock);
    let a = 0;
    for (let term = 0; term < terms.length; term += 2) a += Math.sqrt(terms[term] * logT + terms[term + 1]);
    if (hasBonus) {
      const b = record.bonus === "fixed" ? bonusScale : bonusScale * logT;
      for (let item = 0; item < items; item++) indices[item] = mean[item] + a * root[item] + b * weight[item];
    } else {
      for (let item = 0; item < items; item++) indices[item] = mean[item] + a * root[item];
    }
    if (!stillLargest(indices, order, values) && largest(indices, cascade, order, values)) {
      breakTies(indices, cascade, choice, order, values, group);
    }
    if (leastOnTop) leastFirst(pulls, order);
    const observed = observe(means, cascade, order, env, feedback);
    const sent = onlyFirst ? 1 : silent ? 0 : observed;
    for (let slot = 0; slot < sent; slot++) {
      const item = order[slot];
      const n = (pulls[item] += 1);
      let value = feedback[slot];
      if (isLaplace) value += laplace(noise, scale);
      else if (isGaussian) value += gaussian(noise, scale);
      else if (isResponse) value = respond(noise, value, 2, flip);
      total[item] += value;
      const released = isHybrid ? hybridNoise(noise, n - inClear, scale, counters, item * COUNTER_ROW) : 0;
      mean[item] = (total[item] + released) / n;
      if (isResponse) mean[item] = (mean[item] - flip) / (1 - 2 * flip);
      root[item] = 1 / Math.sqrt(n);
      if (hasBonus) weight[item] = bonusWeight(record.bonus, n);
    }
    let same = true;
    for (let slot = 0; slot < size; slot++) {
      if (order[slot] !== played[slot]) same = false;
      played[slot] = order[slot];
    }
    if (!same) lost = pseudoRegret(problem, order); // found once for a list
    sum += lost;
    if (trace) trace.push([...order, observed]);
    if (checkpoints[mark] === t) regret[mark++] = sum;
    if ((t & 65535) === 0) report(t);
  }
  return regret;
}

function bonusWeight(bonus, n) {
  return bonus === "pulls" ? (Math.log(n) * Math.sqrt(Math.log(n))) / n : bonus === "none" ? 0 : 1 / n;
}
