// Bounds of the five papers on one instance each, as functions of what the explorer moves; named as in the library.
// `total(values, epsilon)` has the horizon in values; `rest(values)` is the bound without privacy.

import { CASCADING, HEAVY_TAILED, SEMIBANDITS } from "./constants.js";

const P = 0.5; // weight of an attractive item where `p` does not say another, and mean of a best arm
const log = Math.log;

export function kl(p, q) {
  const part = (a, b) => (a > 0 ? a * log(a / b) : 0);
  return part(p, q) + part(1 - p, 1 - q);
}

/** min(4, e^(2 epsilon)) (e^epsilon - 1)^2 of Duchi et al. (2013). */
export function localFactor(epsilon) {
  return epsilon > 350 ? Infinity : Math.exp(Math.min(2 * epsilon, log(4))) * Math.expm1(epsilon) ** 2;
}

/** What an epsilon-DP policy shows of kl(p, q), p < q. */
export function privateKl(p, q, epsilon) {
  if (q * (1 - p) * Math.exp(-epsilon) <= p * (1 - q)) return kl(p, q);
  return -Math.log1p(q * Math.expm1(-epsilon)) - (p > 0 ? epsilon * p : 0);
}

/** What randomised response keeps of kl(p, q). */
function responseKl(p, q, epsilon) {
  const answer = (mean) => 0.5 + (mean - 0.5) * Math.tanh(epsilon / 2);
  return kl(answer(p), answer(q));
}

// Cascades: B_LB with items of weight 1/2 and 1/2 - gap. All gaps are one.

const tail = ({ m }) => ((2 * Math.PI ** 2) / 3) * m;
const overGaps = ({ m, K, gap }) => (m - K) / gap;
const reach = ({ m, K, p = P }) => (m - K) * (1 - p) ** (K - 1);

function laplaceCascade(values, scale, corrected) {
  const { m, T } = values;
  const radius = (Math.sqrt(CASCADING.sampling[0]) + Math.sqrt(CASCADING.laplace) * scale) ** 2;
  const forced = corrected ? 3 * m * log(T) : 0;
  return (corrected ? 8 : 4) * radius * overGaps(values) * log(T) + tail(values) + forced;
}

const hybridPrinted = (values, epsilon, xi = 0.5) =>
  192 * overGaps(values) * ((CASCADING.lemma * values.m * log(values.T)) / epsilon) ** (1 + xi) + tail(values);

const gaussianCascade = (values, epsilon) =>
  2 * (2 * Math.sqrt(1.5) + (8 / epsilon) * Math.sqrt(values.K * log(1.25 / values.delta))) ** 2 * overGaps(values) * log(values.T);

const compositionScale = ({ K, delta }, epsilon) =>
  (epsilon === Infinity ? 0 : Math.sqrt(CASCADING.composition * K * log(Math.E + epsilon / delta)) / epsilon);

function oneBit({ m, K, gap, T, p = P }, epsilon) {
  const kappa = -Math.expm1(K * Math.log1p(-p)) / p;
  return m * (((kappa * 6) / gap) * log(T) / Math.tanh(epsilon / 2) ** 2 + 1 + Math.PI ** 2 / 6);
}

function cascadeLower(values) {
  const { gap, T, p = P } = values;
  return (reach(values) * gap * log(T)) / kl(p - gap, p);
}

function cascadeCentralLower(values, epsilon) {
  const { gap, T, p = P } = values;
  return (reach(values) * gap * log(T)) / privateKl(p - gap, p, epsilon);
}

function cascadeLocalLower(values, epsilon) {
  const { p = P } = values;
  const odds = Math.exp(-epsilon) / -Math.expm1(-epsilon);
  const privacy = odds ** 2 / (2 * Math.exp(Math.min(2 * epsilon, log(4))));
  return (reach(values) * values.gap * privacy * p * (1 - p) * log(values.T)) / values.gap ** 2;
}

/** Regret of a round of uniform lists: K of m items, j of them attractive, is hypergeometric. */
function uniformCascade({ m, K, gap }) {
  const sums = new Float64Array(K + 1);
  sums[0] = 1;
  for (let item = 0; item < m; item++) {
    const miss = item < K ? 1 - P : 1 - P + gap;
    for (let k = K; k > 0; k--) sums[k] += miss * sums[k - 1];
  }
  let lists = 1;
  for (let k = 1; k <= K; k++) lists *= (m - K + k) / k;
  return sums[K] / lists - (1 - P) ** K;
}

