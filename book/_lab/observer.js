// Who guesses one bit of a person from answers that each pass through an epsilon-private channel.
import { streams } from "./random.js";

/** The most that a guess can reach where the loss is this. */
export function mostPossible(loss) {
  return 1 / (1 + Math.exp(-loss));
}

/** Exact success rate of the best guess, which is the majority of the answers. */
export function bestGuess(epsilon, answers) {
  const right = mostPossible(epsilon);
  let rate = 0;
  let ways = 1;
  for (let k = 0; k <= answers; k++) {
    const chance = ways * right ** k * (1 - right) ** (answers - k);
    if (2 * k > answers) rate += chance;
    else if (2 * k === answers) rate += chance / 2;
    ways = (ways * (answers - k)) / (k + 1);
  }
  return rate;
}

/** One game: the secret bit and what gets out of it. */
export function drawn(stream, epsilon, answers) {
  const secret = stream.random() < 0.5 ? 0 : 1;
  const right = mostPossible(epsilon);
  const seen = Array.from({ length: answers }, () => (stream.random() < right ? secret : 1 - secret));
  return { secret, seen };
}

/** The best guess at what was seen; a tie is a coin's. */
export function guess(stream, seen) {
  const ones = seen.reduce((sum, bit) => sum + bit, 0);
  if (2 * ones === seen.length) return stream.random() < 0.5 ? 0 : 1;
  return 2 * ones > seen.length ? 1 : 0;
}

/** Plays that can be drawn one by one. */
export function player(seed, epsilon, answers) {
  const { env, choice } = streams(seed, 0);
  return {
    draw: () => drawn(env, epsilon, answers),
    won: () => {
      const { secret, seen } = drawn(env, epsilon, answers);
      return guess(choice, seen) === secret;
    },
  };
}
