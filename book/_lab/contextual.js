// Zheng et al. (2020), Algorithm 2: losses on the unit disc, steps, and what the noise pays.
import { onlineRecord } from "./online.js";
import { gaussianSigma, gaussianEpsilon } from "./normal.js";
import { CONVEX } from "./constants.js";
import { withoutPrivacy, certified } from "./privacy.js";

// The adversary of the chapter: three losses in blocks, and again from the start after the last.
const CONVEX_SCHEDULE = CONVEX.schedule.flatMap(([which, rounds]) => Array(rounds).fill(which));
const CONVEX_LOSSES = {
  distance: (x, z) => Math.hypot(x[0] - z[0], x[1] - z[1]),
  quadratic: (x, z) => 0.5 * ((x[0] - z[0]) ** 2 + (x[1] - z[1]) ** 2),
};

// `lowest(counts)` is the sum of the losses so far at the best fixed point.
export function convexProblem(kind) {
  const anchors = CONVEX.anchors[kind];
  const loss = CONVEX_LOSSES[kind];
  const reach = 1 + Math.max(...anchors.map(([x, y]) => Math.hypot(x, y)));
  const best = (counts) => (kind === "distance" ? anchors[0] : meanPoint(anchors, counts)); // the kink of four fifths holds
  const lowest = (counts) => anchors.reduce((sum, z, which) => sum + counts[which] * loss(best(counts), z), 0);
  const lipschitz = kind === "distance" ? 1 : reach;
  const strong = kind === "quadratic" ? 1 : 0;
  return { anchors, loss, lowest, lipschitz, strong, schedule: CONVEX_SCHEDULE, radius: 1 };
}

function meanPoint(anchors, counts) {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return [0, 1].map((i) => anchors.reduce((sum, z, which) => sum + counts[which] * z[i], 0) / all);
}

// Regret of a round of uniformly random points of the disc, in the long run.
export function convexUniform({ anchors, loss, lowest }) {
  const counts = anchors.map((_, which) => CONVEX_SCHEDULE.filter((one) => one === which).length / CONVEX_SCHEDULE.length);
  let sum = 0;
  for (let ring = 0; ring < DISC_RINGS; ring++) {
    const r = Math.sqrt((ring + 0.5) / DISC_RINGS); // rings of one area
    for (let place = 0; place < DISC_PLACES; place++) {
      const angle = (2 * Math.PI * place) / DISC_PLACES;
      const x = [r * Math.cos(angle), r * Math.sin(angle)];
      for (let which = 0; which < anchors.length; which++) sum += counts[which] * loss(x, anchors[which]);
    }
  }
  return sum / (DISC_RINGS * DISC_PLACES) - lowest(counts);
}

const DISC_RINGS = 64;
const DISC_PLACES = 128;

// The `step` is eta = 1/sqrt(T) as "printed"; "tuned" to the noise, ours; or "strong", 1/(mu t). The `noise` is Gaussian
// by the "classical" or the "analytic" formula, "laplace", or "none".
export function twoPoint(problem, horizon, epsilon, delta, step, noise) {
  const variance = twoPointVariance(problem, epsilon, delta, noise);
  const steps = twoPointSteps(problem, horizon, variance, step);
  const sensitivity = 2 * problem.lipschitz;
  const reason = "one noisy difference of losses is all that is sent";
  if (noise === "none") return { record: onlineRecord({ ...steps, noise: "gaussian", scale: 0 }), ...withoutPrivacy };
  if (noise === "laplace") {
    const record = onlineRecord({ ...steps, noise, scale: (sensitivity / epsilon) * 2 * steps.radius });
    return { record, ...certified(epsilon, 0, epsilon, reason) };
  }
  const sigma = gaussianSigma(epsilon, delta, sensitivity, noise);
  const record = onlineRecord({ ...steps, noise: "gaussian", scale: sigma });
  return { record, ...certified(epsilon, delta, gaussianEpsilon(sigma, delta, sensitivity), reason) };
}

// Variance of the noise on what a user sends, per unit of the distance of the two points.
export function twoPointVariance({ lipschitz }, epsilon, delta, noise) {
  if (noise === "none") return 0;
  const sensitivity = 2 * lipschitz;
  return noise === "laplace" ? 2 * (sensitivity / epsilon) ** 2 : gaussianSigma(epsilon, delta, sensitivity, noise) ** 2;
}

function twoPointSteps({ lipschitz, strong }, horizon, variance, step) {
  const rounds = Math.max(horizon, 2);
  const radius = Math.min(Math.log(rounds) / rounds, 0.5);
  const moving = { radius, shrink: radius, power: 0 };
  if (step === "strong") return { ...moving, step: 1 / strong, power: 1 };
  if (step === "printed") return { ...moving, step: 1 / Math.sqrt(rounds) };
  return { ...moving, step: 1 / (2 * Math.sqrt((lipschitz ** 2 + variance) * rounds)) };
}

// Theorem 6 after t rounds, for just these steps.
export function twoPointUpper({ lipschitz, strong }, horizon, variance, step, t) {
  const { radius, step: eta } = twoPointSteps({ lipschitz, strong }, horizon, variance, step);
  const near = lipschitz * radius * t * 4;
  const squared = 4 * (lipschitz ** 2 + variance);
  if (step === "strong") return (squared * (1 + Math.log(t))) / (2 * strong) + near;
  return 1 / (2 * eta) + (eta * t * squared) / 2 + near;
}
