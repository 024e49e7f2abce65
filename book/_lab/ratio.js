// The ratio index of a cascade whose whole reply is private: with unbiased estimates S of an item's clicks and N of its
// examinations, and r a radius of S - w N, the index is (S + r)/N where N > 0 and infinite otherwise.
import { respond } from "./random.js";
import { topList } from "./selection.js";
import { observe, pseudoRegret } from "./lists.js";
import { reported, INDEX_NOISES, GAUSSIAN, RESPONSE } from "./reports.js";
import { roundByRound } from "./rounds.js";

// `noise` on the reply as a whole ("response") or on all clicks and examinations ("laplace", "gaussian").
export function ratioRecord(constants) {
  return { kernel: "ratio", flip: 0, scale: 0, byDisplay: false, ...constants };
}

export function playRatio(problem, record, { env, choice, noise }, checkpoints, report, trace) {
  const { means, size } = problem;
  const items = means.length;
  const { flip, scale, byDisplay } = record;
  const mechanism = INDEX_NOISES[record.noise];
  const width = 1 - (size + 1) * flip;
  const clicks = new Float64Array(items);
  const examinations = new Float64Array(items);
  const displays = new Int32Array(items);
  const above = new Float64Array(items); // positions above the item's own, summed over its displays
  const indices = new Float64Array(items);
  const order = new Int32Array(size);
  const values = new Float64Array(size);
  const feedback = new Float64Array(size);

  return roundByRound(checkpoints, report, (t) => {
    const logT = Math.log(t);
    for (let item = 0; item < items; item++) {
      const shown = displays[item];
      let hits = clicks[item];
      let seen = examinations[item];
      let radius = 0;
      let samples = shown;
      if (mechanism === RESPONSE) {
        hits = (hits - shown * flip) / width;
        seen = shown - (shown - seen - above[item] * flip) / width;
      } else {
        radius = scale * noiseTail(mechanism, 3 * logT, 2 * shown); // two noises a display
        samples = seen + radius;
      }
      if (byDisplay) seen = samples = shown;
      const known = shown > 0 && seen > 0;
      indices[item] = known ? (hits + Math.sqrt(1.5 * samples * logT) / width + radius) / seen : Infinity;
    }
    topList(indices, true, choice, order, values);
    const observed = observe(problem, order, env, feedback);
    let reply = feedback[observed - 1] === 1 ? observed - 1 : size;
    if (mechanism === RESPONSE) reply = respond(noise, reply, size + 1, flip);
    for (let slot = 0; slot < size; slot++) {
      const item = order[slot];
      let clicked = slot === reply ? 1 : 0;
      let examined = slot <= reply ? 1 : 0;
      if (mechanism !== RESPONSE) {
        clicked = reported(mechanism, clicked, noise, scale, 0);
        examined = reported(mechanism, examined, noise, scale, 0);
      }
      clicks[item] += clicked;
      examinations[item] += examined;
      displays[item] += 1;
      above[item] += slot;
    }
    if (trace) trace.push([...order, observed]);
    return pseudoRegret(problem, order);
  });
}

// What a sum of m noises of scale 1 exceeds with probability e^-logTail; Laplace noise at a near best rate.
function noiseTail(mechanism, logTail, m) {
  if (mechanism === GAUSSIAN || m === 0) return Math.sqrt(2 * logTail * m);
  return Math.sqrt((logTail + m) / logTail) * (logTail + m * Math.log1p(logTail / m));
}
