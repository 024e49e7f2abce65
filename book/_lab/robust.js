// Index policies for heavy tails: with w = v/(1+v), the index of an arm pulled n times is (sum of its truncated rewards +
// noise)/n + factor ((alpha ln t + beta)/n)^w. The k-th reward of an arm counts as 0 above
// B = (truncation k/(late ln t + early))^(1/(1+v)); a node of the arm's tree has the scale `scale` B.
import { treeNoise, COUNTER_ROW } from "./counters.js";
import { paretoReward } from "./sums.js";
import { regretInTurns } from "./elimination.js";
import { topList } from "./selection.js";
import { inPieces } from "./rounds.js";

export function robustRecord(constants) {
  return { kernel: "robust", scale: 0, ...constants };
}

export function playRobust(problem, record, { env, choice, noise }, checkpoints, report, trace) {
  const { means, shape, best } = problem;
  const { v, factor, alpha, beta, truncation, late, early, scale } = record;
  const power = v / (1 + v);
  const arms = means.length;
  const pulls = new Float64Array(arms);
  const total = new Float64Array(arms);
  const mean = new Float64Array(arms);
  const root = new Float64Array(arms); // 1/n^w
  const trees = new Float64Array(scale ? arms * COUNTER_ROW : 0);
  const last = new Int32Array(arms);
  const indices = new Float64Array(arms);
  const order = new Int32Array(1);
  const values = new Float64Array(1);
  const nobody = [-1];

  return inPieces(checkpoints, report, (first, until) => {
    for (let t = first; t <= until; t++) {
      const logT = Math.log(t);
      order[0] = t - 1;
      if (t > arms) {
        const radius = factor * (alpha * logT + beta) ** power;
        for (let arm = 0; arm < arms; arm++) indices[arm] = mean[arm] + radius * root[arm];
        topList(indices, false, choice, order, values);
      }
      const arm = order[0];
      const reward = paretoReward(env, means[arm], shape);
      const n = (pulls[arm] += 1);
      const threshold = ((truncation * n) / (late * logT + early)) ** (1 / (1 + v));
      if (reward <= threshold) total[arm] += reward;
      const released = scale ? treeNoise(noise, n, last, arm, scale * threshold, trees) : 0;
      mean[arm] = (total[arm] + released) / n;
      root[arm] = 1 / n ** power;
      if (trace) trace.push([arm, 1]);
    }
    return regretInTurns(means, best, pulls, nobody, 0);
  });
}
