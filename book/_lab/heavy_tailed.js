// Tao et al. (2022): from parameters to records, and what each promises and pays. E|X|^(1+v) <= u.
import { eliminationRecord } from "./elimination.js";
import { robustRecord } from "./robust.js";
import { HEAVY_TAILED } from "./constants.js";
import { withoutPrivacy, certified } from "./privacy.js";

const { means: settings, elimination, ucb, tail } = HEAVY_TAILED;

// Pareto laws of shape 1 + v + spare: no moment much higher than that of order 1 + v is finite.
export function heavySetting(number, v, spare) {
  const means = Float64Array.from(settings[number]);
  return { means, shape: 1 + v + spare, best: Math.max(...means) };
}

// The largest E|X|^(1+v) of the arms.
export function heavyMoment({ means, shape }, v) {
  return Math.max(...means.map((mean) => (shape * ((mean * (shape - 1)) / shape) ** (1 + v)) / (shape - 1 - v)));
}

// Robust UCB of Bubeck, Cesa-Bianchi and Lugosi (2013), with the logarithm of the horizon.
export function robustUcb(v, u, horizon, c = ucb.free) {
  const beta = 2 * Math.log(Math.max(horizon, 2));
  const factor = c * u ** (1 / (1 + v));
  const record = robustRecord({ v, factor, alpha: 0, beta, truncation: u, late: 0, early: beta });
  return { record, ...withoutPrivacy };
}

// Algorithm 1, DP Robust UCB; the radius's factor c is that of the slides.
export function dpRobustUcb(epsilon, v, u, horizon, c = ucb.tree) {
  const log = Math.log(horizon);
  const levels = Math.floor(Math.log2(horizon)) + 1;
  const record = robustRecord({
    v,
    factor: c * (u * (log ** (1.5 + 1 / v) / epsilon) ** v) ** (1 / (1 + v)),
    alpha: tail[0],
    beta: tail[1],
    truncation: epsilon * u,
    late: 0,
    early: log ** 1.5,
    scale: (2 * levels) / epsilon,
  });
  const reason = "a tree per arm, nodes scaled by their largest threshold; a reward enters one tree";
  return { record, ...certified(epsilon, 0, (2 * levels) / record.scale, reason) };
}

// The scheme of Algorithm 3 with x = L/(samples R), or its square root: B = (u/x)^(1/(1+v)), err = B x.
function eliminationConstants(v, u, beta, c, { inside, samples, halved = false, uPower = 1 }) {
  const power = 1 + v;
  const half = halved ? 0.5 : 1;
  const scaled = samples ** half;
  return {
    beta,
    inside,
    pulls: (c * u ** ((uPower * half) / power)) ** (power / (v * half)) / samples,
    power: power / (v * half),
    width: 0.5 * c * u ** (1 / power) * scaled ** (-v / power),
    exponent: (half * v) / power,
    truncation: (u * scaled) ** (1 / power),
    truncationPower: half / power,
  };
}

// Algorithm 3 without its noise; ours, for comparison.
export function robustSe(v, u, beta, c = elimination.free.c) {
  const constants = eliminationConstants(v, u, beta, c, { inside: elimination.free.inside, samples: 1 });
  return { record: eliminationRecord(constants), ...withoutPrivacy };
}

// Algorithm 3, DP Robust SE: one noise on the truncated mean of each arm and epoch; c is that of the slides.
export function dpRobustSe(epsilon, v, u, beta, c = elimination.central.c) {
  const constants = eliminationConstants(v, u, beta, c, { inside: elimination.central.inside, samples: epsilon });
  const record = eliminationRecord({ ...constants, noise: "mean", scale: 1 / epsilon });
  const reason = "Laplace noise on truncated means; each reward enters one mean, and all else follows from those";
  return { record, ...certified(epsilon, 0, epsilon, reason) };
}

// LDP Robust SE, for which the slides show no algorithm: "repaired", or what their bounds can afford, "slide_rate".
export function ldpRobustSe(epsilon, v, u, beta, c = elimination.local.c, variant = "repaired") {
  const halved = variant === "repaired";
  const constants = eliminationConstants(v, u, beta, c, { inside: elimination.local.inside, samples: epsilon ** 2, halved, uPower: 2 });
  const record = eliminationRecord({ ...constants, noise: "rewards", scale: 1 / epsilon });
  return { record, ...certified(epsilon, 0, epsilon, "every user truncates and adds Laplace noise of the whole range") };
}