// Semi-bandits: top-K of m arms of means 1/2 and 1/2 - gap; B_inf = K, B_1 = 1, every arm's least gap is one gap.

const inBad = ({ m, K }) => (K > 1 ? m : m - 1);
const worst = ({ m, K, gap }) => Math.min(K, m - K) * gap;
const misses = Math.PI ** 2 / 3;

/** Sum over arms and reports of factor (sqrt(square/n) + linear/n), as long as it is at least the target. */
function summed(arms, factor, target, square, linear) {
  const level = target / factor;
  const root = Math.sqrt(square);
  const pulls = ((root + Math.sqrt(square + 4 * linear * level)) / (2 * level)) ** 2;
  return pulls < 1 ? 0 : factor * arms * (2 * root * Math.sqrt(pulls) + linear * (1 + log(pulls)));
}

function localSemi(values, epsilon, reports) {
  const { m, K, gap, T } = values;
  const scale = reports / epsilon;
  const sum = summed(inBad(values), 2 * K, gap, (SEMIBANDITS.sampling[0] + SEMIBANDITS.square * scale ** 2) * log(T), SEMIBANDITS.linear * scale * log(T));
  return sum + m * (1 + misses) * worst(values);
}

const localSemiPrinted = (values, epsilon, factor) =>
  (factor * values.K ** 2 * (inBad(values) / values.gap) * log(values.T)) / epsilon ** 2;

function centralSemi(values, epsilon) {
  const { m, K, gap, T } = values;
  const levels = Math.floor(Math.log2(T)) + 1;
  const chance = 2 * log(T);
  const linear = (levels * K * (2 * Math.sqrt(levels * chance) + chance)) / epsilon;
  return summed(inBad(values), 4, gap / K, SEMIBANDITS.sampling[0] * log(T), linear) + m * (3 + misses) * worst(values);
}

function semiLower({ m, K, gap, T }, epsilon) {
  return ((m - 1) * gap * log(T)) / kl(0.5 - (Math.tanh(epsilon / 2) * gap) / K, 0.5);
}

function semiCentralLower({ m, K, gap, T }, epsilon) {
  return ((m - 1) * gap * log(T)) / privateKl(0.5 - gap / K, 0.5, epsilon);
}

// Definitions: K arms, Bernoulli of mean 1/2 and 1/2 - gap.

const overArms = ({ K, gap, T }, divergence) => ((K - 1) * gap * log(T)) / divergence(P - gap, P);
const laiRobbins = (values) => overArms(values, kl);

function theoremB({ K, T }, epsilon) {
  let most = 0;
  for (let i = 1; i < 100 && epsilon < Infinity; i++) {
    const c = i / 100;
    most = Math.max(most, c * lambertW((epsilon * T * (1 - c)) / (1 + c * (K - 2))));
  }
  return (most * (K - 1)) / epsilon;
}

function localMinimax(values, epsilon) {
  const { K, T } = values;
  const keep = Math.tanh(epsilon / 2), wrong = 1 - 1 / K;
  const gap = Math.min(0.5, wrong / (2 * keep * Math.sqrt(1 + T / K)));
  const kept = -0.5 * Math.log1p(-((2 * gap * keep) ** 2));
  return Math.max(gap * T * (wrong - Math.sqrt((T * kept) / (2 * K))), theoremB(values, epsilon));
}

const minimax = (values) => localMinimax(values, Infinity);
const centralMinimax = (values, epsilon) => Math.max(minimax(values), theoremB(values, epsilon));

/** The principal branch at x > 0, by Newton. */
export function lambertW(x) {
  let w = Math.log1p(x);
  for (let i = 0; i < 50; i++) {
    const e = Math.exp(w);
    const step = (w * e - x) / (e * (w + 1));
    w -= step;
    if (Math.abs(step) < 1e-15 * Math.abs(w)) break;
  }
  return w;
}

// Contexts and convex losses in K dimensions: the unit ball, losses of slope at most 1; contexts of unit length.

