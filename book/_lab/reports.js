// How an observed outcome is reported.
import { laplace, gaussian, respond } from "./random.js";

export const EXACT = 0;
export const LAPLACE = 1;
export const GAUSSIAN = 2;
export const RESPONSE = 3;
export const HYBRID = 4;
export const TREE = 5;
export const HYPERCUBE = 6;
export const INDEX_NOISES = {
  exact: EXACT, laplace: LAPLACE, gaussian: GAUSSIAN, response: RESPONSE, hybrid: HYBRID, tree: TREE, hypercube: HYPERCUBE,
};

export function reported(mechanism, value, noise, scale, flip) {
  if (mechanism === LAPLACE) return value + laplace(noise, scale);
  if (mechanism === GAUSSIAN) return value + gaussian(noise, scale);
  return mechanism === RESPONSE ? respond(noise, value, 2, flip) : value;
}

// Replace outcomes by a random corner that agrees with more than half of them, with probability `truth`, or its opposite.
export function hypercube(noise, outcomes, truth) {
  let agree = 0;
  for (let place = 0; place < outcomes.length; place++) {
    const value = outcomes[place];
    outcomes[place] = noise.random() < 0.5 ? 1 : 0;
    if (outcomes[place] === value) agree++;
  }
  const tied = 2 * agree === outcomes.length;
  if (noise.random() < truth === 2 * agree < outcomes.length && !tied) {
    for (let place = 0; place < outcomes.length; place++) outcomes[place] = 1 - outcomes[place];
  }
}
