// The panel of the chapter on semi-bandits: what K costs when all outcomes are sent, and when one is.
import { playIndex } from "./index.js";
import { playSuperArm } from "./superarm.js";
import { listProblem, setProblem, uniformRegret, logCheckpoints } from "./lists.js";
import { semiBounds, informative } from "./bounds.js";
import { integer, number, choice, commonParameters, refusal, runCommand } from "./parameters.js";
import { cucb, cucbLdp1, cucbLdp2, cucbDp, cucbHypercube, superArmRadius } from "./semibandits.js";

const semiParameters = [
  choice("family", "family", "top-K", ["top-K", "windows", "K-path"], "any K arms, any K neighbouring arms, or disjoint paths of K arms that share a draw"),
  number("epsilon", "privacy ε", 2, 0.01, 100, "promised to every user", true),
  integer("n_arms", "arms m", 12, 2, 100, "base arms"),
  integer("list_size", "size K", 3, 1, 50, "arms of a super arm, fewer than m"),
  number("gap", "gap Δ", 0.3, 0.001, 17, "of the means, in a K-path of the super arms"),
  ...commonParameters(100000, 1e8),
];

const REACH = 0.35; // the proofs on K-paths ask for a distance of means below this

function semiCheck(values) {
  const bad = refusal(semiParameters, values);
  if (bad) return bad;
  const { family, n_arms, list_size, gap } = values;
  if (list_size >= n_arms) return `list_size must be < n_arms = ${n_arms}, got ${list_size}`;
  if (family === "K-path" && (n_arms % list_size || n_arms < 2 * list_size)) return `n_arms must be a multiple of list_size = ${list_size}, at least twice it, got ${n_arms}`;
  const most = { "top-K": 0.5, windows: 1, "K-path": REACH * list_size }[family];
  if (gap > most || (family === "K-path" && gap === most)) return `gap must be ${family === "K-path" ? "<" : "<="} ${most} for ${family}, got ${gap}`;
  return null;
}

function semiProblem({ family, n_arms, list_size, gap }) {
  const means = (best, distance) => Array.from({ length: n_arms }, (_, arm) => (arm < list_size ? best : best - distance));
  if (family === "top-K") return listProblem(means(0.5, gap), list_size, false);
  const from = (first) => Array.from({ length: list_size }, (_, place) => first + place);
  if (family === "windows") return setProblem(means(1, gap), Array.from({ length: n_arms - list_size + 1 }, (_, first) => from(first)));
  const paths = Array.from({ length: n_arms / list_size }, (_, path) => from(path * list_size));
  return setProblem(means(0.5, gap / list_size), paths, Array.from({ length: n_arms }, (_, arm) => Math.floor(arm / list_size)));
}

const semiKernels = { index: playIndex, superarm: playSuperArm };

// Words where an algorithm cannot play, else null.
const semiFits = {
  always: () => null,
  listed: (values) => (values.family === "top-K" ? "needs listed super arms: choose windows or K-path" : null),
};

const semiVariants = (id, label, trust, make) =>
  ["printed", "repaired"].map((variant) => ({
    id: `${id}-${variant}`, label: `${label}, ${variant}`, variant, trust, fits: semiFits.always,
    make: (values) => make(values, variant),
  }));

const semiAlgorithms = [
  { id: "cucb", label: "CUCB", variant: "none", trust: "none", fits: semiFits.always, make: () => cucb() },
  { id: "cucb-least", label: "CUCB, least pulled", variant: "none", trust: "none", fits: semiFits.always, make: () => cucb("first") },
  ...semiVariants("ldp1", "CUCB-LDP1", "local", (v, variant) => cucbLdp1(v.epsilon, v.list_size, v.horizon, variant)),
  ...semiVariants("ldp2", "CUCB-LDP2", "local", (v, variant) => cucbLdp2(v.epsilon, v.horizon, variant)),
  ...semiVariants("dp", "CUCB-DP", "central", (v, variant) => cucbDp(v.epsilon, v.list_size, v.n_arms, v.horizon, variant)),
  ...semiVariants("dp-least", "CUCB-DP, least pulled", "central", (v, variant) => cucbDp(v.epsilon, v.list_size, v.n_arms, v.horizon, variant, true)),
  { id: "hypercube", label: "Hypercube", variant: "repaired", trust: "local", fits: semiFits.always, make: (v) => cucbHypercube(v.epsilon, v.list_size, v.horizon) },
  { id: "radius", label: "super-arm radius", variant: "repaired", trust: "local", fits: semiFits.listed, make: (v) => superArmRadius(v.epsilon, v.horizon) },
];

export const semibanditsSetting = {
  title: "Combinatorial semi-bandits",
  parameters: semiParameters,
  check: semiCheck,
  algorithms: semiAlgorithms,
  first: ["cucb", "ldp1-printed", "ldp1-repaired", "ldp2-repaired"],
  checkpoints: (values) => logCheckpoints(values.horizon),
  work: (values, algorithms) => values.horizon * values.replications * algorithms,
  run: (record, values, streams, checkpoints, report, trace) =>
    semiKernels[record.kernel](semiProblem(values), record, streams, checkpoints, report, trace),
  uniform: (values, t) => t * uniformRegret(semiProblem(values)),
  bounds: (values) => informative(semiBounds(values), (t) => semibanditsSetting.uniform(values, t)),
  // Regret against K, at one number of bad arms: the same panel with K along the axis.
  sweep: {
    parameter: "list_size",
    label: "arms of a super arm, K",
    values: [1, 2, 4, 8],
    at: (values, list_size) => ({ ...values, family: "windows", list_size, n_arms: values.n_arms - values.list_size + list_size, gap: Math.min(values.gap, 1) }),
  },
  command: (values) => {
    const { family, horizon, replications, seed, epsilon, n_arms, list_size } = values;
    const gap = family === "K-path" ? values.gap / list_size : Math.min(values.gap, 0.5); // the chapter plays top-K
    return runCommand("semibandits", { horizon, replications, seed, epsilons: [epsilon], n_arms, list_size, gap });
  },
};