function twoPoints({ K: d, T, delta }, epsilon, step) {
  const sigma = (2 * Math.sqrt(2 * log(1.25 / delta))) / epsilon;
  const radius = Math.min(log(T) / T, 0.5);
  const squared = d ** 2 * (1 + sigma ** 2);
  const eta = step === "printed" ? 1 / Math.sqrt(T) : 1 / Math.sqrt(squared * T);
  return 1 / (2 * eta) + (eta * T * squared) / 2 + 4 * radius * T;
}

function contextLower({ T }, epsilon) {
  const told = Math.expm1(epsilon) ** 2;
  const moved = Math.min(1 / Math.sqrt(2 * T * told), 0.5);
  return ((moved * T) / (8 * (1 + moved))) * Math.exp(-told * moved ** 2 * T);
}

// Heavy tails: K arms, all gaps one, moment u = 1 of order 1 + v. The slides ask for epsilon <= 1.

const robustUcb = ({ K, gap, v, T }) => (K - 1) * (2 * 8 ** ((1 + v) / v) * gap ** (-1 / v) * log(T) + 3 * gap);
const robustUcbPrinted = ({ K, gap, v, T }) => (K - 1) * (gap ** (-1 / v) * log(T) + gap);

function epochs({ K, gap, T }, inside, pulls) {
  let total = (2 / T) * T * gap;
  for (let epoch = 0; epoch === 0 || 2 ** -epoch >= gap;) {
    epoch += 1;
    total += (K - 1) * gap * pulls(2 ** -epoch, log(inside * K * epoch ** 2 * T));
  }
  return total;
}

const { central: dp, local: ldp } = HEAVY_TAILED.elimination;
const dpEpochs = (values, epsilon) =>
  epochs(values, dp.inside, (D, L) => Math.ceil((dp.c / D) ** ((1 + values.v) / values.v) * (L / epsilon) + 1));
const ldpEpochs = (values, epsilon) =>
  epochs(values, ldp.inside, (D, L) => Math.ceil((ldp.c / D) ** ((2 * (1 + values.v)) / values.v) * (L / epsilon ** 2)) + 1);
const dpPrinted = ({ K, gap, v, T }, epsilon) => ((K - 1) * log(T) * gap ** (-1 / v)) / epsilon + gap;
const ldpPrinted = ({ K, gap, v, T }, epsilon) => ((K - 1) * log(T) * gap ** (-1 / v)) / epsilon ** 2 + gap;

function heavyLower({ K, gap, v, T }, loss) {
  const moved = gap ** ((1 + v) / v);
  return moved < 1 ? ((K - 1) * gap * log(T)) / Math.min(-Math.log1p(-moved), loss(moved)) : 0;
}

const upTo1 = (bound) => (values, epsilon) => (epsilon <= 1 ? bound(values, epsilon) : null);
const without = (bound) => (values) => bound(values, Infinity);
const upper = (trust, id, label, total, rest = without(total)) => ({ trust, id, label, side: "upper", total, rest });
const lower = (trust, id, label, total, rest = without(total)) => ({ trust, id, label, side: "lower", total, rest });
const laplaceAt = (corrected) => (values, epsilon) => laplaceCascade(values, values.K / epsilon, corrected);

