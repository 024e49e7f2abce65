// The panel of the chapter on cascades: B_LB of Kveton et al. (2015), and all that plays it.
import { playIndex } from "./index.js";
import { playPadded } from "./padded.js";
import { playReleases } from "./releases.js";
import { bLb, uniformRegret, logCheckpoints } from "./lists.js";
import { cascadeBounds, informative } from "./bounds.js";
import { integer, number, commonParameters, refusal, runCommand } from "./parameters.js";
import { CASCADING } from "./constants.js";
import { cascadeUcb1, ucbHybrid, ucbLaplace, ucbGaussian, ucbComposition, cucbGaussian } from "./cascading.js";
import { repairedFirst, repairedPadded, repairedBlocks, uniformLists } from "./cascading.js";

const cascadingParameters = [
  number("epsilon", "privacy ε", 1, 0.01, 20, "promised to every user", true),
  number("delta", "δ", 1e-3, 1e-12, 0.5, "probability with which the loss may exceed ε", true),
  integer("n_arms", "items L", 20, 2, 200, "of the shop"),
  integer("list_size", "list size K", 4, 1, 50, "items that a user sees, fewer than L"),
  number("p", "weight p", 0.2, 0.001, 0.999, "probability that one of the K best items attracts"),
  number("gap", "gap Δ", 0.15, 0.0001, 0.998, "how far the others are below, less than p"),
  ...commonParameters(100000, 1e8),
];

function cascadingCheck(values) {
  const bad = refusal(cascadingParameters, values);
  if (bad) return bad;
  if (values.list_size >= values.n_arms) return `list_size must be < n_arms = ${values.n_arms}, got ${values.list_size}`;
  if (values.gap >= values.p) return `gap must be < p = ${values.p}, got ${values.gap}`;
  return null;
}

const cascadingProblem = (values, cascade = true) => bLb(values.n_arms, values.list_size, values.p, values.gap, cascade);

const cascadingKernels = { index: playIndex, padded: playPadded, releases: playReleases };

const CASCADE_NOISES = { // what the theorems need, and what was published
  stated: { factor: 1, words: "theorems" },
  published: { factor: CASCADING.published, words: "experiments" },
};

// An algorithm with both noises; `feedback` "semi-bandit" for what observes the whole list.
const withBothNoises = (id, label, trust, make, feedback = "cascade") =>
  Object.entries(CASCADE_NOISES).map(([variant, { factor, words }]) => ({
    id: `${id}-${variant}`, label: `${label}, ${words}`, variant, trust, feedback,
    make: (values) => make(values, factor),
  }));

const repairedCascade = (id, label, trust, make, feedback = "cascade") =>
  ({ id, label, variant: "repaired", trust, feedback, make });

const plainCascade = (id, label, make, feedback = "cascade") =>
  ({ id, label, variant: "none", trust: "none", feedback, make });

const cascadingAlgorithms = [
  plainCascade("cascade-ucb1", "CascadeUCB1", () => cascadeUcb1()),
  plainCascade("cascade-ucb1-least-first", "CascadeUCB1, least first", () => cascadeUcb1(true)),
  ...withBothNoises("laplace", "Laplace", "local", (v, factor) => ucbLaplace(v.epsilon, v.list_size, factor)),
  ...withBothNoises("gaussian", "Gaussian", "local", (v, factor) => ucbGaussian(v.epsilon, v.delta, v.list_size, factor)),
  ...withBothNoises("composition", "Composition", "local", (v, factor) => ucbComposition(v.epsilon, v.delta, v.list_size, factor)),
  repairedCascade("first", "one bit", "local", (v) => repairedFirst(v.epsilon)),
  repairedCascade("padded-laplace", "Laplace, padded", "local", (v) => repairedPadded(v.epsilon, v.list_size)),
  repairedCascade("padded-gaussian", "Gaussian, padded", "local", (v) => repairedPadded(v.epsilon, v.list_size, v.delta)),
  repairedCascade("padded-displays", "Laplace, padded, by display", "local", (v) => repairedPadded(v.epsilon, v.list_size, 0, true)),
  ...withBothNoises("hybrid", "Algorithm 1", "central", (v, factor) => ucbHybrid(v.epsilon, v.n_arms, v.horizon, factor)),
  ...withBothNoises("hybrid-proof", "Algorithm 1, as in its proof", "central", (v, factor) => ucbHybrid(v.epsilon, v.n_arms, v.horizon, factor, "pulls")),
  repairedCascade("blocks-keep", "blocks", "central", (v) => repairedBlocks(v.epsilon, "keep")),
  repairedCascade("blocks-forget", "blocks, last one only", "central", (v) => repairedBlocks(v.epsilon, "forget")),
  repairedCascade("blocks-counter", "blocks by hybrid counters", "central", (v) => repairedBlocks(v.epsilon, "counter")),
  plainCascade("cucb", "CUCB", (v) => cucbGaussian(Infinity, v.delta, v.n_arms, v.list_size), "semi-bandit"),
  ...withBothNoises("cucb-gaussian", "CUCB Gaussian", "local",
    (v, factor) => cucbGaussian(v.epsilon, v.delta, v.n_arms, v.list_size, factor), "semi-bandit"),
  repairedCascade("cucb-gaussian-repaired", "CUCB Gaussian, repaired", "local",
    (v) => cucbGaussian(v.epsilon, v.delta, v.n_arms, v.list_size, 1, "repaired"), "semi-bandit"),
  plainCascade("uniform", "uniform play", () => uniformLists()),
];

// A record knows its feedback, so that a worker needs nothing else.
for (const algorithm of cascadingAlgorithms) {
  const { make, feedback } = algorithm;
  algorithm.make = (values) => {
    const made = make(values);
    return { ...made, record: { ...made.record, feedback } };
  };
}

export const cascadingSetting = {
  title: "Cascading bandits",
  parameters: cascadingParameters,
  check: cascadingCheck,
  algorithms: cascadingAlgorithms,
  first: ["cascade-ucb1", "laplace-published", "laplace-stated", "first", "blocks-keep"],
  checkpoints: (values) => logCheckpoints(values.horizon),
  work: (values, algorithms) => values.horizon * values.replications * algorithms,
  run: (record, values, streams, checkpoints, report, trace) =>
    cascadingKernels[record.kernel](
      cascadingProblem(values, record.feedback === "cascade"), record, streams, checkpoints, report, trace,
    ),
  uniform: (values, t) => t * uniformRegret(cascadingProblem(values)),
  bounds: (values) => {
    const { n_arms: m, list_size: K } = values;
    return informative(cascadeBounds({ ...values, m, K }), (t) => cascadingSetting.uniform(values, t));
  },
  command: (values) => {
    const { horizon, replications, seed, epsilon, n_arms, list_size, p, gap, delta } = values;
    return runCommand("cascading", {
      horizon, replications, seed, epsilons: [epsilon], central_epsilons: [epsilon], cucb_epsilons: [epsilon],
      items_epsilon: epsilon, sizes_epsilon: epsilon, n_arms, list_size, arm_counts: [n_arms], list_sizes: [list_size],
      p, gap, delta,
    });
  },
};
