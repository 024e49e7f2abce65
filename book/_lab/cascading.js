// Wang et al. (2021): from parameters to records, and what each promises and pays.
import { indexRecord } from "./index.js";
import { gaussianSigma, gaussianEpsilon } from "./normal.js";
import { withoutPrivacy, certified, leaking } from "./privacy.js";

const CASCADE_SAMPLING = [1.5, 0];

export function cascadeUcb1(leastFirst = false) {
  const reports = leastFirst ? "reordered" : "all";
  return { record: indexRecord({ terms: [CASCADE_SAMPLING], reports }), ...withoutPrivacy };
}

function cascadeLocal(record, epsilon, delta, valueEpsilon, valueDelta, size) {
  const leak = size > 1 ? "the number of reports is the click position, and w_0 is sent in clear" : "w_0 is sent in clear";
  return { record, ...leaking(epsilon, delta, valueEpsilon, valueDelta, leak) };
}

// Two replies with clicks at different positions differ by 2 in L1; a list of one item has one position.
const clickDistance = (size) => (size > 1 ? 2 : 1);

// Algorithm 2: Lap(K/epsilon) on each observed position; `multiplier` 0.01 in the published experiments.
export function ucbLaplace(epsilon, size, multiplier = 1) {
  const scale = (multiplier * size) / epsilon;
  const record = indexRecord({ terms: [CASCADE_SAMPLING, [24 * scale ** 2, 0]], noise: "laplace", scale });
  return cascadeLocal(record, epsilon, 0, clickDistance(size) / scale, 0, size);
}

// Algorithm 3: the Gaussian mechanism in its classical form.
export function ucbGaussian(epsilon, delta, size, multiplier = 1) {
  const sigma = multiplier * gaussianSigma(epsilon, delta, Math.sqrt(size), "classical");
  const terms = [CASCADE_SAMPLING, [6 * sigma ** 2, 2 * Math.log(2) * sigma ** 2]];
  const record = indexRecord({ terms, noise: "gaussian", scale: sigma });
  const paid = gaussianEpsilon(sigma, delta, Math.sqrt(clickDistance(size)));
  return cascadeLocal(record, epsilon, delta, paid, delta, size);
}

// Theorem 8: Algorithm 2 with the noise of advanced composition.
export function ucbComposition(epsilon, delta, size, multiplier = 1) {
  const scale = (multiplier * Math.sqrt(4 * size * Math.log(Math.E + epsilon / delta))) / epsilon;
  const record = indexRecord({ terms: [CASCADE_SAMPLING, [24 * scale ** 2, 0]], noise: "laplace", scale });
  return cascadeLocal(record, epsilon, delta, clickDistance(size) / scale, 0, size);
}

// Our local repair: only the click of the least reported item, shown first, by randomised response.
export function repairedFirst(epsilon) {
  const flip = 1 / (Math.exp(epsilon) + 1);
  const record = indexRecord({
    terms: [[1.5 / (1 - 2 * flip) ** 2, 0]],
    noise: "response",
    flip,
    reports: "first",
    observeFirst: false,
  });
  return { record, ...certified(epsilon, 0, Math.log((1 - flip) / flip), "one randomised bit about the first item") };
}

export function uniformLists() {
  const record = indexRecord({ terms: [CASCADE_SAMPLING], reports: "nothing", observeFirst: false });
  return { record, ...withoutPrivacy, paid: { epsilon: 0, delta: 0, reason: "nobody reports anything" } };
}
