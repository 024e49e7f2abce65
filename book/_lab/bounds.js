// The bounds that a panel draws under its curves, at the panel's own values; null where a bound says nothing.
import { CASCADING, HEAVY_TAILED } from "./constants.js";
import { theorems, kl } from "./theorems.js";
import { chernoffExponent, chernoffRate } from "./tails.js";

// One bound: `at(t)`, of the algorithm `of` where it is an upper bound.
const upperBound = (of, label, at) => ({ of, label, kind: "upper", at });
const lowerBound = (label, at) => ({ of: null, label, kind: "lower", at });

// An upper bound above uniform play decides nothing, nor does a lower bound that is not positive.
export function informative(bounds, uniform) {
  return bounds.map((bound) => ({
    ...bound,
    at: (t) => {
      const value = bound.at(t);
      if (value === null || !(bound.kind === "upper" ? value < uniform(t) : value > 0)) return null;
      return value;
    },
  }));
}

// Bounds of the explorer, which has one instance a paper, at other values of it; `named` maps theirs to algorithms.
export function theoremBounds(paper, values, named) {
  const { bounds } = theorems.find((room) => room.paper === paper);
  return Object.entries(named).map(([id, of]) => {
    const { label, side, total } = bounds.find((bound) => bound.id === id);
    const at = (t) => total({ ...values, T: t }, values.epsilon);
    return side === "upper" ? upperBound(of, label, at) : lowerBound(label, at);
  });
}

// Ours, on the cascade that releases noisy sums of blocks: what an item's blocks cost until its radius is small.
export function blocksUpper({ m, K, gap, p, epsilon }, horizon, design) {
  const growth = CASCADING.growth[design];
  const logTail = 3 * (Math.log(2) + Math.log(horizon));
  const kappa = -Math.expm1(K * Math.log1p(-p)) / p;
  let reports = 0;
  let counted = 0;
  let noises = 0;
  let lost = 0;
  while (reports < horizon) {
    let error = gap;
    if (counted > 0) {
      const rate = chernoffRate(logTail, counted, noises, 1 / epsilon, 0, 0);
      const exponent = chernoffExponent(rate, counted, noises, 1 / epsilon, 0, 0);
      error = Math.min(error, (2 * (logTail + exponent)) / (rate * counted));
    }
    if (error < gap) break;
    const length = Math.max(Math.ceil(CASCADING.least / epsilon), Math.ceil((growth - 1) * reports));
    lost += Math.min(length, horizon - reports) * error;
    reports += length;
    counted = (design === "keep" ? counted : 0) + length;
    noises = (design === "keep" ? noises : 0) + 1;
  }
  return m * (kappa * lost + Math.PI ** 2 / 6);
}

export function cascadeBounds(values) {
  return [
    ...theoremBounds("cascading", values, {
      "theorem_4-corrected": "laplace-stated",
      theorem_6: "gaussian-stated",
      theorem_8: "composition-stated",
      first: "first",
      theorem_12: null,
    }),
    upperBound("blocks-keep", "Upper bound of blocks, ours", (t) => blocksUpper(values, t, "keep")),
    upperBound("blocks-forget", "Upper bound of blocks, last one only, ours", (t) => blocksUpper(values, t, "forget")),
  ];
}

// The algorithms are made for ln T, and so are their bounds. Theorem 6 is about K-paths alone.
export function semiBounds({ family, n_arms, list_size: size, gap, epsilon, delta, horizon }) {
  if (family === "top-K") {
    const values = { m: n_arms, K: size, gap, epsilon, delta };
    const named = { theorem_2: "ldp1-repaired", theorem_4: "ldp2-repaired", theorem_8: "dp-repaired" };
    return theoremBounds("semibandits", values, named).map((bound) => ({ ...bound, at: () => bound.at(horizon) }));
  }
  if (family !== "K-path") return [];
  const told = kl(0.5 - (Math.tanh(epsilon / 2) * gap) / size, 0.5);
  return [lowerBound("Theorem 6, lower bound, local", (t) => ((n_arms / size - 1) * gap * Math.log(t)) / told)];
}

// Elimination counted epoch by epoch; `inside` and `pulls` as in the algorithm.
function byEpochs(gaps, arms, beta, horizon, inside, pulls) {
  let total = 2 * beta * horizon * Math.max(...gaps);
  for (const gap of gaps) {
    let played = 0;
    for (let epoch = 1; epoch === 1 || 2 ** (1 - epoch) >= gap; epoch++) {
      played += pulls(2 ** -epoch, Math.log((inside * arms * epoch ** 2) / beta));
    }
    total += gap * played;
  }
  return total;
}

// Corrected upper bounds of Tao et al. (2022), the private ones for epsilon <= 1; the moment is u.
export function heavyBounds({ means, best }, { epsilon, v, beta, horizon }, u) {
  const gaps = means.map((mean) => best - mean).filter((gap) => gap > 0);
  const over = (power) => gaps.reduce((sum, gap) => sum + (u / gap) ** power, 0);
  const all = gaps.reduce((sum, gap) => sum + gap, 0);
  const up = (1 + v) / v;
  const log = Math.log(horizon);
  const { central: dp, local: ldp } = HEAVY_TAILED.elimination;
  const central = (D, L) => Math.ceil((u ** (1 / v) * dp.c ** up * L) / (epsilon * D ** up) + 1);
  const local = (D, L) => Math.ceil((u ** (2 / v) * (ldp.c / D) ** (2 * up) * L) / epsilon ** 2) + 1;
  const robust = 2 * 8 ** up * over(1 / v) * log + 3 * all;
  const tree = ((36 ** up * (Math.LN2 + 4 * log) * log ** (1.5 + 1 / v)) / epsilon) * over(1 / v) + 6 * all;
  const free = upperBound("robust-ucb", "Upper bound of Robust UCB, as proved here", () => robust);
  if (epsilon > 1) return [free];
  return [
    free,
    upperBound("dp-ucb", "Upper bound of DP Robust UCB, as proved here", () => tree),
    upperBound("dp-se", "Upper bound of DP Robust SE, as proved here", (t) => byEpochs(gaps, means.length, beta, t, dp.inside, central)),
    upperBound("ldp-se", "Upper bound of LDP Robust SE, as proved here", (t) => byEpochs(gaps, means.length, beta, t, ldp.inside, local)),
  ];
}
