// How an observed outcome is reported.
import { laplace, gaussian, respond } from "./random.js";

export const EXACT = 0;
export const LAPLACE = 1;
export const GAUSSIAN = 2;
export const RESPONSE = 3;
export const HYBRID = 4;
export const INDEX_NOISES = { exact: EXACT, laplace: LAPLACE, gaussian: GAUSSIAN, response: RESPONSE, hybrid: HYBRID };

export function reported(mechanism, value, noise, scale, flip) {
  if (mechanism === LAPLACE) return value + laplace(noise, scale);
  if (mechanism === GAUSSIAN) return value + gaussian(noise, scale);
  return mechanism === RESPONSE ? respond(noise, value, 2, flip) : value;
}
