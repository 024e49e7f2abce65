// The index algorithms: in round t an arm with n reports has the index mean + a(t)/sqrt(n) + b(t, n)/n, with a(t) a sum
// of terms sqrt(alpha ln t + beta); the list of the largest indices is shown, and each observation is reported with noise.
import { indexState, findParts, listStays, chooseList } from "./indices.js";
import { leastFirst } from "./selection.js";
import { observe, pseudoRegret } from "./lists.js";
import { hybridNoise, treeNoise, COUNTER_ROW } from "./counters.js";
import { reported, hypercube, INDEX_NOISES, EXACT, RESPONSE, HYBRID, TREE, HYPERCUBE } from "./reports.js";
import { leap, leapLines, LEAP_SHORT } from "./leap.js";
import { inPieces } from "./rounds.js";

// The constants of an index policy, those of `kernels.index.Record`.
export function indexRecord(constants) {
  return {
    kernel: "index",
    noise: "exact", // or another of INDEX_NOISES
    scale: 0, // Laplace scale (of a tree node), Gaussian sigma, 1/epsilon of a hybrid counter, truth of a hypercube
    flip: 0, // probability that a bit which is sent is the false one
    bonus: "none", // b(t, n): nothing; "flat", c ln t; "pulls", c ln t (ln n)^1.5; "fixed", c
    bonusScale: 0,
    reports: "all", // or that of the "first" item, "nothing", or all, "reordered": the least reported item first
    observeFirst: true, // one free observation of every arm, in clear
    cap: Infinity, // indices are clipped here
    fallback: false, // a random list is played where an index is below 0
    clock: 0, // rounds counted before the first
    ...constants,
  };
}

export function playIndex(problem, record, streams, checkpoints, report, trace) {
  const game = startIndex(problem, record, streams, trace);
  return inPieces(checkpoints, report, (first, last) => {
    playRounds(game, first, last);
    return game.sums[0];
  });
}

function startIndex(problem, record, { env, choice, noise }, trace) {
  const { means, size } = problem;
  const items = means.length;
  const mechanism = INDEX_NOISES[record.noise];
  const onlyFirst = record.reports === "first";
  const counts = mechanism === HYBRID || mechanism === TREE;
  const game = {
    ...indexState(problem, choice),
    ...record,
    env,
    noise,
    trace,
    mechanism,
    onlyFirst,
    terms: Float64Array.from(record.terms.flat()),
    leastOnTop: onlyFirst || record.reports === "reordered",
    sent: onlyFirst ? 1 : record.reports === "nothing" ? 0 : size,
    leaps: !problem.sets && record.bonus === "none" && mechanism < HYBRID && (onlyFirst || record.reports === "all"),
    floor: record.fallback && mechanism !== EXACT ? 0 : -Infinity,
    inClear: record.observeFirst ? 1 : 0,
    pulls: new Int32Array(items),
    total: new Float64Array(items),
    counters: new Float64Array(counts ? items * COUNTER_ROW : 0),
    releasedAt: new Int32Array(items), // round of the arm's last release from its tree
    feedback: new Float64Array(size),
    lines: leapLines(size),
    sums: new Float64Array(2), // the regret, and what the last list gives up
    due: 1, // when a leap may be tried
    pause: 0,
  };
  for (let item = 0; item < items * game.inClear; item++) {
    game.mean[item] = game.total[item] = env.random() < means[item] ? 1 : 0;
    game.pulls[item] = game.root[item] = 1;
    game.weight[item] = bonusWeight(record.bonus, 1);
  }
  return game;
}

function playRounds(game, first, last) {
  const { problem, env, noise, trace, mechanism, scale, flip, bonus, leastOnTop, sent, leaps } = game;
  const { pulls, total, mean, root, weight, counters, order, feedback, sums } = game;
  const { means, cascade, sets, groups } = problem;
  const together = groups !== null || mechanism === HYPERCUBE;
  const answers = mechanism === RESPONSE || mechanism === HYPERCUBE;
  const size = order.length;
  const hasBonus = bonus !== "none";
  for (let t = first; t <= last; t++) {
    findParts(game, t + game.clock);
    const kept = !sets && listStays(game);
    if (!kept) chooseList(game);
    if (leaps && kept && t >= game.due) {
      const next = leap(game, t, last - t + 1);
      game.pause = next >= t + LEAP_SHORT ? 0 : Math.min(2 * game.pause + 1, 63);
      game.due = next + game.pause;
      if (next > t) {
        t = next - 1;
        continue;
      }
    }
    if (leastOnTop) leastFirst(pulls, order);
    if (together) observe(problem, order, env, feedback);
    if (mechanism === HYPERCUBE) hypercube(noise, feedback, scale);
    let observed = 0;
    let stopped = false;
    while (observed < size && !stopped) {
      const slot = observed++;
      const item = order[slot];
      const value = together ? feedback[slot] : env.random() < means[item] ? 1 : 0;
      stopped = cascade && value === 1;
      if (slot >= sent) continue;
      const n = pulls[item] + 1;
      pulls[item] = n;
      total[item] += reported(mechanism, value, noise, scale, flip);
      let released = total[item];
      if (mechanism === HYBRID) released += hybridNoise(noise, n - game.inClear, scale, counters, item * COUNTER_ROW);
      if (mechanism === TREE) released += treeNoise(noise, t, game.releasedAt, item, scale, counters);
      mean[item] = answers ? (released / n - flip) / (1 - 2 * flip) : released / n;
      root[item] = 1 / Math.sqrt(n);
      if (hasBonus) weight[item] = bonusWeight(bonus, n);
    }
    if (!kept) sums[1] = pseudoRegret(problem, order);
    sums[0] += sums[1];
    if (trace) trace.push([...order, observed]);
  }
}

function bonusWeight(bonus, n) {
  return bonus === "pulls" ? (Math.log(n) * Math.sqrt(Math.log(n))) / n : bonus === "none" ? 0 : 1 / n;
}
