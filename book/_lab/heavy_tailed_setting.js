// The panel of the chapter on heavy tails: eliminations to 1e15 rounds by whole epochs, index policies round by round.
import { playElimination } from "./elimination.js";
import { playRobust } from "./robust.js";
import { logCheckpoints } from "./lists.js";
import { heavyBounds, informative } from "./bounds.js";
import { number, choice, commonParameters, refusal, runCommand } from "./parameters.js";
import { readable } from "./words.js";
import { HEAVY_TAILED } from "./constants.js";
import { heavySetting, heavyMoment, robustUcb, dpRobustUcb, robustSe, dpRobustSe, ldpRobustSe } from "./heavy_tailed.js";

const heavyParameters = [
  choice("setting", "setting", 1, [1, 2, 3], "means of the five arms, as on the slides"),
  number("epsilon", "privacy ε", 1, 0.01, 20, "promised to every user; the theorems ask for at most 1", true),
  number("v", "tail v", 0.9, 0.1, 1, "moments of order 1 + v are finite"),
  number("beta", "β", 1e-15, 1e-30, 0.5, "probability that the bounds of an elimination fail", true),
  number("spare_shape", "shape less 1 + v", 0.05, 0.001, 10, "of the Pareto distributions; above 0 their moment of order 1 + v is finite", true),
  ...commonParameters(1e15, 1e15, 8, 100),
];

const ROUND_BY_ROUND = 1e7; // rounds that an index policy is let play

const EPOCHS = 5000; // rounds that cost what all epochs do

const heavyProblem = (values) => heavySetting(values.setting, values.v, values.spare_shape);

const heavyKernels = { elimination: playElimination, robust: playRobust };

const heavyFits = {
  always: () => null,
  short: ({ horizon }) => (horizon > ROUND_BY_ROUND ? `plays round by round, so the horizon must be <= ${readable(ROUND_BY_ROUND)}, got ${readable(horizon)}` : null),
};

function heavyAlgorithm(id, label, variant, trust, fits, make) {
  return { id, label, variant, trust, fits, make: (values) => make(values, heavyMoment(heavyProblem(values), values.v)) };
}

const heavyAlgorithms = [
  heavyAlgorithm("robust-se", "Robust SE", "none", "none", heavyFits.always, (v, u) => robustSe(v.v, u, v.beta)),
  heavyAlgorithm("dp-se", "DP Robust SE", "printed", "central", heavyFits.always, (v, u) => dpRobustSe(v.epsilon, v.v, u, v.beta)),
  heavyAlgorithm("dp-se-small", "DP Robust SE, c = 4", "repaired", "central", heavyFits.always, (v, u) => dpRobustSe(v.epsilon, v.v, u, v.beta, 4)),
  heavyAlgorithm("ldp-se", "LDP Robust SE", "repaired", "local", heavyFits.always, (v, u) => ldpRobustSe(v.epsilon, v.v, u, v.beta)),
  heavyAlgorithm("ldp-se-small", "LDP Robust SE, c = 8", "repaired", "local", heavyFits.always, (v, u) => ldpRobustSe(v.epsilon, v.v, u, v.beta, 8)),
  heavyAlgorithm("ldp-se-slides", "LDP Robust SE, the talk's rate", "printed", "local", heavyFits.always, (v, u) => ldpRobustSe(v.epsilon, v.v, u, v.beta, HEAVY_TAILED.elimination.local.c, "slide_rate")),
  heavyAlgorithm("robust-ucb", "Robust UCB", "none", "none", heavyFits.short, (v, u) => robustUcb(v.v, u, v.horizon)),
  heavyAlgorithm("dp-ucb", "DP Robust UCB", "printed", "central", heavyFits.short, (v, u) => dpRobustUcb(v.epsilon, v.v, u, v.horizon)),
  heavyAlgorithm("dp-ucb-small", "DP Robust UCB, radius times 1/18", "repaired", "central", heavyFits.short, (v, u) => dpRobustUcb(v.epsilon, v.v, u, v.horizon, 1)),
];

export const heavyTailedSetting = {
  title: "Heavy-tailed rewards",
  parameters: heavyParameters,
  check: (values) => refusal(heavyParameters, values) ?? (values.horizon < 2 ? `horizon must be >= 2, got ${values.horizon}` : null),
  algorithms: heavyAlgorithms,
  first: ["robust-se", "dp-se", "ldp-se"],
  hue: "trust", // as these figures compare whom one trusts
  checkpoints: (values) => logCheckpoints(values.horizon),
  // An elimination costs what some thousands of rounds do, however long it is.
  work: (values, algorithms, chosen = []) =>
    values.replications * chosen.reduce((sum, { fits }) => sum + (fits === heavyFits.short ? values.horizon : EPOCHS), 0),
  run: (record, values, streams, checkpoints, report, trace) =>
    heavyKernels[record.kernel](heavyProblem(values), record, streams, checkpoints, report, trace),
  uniform: (values, t) => {
    const { means, best } = heavyProblem(values);
    return t * (best - means.reduce((sum, mean) => sum + mean, 0) / means.length);
  },
  bounds: (values) => {
    const problem = heavyProblem(values);
    const stated = heavyBounds(problem, values, heavyMoment(problem, values.v));
    return informative(stated, (t) => heavyTailedSetting.uniform(values, t));
  },
  command: (values) => {
    const { horizon, replications, seed, epsilon, v, beta, spare_shape } = values;
    return runCommand("heavy_tailed", { horizon, replications, seed, epsilons: [epsilon], local_epsilons: [epsilon], vs: [v], beta, spare_shape });
  },
};
