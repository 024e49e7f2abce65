// Wang et al. (2021): from parameters to records, and what each promises and pays.
import { indexRecord } from "./index.js";
import { paddedRecord } from "./padded.js";
import { releasesRecord } from "./releases.js";
import { gaussianSigma, gaussianEpsilon } from "./normal.js";
import { CASCADING } from "./constants.js";
import { withoutPrivacy, certified, leaking } from "./privacy.js";

const { sampling } = CASCADING;

export function cascadeUcb1(leastFirst = false) {
  const reports = leastFirst ? "reordered" : "all";
  return { record: indexRecord({ terms: [sampling], reports }), ...withoutPrivacy };
}

function cascadeLocal(record, epsilon, delta, valueEpsilon, valueDelta, size) {
  const leak = size > 1 ? "the number of reports is the click position, and the free report is sent without noise" : "the free report is sent without noise";
  return { record, ...leaking(epsilon, delta, valueEpsilon, valueDelta, leak) };
}

// Two replies with clicks at different positions differ by 2 in L1; a list of one item has one position.
const clickDistance = (size) => (size > 1 ? 2 : 1);

// Algorithm 2: Lap(K/epsilon) on each observed position; `multiplier` 0.01 in the published experiments.
export function ucbLaplace(epsilon, size, multiplier = 1) {
  const scale = (multiplier * size) / epsilon;
  const record = indexRecord({ terms: [sampling, [CASCADING.laplace * scale ** 2, 0]], noise: "laplace", scale });
  return cascadeLocal(record, epsilon, 0, clickDistance(size) / scale, 0, size);
}

// Algorithm 3: the Gaussian mechanism in its classical form.
export function ucbGaussian(epsilon, delta, size, multiplier = 1) {
  const sigma = multiplier * gaussianSigma(epsilon, delta, Math.sqrt(size), "classical");
  const terms = [sampling, CASCADING.gaussian.map((factor) => factor * sigma ** 2)];
  const record = indexRecord({ terms, noise: "gaussian", scale: sigma });
  const paid = gaussianEpsilon(sigma, delta, Math.sqrt(clickDistance(size)));
  return cascadeLocal(record, epsilon, delta, paid, delta, size);
}

// Theorem 8: Algorithm 2 with the noise of advanced composition.
export function ucbComposition(epsilon, delta, size, multiplier = 1) {
  const scale = (multiplier * Math.sqrt(CASCADING.composition * size * Math.log(Math.E + epsilon / delta))) / epsilon;
  const record = indexRecord({ terms: [sampling, [CASCADING.laplace * scale ** 2, 0]], noise: "laplace", scale });
  return cascadeLocal(record, epsilon, delta, clickDistance(size) / scale, 0, size);
}

// Algorithm 1: a hybrid counter of epsilon/L for each item. The bonus has the logarithm of the "horizon", as printed, or of
// the item's "pulls", as in the proof.
export function ucbHybrid(epsilon, items, horizon, multiplier = 1, logOf = "horizon") {
  const scale = (multiplier * items) / epsilon;
  const logs = logOf === "pulls" ? 1 : Math.log(horizon) ** 1.5;
  const record = indexRecord({
    terms: [sampling],
    noise: "hybrid",
    scale,
    bonus: logOf === "pulls" ? "pulls" : "flat",
    bonusScale: CASCADING.hybrid * CASCADING.lemma * scale * logs,
  });
  const leak = "the free reports and the pulls are used without noise, and a click moves the later leaves of other items' trees";
  return { record, ...leaking(epsilon, 0, 2 / scale, 0, leak) };
}

// Algorithm 4, CUCB with the Gaussian mechanism, for semi-bandits; "repaired" without u_0 and by the analytic formula; without
// noise, at epsilon infinite, it is CUCB.
export function cucbGaussian(epsilon, delta, items, size, multiplier = 1, variant = "printed") {
  const repaired = variant === "repaired";
  const sigma = multiplier * gaussianSigma(epsilon, delta, Math.sqrt(size), repaired ? "analytic" : "classical");
  const record = indexRecord({
    terms: [sampling, [CASCADING.semi * sigma ** 2, 0]],
    noise: sigma ? "gaussian" : "exact",
    scale: sigma,
    observeFirst: !repaired,
    clock: items,
  });
  if (!sigma) return { record, ...withoutPrivacy };
  const values = gaussianEpsilon(sigma, delta, Math.sqrt(size));
  if (repaired) return { record, ...certified(epsilon, delta, values, "the values are all that is sent") };
  const leak = "the free report is sent without noise; after it the values are all that is sent";
  return { record, ...leaking(epsilon, delta, values, delta, leak) };
}

// Our local repair: only the click of the least reported item, shown first, by randomised response.
export function repairedFirst(epsilon) {
  const flip = 1 / (Math.exp(epsilon) + 1);
  const record = indexRecord({
    terms: [[sampling[0] / (1 - 2 * flip) ** 2, 0]],
    noise: "response",
    flip,
    reports: "first",
    observeFirst: false,
  });
  return { record, ...certified(epsilon, 0, Math.log((1 - flip) / flip), "one randomised bit about the first item") };
}

// The paper's mechanisms on a message of fixed length, all K clicks and all K examinations; Gaussian noise if delta > 0.
// `byDisplay` divides clicks by displays, which estimates nothing: a negative control.
export function repairedPadded(epsilon, size, delta = 0, byDisplay = false) {
  const moved = size > 1 ? size + 1 : 1; // how far one reply moves the 2K numbers, in L1 and squared in L2
  const scale = delta ? gaussianSigma(epsilon, delta, Math.sqrt(moved)) : moved / epsilon;
  const record = paddedRecord({ noise: delta ? "gaussian" : "laplace", scale, byDisplay });
  const paid = delta ? gaussianEpsilon(scale, delta, Math.sqrt(moved)) : moved / scale;
  return { record, ...certified(epsilon, delta, paid, "noise on every click and examination") };
}

// Our central repair: the click of the least reported item, shown first, in noisy sums of blocks.
export function repairedBlocks(epsilon, design = "keep") {
  const least = design === "counter" ? 1 : Math.ceil(Math.min(CASCADING.least / epsilon, 2 ** 62));
  const record = releasesRecord(design, 1 / epsilon, least, CASCADING.growth[design]);
  return { record, ...certified(epsilon, 0, epsilon, "one noisy sum a user, lengths fixed by the lists") };
}

export function uniformLists() {
  const record = indexRecord({ terms: [sampling], reports: "nothing", observeFirst: false });
  const paid = { epsilon: 0, delta: 0 };
  return { record, ...withoutPrivacy, values: paid, paid: { ...paid, reason: "nobody reports anything" } };
}