export const theorems = [
  {
    paper: "definitions",
    title: "Definitions: K arms",
    uniform: ({ K, gap }) => (1 - 1 / K) * gap,
    bounds: [
      lower("local", "local", "Local DP, problem-dependent, sharp", (v, epsilon) => overArms(v, (p, q) => responseKl(p, q, epsilon))),
      lower("local", "theorem_4", "Theorem 4, local DP, printed", (v, epsilon) => laiRobbins(v) / (2 * localFactor(epsilon)), laiRobbins),
      lower("central", "central", "DP, problem-dependent, sharp", (v, epsilon) => overArms(v, (p, q) => privateKl(p, q, epsilon))),
      lower("central", "azize_basu", "DP, Azize and Basu", (v, epsilon) => overArms(v, (p, q) => Math.min(kl(p, q), 6 * epsilon * (q - p)))),
      { ...lower("local", "local_minimax", "Local DP, minimax, sharp", localMinimax), uniform: ({ K }) => (1 - 1 / K) / 2 },
      { ...lower("central", "central_minimax", "DP, minimax, sharp", centralMinimax), uniform: ({ K }) => (1 - 1 / K) / 2 },
    ],
  },
  {
    paper: "semibandits",
    title: "Semi-bandits: the best K of m arms",
    uniform: ({ m, K, gap }) => K * gap * (1 - K / m),
    bounds: [
      upper("local", "theorem_2", "Theorem 2, CUCB-LDP1, corrected", (v, epsilon) => localSemi(v, epsilon, v.K)),
      upper("local", "theorem_2-printed", "Theorem 2, printed, constant 1", (v, epsilon) => localSemiPrinted(v, epsilon, v.K ** 2)),
      upper("local", "theorem_4", "Theorem 4, CUCB-LDP2, corrected", (v, epsilon) => localSemi(v, epsilon, 1)),
      upper("local", "theorem_4-printed", "Theorem 4, printed, constant 1", (v, epsilon) => localSemiPrinted(v, epsilon, 1)),
      upper("central", "theorem_8", "Theorem 8, CUCB-DP, corrected", centralSemi),
      lower("local", "theorem_5", "Theorem 5, local DP, corrected", semiLower),
      lower("central", "b_inf_dp", "Section 3.3, DP, corrected", semiCentralLower),
    ],
  },
  {
    paper: "contextual",
    title: "Convex losses, contexts: dimension K",
    uniform: () => 2,
    bounds: [
      upper("local", "theorem_6-tuned", "Theorem 6, two points, tuned step", (v, epsilon) => twoPoints(v, epsilon, "tuned")),
      upper("local", "theorem_6", "Theorem 6, two points, printed step", (v, epsilon) => twoPoints(v, epsilon, "printed")),
      upper("local", "theorem_8", "Theorem 8, contexts, printed order", (v, epsilon) => v.T ** 0.75 / epsilon),
      lower("local", "local_lower", "Local lower bound for contexts", contextLower, () => 0),
    ],
  },
  {
    paper: "cascading",
    title: "Cascades: lists of K of m items",
    uniform: uniformCascade,
    bounds: [
      upper("local", "theorem_4", "Theorem 4, Laplace, printed", laplaceAt(false)),
      upper("local", "theorem_4-corrected", "Theorem 4, Laplace, corrected", laplaceAt(true)),
      upper("local", "theorem_6", "Theorem 6, Gaussian, printed", gaussianCascade),
      upper("local", "theorem_8", "Theorem 8, composition", (v, epsilon) => laplaceCascade(v, compositionScale(v, epsilon), true)),
      upper("central", "theorem_2", "Theorem 2, DP, printed, ξ = 1/2", hybridPrinted),
      upper("local", "first", "Upper bound of one bit, ours", oneBit),
      lower("local", "theorem_11", "Theorem 11, local DP, printed", cascadeLocalLower, cascadeLower),
      lower("central", "theorem_12", "Theorem 12, lower bound, central", cascadeCentralLower),
    ],
  },
  {
    paper: "heavy_tailed",
    title: "Heavy tails: K arms, order 1 + v",
    uniform: ({ K, gap }) => (1 - 1 / K) * gap,
    bounds: [
      upper("central", "dp", "DP Robust SE, corrected", upTo1(dpEpochs), robustUcb),
      upper("central", "dp-printed", "DP Robust SE, printed, constant 1", upTo1(dpPrinted), robustUcbPrinted),
      upper("local", "ldp", "LDP Robust SE, corrected", upTo1(ldpEpochs), robustUcb),
      upper("local", "ldp-printed", "LDP Robust SE, printed, constant 1", upTo1(ldpPrinted), robustUcbPrinted),
      lower("central", "dp_lower", "DP lower bound, corrected", upTo1((v, epsilon) => heavyLower(v, (p) => -Math.log1p(Math.expm1(-epsilon) * p))), (v) => heavyLower(v, () => Infinity)),
      lower("local", "ldp_lower", "Local lower bound, corrected", upTo1((v, epsilon) => heavyLower(v, (p) => Math.expm1(epsilon) ** 2 * p ** 2)), (v) => heavyLower(v, () => Infinity)),
    ],
  },
];
