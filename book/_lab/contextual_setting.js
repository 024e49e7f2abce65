// The panel of the chapter on local privacy: Algorithm 2 on the disc.
import { playOnline } from "./online.js";
import { convexProblem, convexUniform, twoPoint, twoPointVariance, twoPointUpper } from "./contextual.js";
import { logCheckpoints } from "./lists.js";
import { informative } from "./bounds.js";
import { number, choice, commonParameters, refusal, runCommand } from "./parameters.js";

const convexParameters = [
  choice("kind", "losses", "distance", ["distance", "quadratic"], "distances have a kink, their squares are strongly convex"),
  number("epsilon", "privacy ε", 8, 0.01, 100, "promised to every user", true),
  number("delta", "δ", 1e-3, 1e-12, 0.5, "of Gaussian noise", true),
  ...commonParameters(30000, 1e7),
];

const convexFits = {
  always: () => null,
  strong: ({ kind }) => (kind === "quadratic" ? null : "needs strongly convex losses: choose quadratic"),
};

const CONVEX_NOISES = {
  none: { label: "no noise", variant: "none", trust: "none" },
  classical: { label: "classical Gaussian", variant: "printed", trust: "local" },
  analytic: { label: "analytic Gaussian", variant: "repaired", trust: "local" },
  laplace: { label: "Laplace", variant: "repaired", trust: "local" },
};

const convexAlgorithms = Object.entries(CONVEX_NOISES).flatMap(([noise, { label, ...facts }]) =>
  ["printed", "tuned", "strong"].map((step) => ({
    id: `${noise}-${step}`,
    label: `${label}, ${step} step`,
    noise,
    step,
    ...facts,
    fits: step === "strong" ? convexFits.strong : convexFits.always,
    make: ({ kind, horizon, epsilon, delta }) => twoPoint(convexProblem(kind), horizon, epsilon, delta, step, noise),
  })),
);

export const contextualSetting = {
  title: "Local privacy: convex losses, two points",
  parameters: convexParameters,
  check: (values) => refusal(convexParameters, values),
  algorithms: convexAlgorithms,
  notes: { none: "printed step: 1/√T, as we read it", printed: "classical: the paper's formula of σ", repaired: "analytic: the least σ that is private" },
  idle: "standing still",
  checkpoints: (values) => logCheckpoints(values.horizon),
  work: (values, algorithms) => values.horizon * values.replications * algorithms,
  run: (record, values, streams, checkpoints, report, trace) =>
    playOnline(convexProblem(values.kind), record, streams, checkpoints, report, trace),
  uniform: (values, t) => t * convexUniform(convexProblem(values.kind)),
  bounds: (values) => {
    const { kind, epsilon, delta, horizon } = values;
    const problem = convexProblem(kind);
    const stated = convexAlgorithms.filter(({ fits }) => !fits(values)).map(({ id, label, step, noise }) => {
      const variance = twoPointVariance(problem, epsilon, delta, noise);
      return { of: id, label: `Bound of Theorem 6, ${label}`, kind: "upper", at: (t) => twoPointUpper(problem, horizon, variance, step, t) };
    });
    return informative(stated, (t) => contextualSetting.uniform(values, t));
  },
  command: ({ horizon, replications, seed, epsilon, delta }) =>
    runCommand("convex", { horizon, replications, seed, epsilons: [epsilon], delta }),
};
