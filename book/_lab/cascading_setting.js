// The panel of the chapter on cascades: B_LB of Kveton et al. (2015), and all that plays it.
import { streams } from "./random.js";
import { playIndex } from "./index.js";
import { bLb, uniformRegret, logCheckpoints } from "./lists.js";
import { integer, number, commonParameters, refusal, runCommand } from "./parameters.js";
import { cascadeUcb1, ucbLaplace, ucbGaussian, ucbComposition, repairedFirst, uniformLists } from "./cascading.js";

const cascadingParameters = [
  number("epsilon", "privacy ε", 1, 0.01, 20, "promised to every user", true),
  number("delta", "δ", 1e-3, 1e-12, 0.5, "probability with which the loss may exceed ε", true),
  integer("n_items", "items L", 20, 2, 200, "of the shop"),
  integer("list_size", "list size K", 4, 1, 50, "items that a user sees, fewer than L"),
  number("p", "weight p", 0.2, 0.001, 0.999, "probability that one of the K best items attracts"),
  number("gap", "gap Δ", 0.15, 0.001, 0.998, "how far the others are below, less than p"),
  ...commonParameters(100000, 1e8),
];

const cascadingProblem = (values) => bLb(values.n_items, values.list_size, values.p, values.gap, true);

function cascadingCheck(values) {
  const bad = refusal(cascadingParameters, values);
  if (bad) return bad;
  if (values.list_size >= values.n_items) return `list_size must be < n_items = ${values.n_items}, got ${values.list_size}`;
  if (values.gap >= values.p) return `gap must be < p = ${values.p}, got ${values.gap}`;
  return null;
}

// The noise that the theorems need, and a hundredth of it, which was published.
const bothNoises = (id, label, family, make) =>
  [["stated", 1], ["published", 0.01]].map(([variant, multiplier]) => ({
    id: `${id}-${variant}`,
    label: `${label}, ${variant}`,
    variant,
    trust: "local",
    family,
    make: (values) => make(values, multiplier),
  }));

export const cascadingSetting = {
  title: "Cascading bandits",
  parameters: cascadingParameters,
  check: cascadingCheck,
  algorithms: [
    { id: "cascade-ucb1", label: "CascadeUCB1", variant: "none", trust: "none", family: "none", make: () => cascadeUcb1() },
    ...bothNoises("laplace", "Laplace", "laplace", (v, factor) => ucbLaplace(v.epsilon, v.list_size, factor)),
    ...bothNoises("gaussian", "Gaussian", "gaussian", (v, factor) => ucbGaussian(v.epsilon, v.delta, v.list_size, factor)),
    ...bothNoises("composition", "Composition", "composition", (v, factor) => ucbComposition(v.epsilon, v.delta, v.list_size, factor)),
    { id: "first", label: "Response, first item", variant: "repaired", trust: "local", family: "response", make: (v) => repairedFirst(v.epsilon) },
    { id: "uniform", label: "uniform", variant: "none", trust: "none", family: "uniform", make: () => uniformLists() },
  ],
  checkpoints: (values) => logCheckpoints(values.horizon),
  work: (values, algorithms) => values.horizon * values.replications * algorithms,
  play: (record, values, seed, replication, checkpoints, report) =>
    playIndex(cascadingProblem(values), record, streams(seed, replication), checkpoints, report),
  uniform: (values, t) => t * uniformRegret(cascadingProblem(values)),
  bounds: () => [],
  command: (values) =>
    runCommand("cascading", {
      horizon: values.horizon,
      replications: values.replications,
      seed: values.seed,
      epsilons: [values.epsilon],
      n_items: values.n_items,
      list_size: values.list_size,
      p: values.p,
      gap: values.gap,
      delta: values.delta,
    }),
};
