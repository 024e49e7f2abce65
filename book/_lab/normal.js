// The normal distribution, and what Gaussian noise exactly pays (Balle and Wang 2018, Theorems 8 and 9).
import { root } from "./roots.js";

// exp(x^2) erfc(x) by the rational approximations of Cody (1969).
export function erfcx(x) {
  const y = Math.abs(x);
  if (y <= 0.46875) {
    const z = y * y;
    return Math.exp(z) * (1 - (x * ratio(z, CODY_A, CODY_B)));
  }
  const tail = y <= 4 ? ratio(y, CODY_C, CODY_D) : far(y);
  return x > 0 ? tail : 2 * Math.exp(x * x) - tail;
}

export function normalCdf(x) {
  return x > 0 ? 1 - normalCdf(-x) : 0.5 * erfcx(-x / Math.SQRT2) * Math.exp((-x * x) / 2);
}

// Delta of a Gaussian release with u = mu/2 - epsilon/mu and w = mu/2 + epsilon/mu, mu the sensitivity over sigma.
function profile(u, w) {
  return normalCdf(u) - 0.5 * erfcx(w / Math.SQRT2) * Math.exp((-u * u) / 2);
}

export function gaussianEpsilon(sigma, delta, sensitivity) {
  if (sigma === 0) return Infinity;
  const mu = sensitivity / sigma;
  if (profile(mu / 2, mu / 2) <= delta) return 0;
  return mu * root((s) => delta - profile(mu / 2 - s, mu / 2 + s), 0, mu + 1);
}

export function gaussianSigma(epsilon, delta, sensitivity, method = "analytic") {
  if (method === "classical") return (sensitivity * Math.sqrt(2 * Math.log(1.25 / delta))) / epsilon;
  if (epsilon === Infinity) return 0;
  const bend = Math.sqrt(2 * epsilon);
  let low = -1;
  while (profile(low, Math.hypot(low, bend)) > delta) low *= 2;
  const u = root((x) => profile(x, Math.hypot(x, bend)) - delta, low, low / -2 + 2);
  const w = Math.hypot(u, bend);
  return sensitivity / (u > 0 ? u + w : bend * (bend / (w - u)));
}

const CODY_A = [1.85777706184603153e-1, 3.1611237438705656, 113.864154151050156, 377.485237685302021, 3209.37758913846947];
const CODY_B = [1, 23.6012909523441209, 244.024637934444173, 1282.61652607737228, 2844.23683343917062];
const CODY_C = [
  2.15311535474403846e-8, 0.564188496988670089, 8.88314979438837594, 66.1191906371416295, 298.635138197400131,
  881.95222124176909, 1712.04761263407058, 2051.07837782607147, 1230.33935479799725,
];
const CODY_D = [
  1, 15.7449261107098347, 117.693950891312499, 537.181101862009858, 1621.38957456669019, 3290.79923573345963,
  4362.61909014324716, 3439.36767414372164, 1230.33935480374942,
];
const CODY_P = [
  1.63153871373020978e-2, 0.305326634961232344, 0.360344899949804439, 0.125781726111229246, 1.60837851487422766e-2,
  6.58749161529837803e-4,
];
const CODY_Q = [1, 2.56852019228982242, 1.87295284992346725, 0.527905102951428412, 6.05183413124413191e-2, 2.33520497626869185e-3];

function ratio(x, above, below) {
  const at = (coefficients) => coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
  return at(above) / at(below);
}

function far(y) {
  const z = 1 / (y * y);
  return (1 / Math.sqrt(Math.PI) - z * ratio(z, CODY_P, CODY_Q)) / y;
}
