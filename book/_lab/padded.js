// The ratio index of a cascade whose users send all clicks and all examinations of their list, each with noise: with S
// and N the noisy sums of an item's clicks and examinations, and r a radius of their noise, the index is
// (S + sqrt(1.5 ln t (N + r)) + r)/N where N > 0 and infinite otherwise.
import { topList } from "./selection.js";
import { observe, pseudoRegret } from "./lists.js";
import { reported, INDEX_NOISES, GAUSSIAN } from "./reports.js";
import { roundByRound } from "./rounds.js";

// `noise` is "laplace" or "gaussian"; `byDisplay` puts the displays in the place of N.
export function paddedRecord(constants) {
  return { kernel: "padded", ...constants };
}

export function playPadded(problem, record, { env, choice, noise }, checkpoints, report, trace) {
  const { means, size } = problem;
  const items = means.length;
  const { scale, byDisplay } = record;
  const mechanism = INDEX_NOISES[record.noise];
  const clicks = new Float64Array(items);
  const examinations = new Float64Array(items);
  const displays = new Int32Array(items);
  const indices = new Float64Array(items);
  const order = new Int32Array(size);
  const values = new Float64Array(size);
  const feedback = new Float64Array(size);

  return roundByRound(checkpoints, report, (t) => {
    const logT = Math.log(t);
    for (let item = 0; item < items; item++) {
      const shown = displays[item];
      const seen = byDisplay ? shown : examinations[item];
      if (shown === 0 || seen <= 0) {
        indices[item] = Infinity;
        continue;
      }
      const radius = scale * noiseTail(mechanism, 3 * logT, 2 * shown); // two noises a display
      const samples = byDisplay ? seen : seen + radius;
      indices[item] = (clicks[item] + Math.sqrt(1.5 * samples * logT) + radius) / seen;
    }
    topList(indices, true, choice, order, values);
    const observed = observe(problem, order, env, feedback);
    for (let slot = 0; slot < size; slot++) {
      const item = order[slot];
      const examined = slot < observed;
      clicks[item] += reported(mechanism, examined ? feedback[slot] : 0, noise, scale, 0);
      examinations[item] += reported(mechanism, examined ? 1 : 0, noise, scale, 0);
      displays[item] += 1;
    }
    if (trace) trace.push([...order, observed]);
    return pseudoRegret(problem, order);
  });
}

// What a sum of m noises of scale 1 exceeds with probability e^-logTail; Laplace noise at a near best rate.
function noiseTail(mechanism, logTail, m) {
  if (mechanism === GAUSSIAN) return Math.sqrt(2 * logTail * m);
  return Math.sqrt((logTail + m) / logTail) * (logTail + m * Math.log1p(logTail / m));
}
