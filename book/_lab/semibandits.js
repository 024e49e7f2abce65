// Chen et al. (2020): from parameters to records, and what each promises and pays. Indices are capped at 1, and a random
// super arm is played where one is negative; ln T as printed.
import { indexRecord } from "./index.js";
import { superArmRecord } from "./superarm.js";
import { SEMIBANDITS } from "./constants.js";
import { withoutPrivacy, certified } from "./privacy.js";

const { sampling, cap, tree } = SEMIBANDITS;

function semiRecord(terms, constants) {
  const left = terms.filter(([alpha, beta]) => alpha || beta);
  return indexRecord({ terms: left, cap, fallback: true, observeFirst: false, ...constants });
}

// CUCB of Chen, Wang and Yuan (2013); "first" counts the least pulled arm's outcome only.
export function cucb(reports = "all") {
  return { record: semiRecord([sampling], { reports }), ...withoutPrivacy };
}

// An index on Laplace reports: `printed` is the square of what multiplies sqrt(ln T / n) in print.
function localRecord(scale, printed, variant, horizon, reports) {
  const log = Math.log(horizon);
  const square = variant === "printed" ? printed : sampling[0] + SEMIBANDITS.square * scale ** 2;
  const linear = variant === "printed" ? 0 : SEMIBANDITS.linear * scale * log;
  const bonus = linear ? { bonus: "fixed", bonusScale: linear } : {};
  return semiRecord([[0, square * log]], { noise: "laplace", scale, reports, ...bonus });
}

// Algorithm 1: all K outcomes, each with Lap(K/epsilon).
export function cucbLdp1(epsilon, size, horizon, variant) {
  const record = localRecord(size / epsilon, (SEMIBANDITS.printed * size) / epsilon ** 2, variant, horizon, "all");
  return { record, ...certified(epsilon, 0, epsilon, "Laplace noise on all K outcomes") };
}

// Algorithm 2: the outcome of the least pulled arm only, with Lap(1/epsilon).
export function cucbLdp2(epsilon, horizon, variant) {
  const record = localRecord(1 / epsilon, SEMIBANDITS.printed / epsilon ** 2, variant, horizon, "first");
  return { record, ...certified(epsilon, 0, epsilon, "Laplace noise on the one outcome sent; which one is public") };
}

// Algorithm 3: a tree over rounds, whose leaf holds the outcomes of the super arm; with `least` that of one arm alone.
export function cucbDp(epsilon, size, arms, horizon, variant, least = false) {
  const unit = (least ? 1 : size) / epsilon;
  const log = Math.log(horizon);
  const levels = bitLength(horizon);
  const printed = variant === "printed";
  const scale = (printed ? tree.scale * Math.log2(horizon) : levels) * unit;
  const tail = 2 * Math.sqrt(levels * 2 * log) + 2 * log; // of a release's noises, for noise of scale 1
  const bonusScale = printed ? tree.linear * log ** 3 * unit : tail * scale;
  const record = semiRecord([printed ? [0, tree.square * Math.log(arms * horizon)] : sampling], {
    noise: scale ? "tree" : "exact",
    scale,
    bonus: bonusScale ? "fixed" : "none",
    bonusScale,
    reports: least ? "first" : "all",
  });
  const leaf = least ? "is one outcome; which one is public" : "is the outcomes of the public super arm";
  const paid = scale ? ((least ? 1 : size) * levels) / scale : Infinity;
  return { record, ...certified(epsilon, 0, paid, `a tree over rounds, whose leaf ${leaf}`) };
}

function bitLength(n) {
  return Math.floor(Math.log2(n)) + 1;
}

// Ours: all K outcomes as one corner of a hypercube (Duchi, Jordan and Wainwright 2018).
export function cucbHypercube(epsilon, size, horizon) {
  let corners = 1; // C(K - 1, floor((K - 1)/2)) / 2^(K - 1)
  const half = Math.floor((size - 1) / 2);
  for (let k = 1; k <= half; k++) corners *= (size - 1 - half + k) / k;
  const sure = (Math.tanh(epsilon / 2) * corners) / 2 ** (size - 1);
  const record = semiRecord([[0, (sampling[0] * Math.log(horizon)) / sure ** 2]], {
    noise: "hypercube",
    scale: 1 / (1 + Math.exp(-epsilon)),
    flip: (1 - sure) / 2,
  });
  return { record, ...certified(epsilon, 0, epsilon, "a corner of the hypercube, more or less like the outcomes") };
}

// Ours: one randomised bit about the least pulled arm, and one radius for the super arm.
export function superArmRadius(epsilon, horizon) {
  const grid = [1];
  for (;;) {
    const next = grid.at(-1) + Math.ceil(grid.at(-1) / 10);
    if (next > horizon) break;
    grid.push(next);
  }
  const record = superArmRecord(grid, Math.log(horizon) + Math.log(grid.length), 1 / (Math.exp(epsilon) + 1));
  return { record, ...certified(epsilon, 0, epsilon, "one randomised bit about an arm that is public") };
}
