// The indices of a round and the list of the largest. The others' indices only rise with a(t) and b(t, n), so as long as
// the list is above what they can have risen to, only its own are found.
import { topList } from "./selection.js";
import { findSet } from "./sets.js";

const UP = 1 + 1e-12; // hundreds of times what rounding does

// Before the first report of all: an item's index is its mean + now[0] root + now[1] weight, at most a cap; where one is
// below 0 and there is a fallback, the list is random.
export function indexState(problem, choice) {
  const { means, size } = problem;
  const items = means.length;
  return {
    problem,
    choice,
    cap: Infinity,
    fallback: false,
    mean: new Float64Array(items).fill(Infinity),
    root: new Float64Array(items),
    weight: new Float64Array(items),
    indices: new Float64Array(items),
    order: new Int32Array(size),
    values: new Float64Array(size),
    now: new Float64Array(2),
    then: new Float64Array(2), // as they were when all indices were found
    rest: Float64Array.of(Infinity, 0, 0), // the others' largest index then; no root and no weight is larger
  };
}

// a(t), and the part of b(t, n) that does not depend on n.
export function findParts({ terms, bonus, bonusScale, now }, clock) {
  const logT = Math.log(clock);
  let a = 0;
  for (let term = 0; term < terms.length; term += 2) a += Math.sqrt(terms[term] * logT + terms[term + 1]);
  now[0] = a;
  now[1] = bonus === "none" ? 0 : bonus === "fixed" ? bonusScale : bonusScale * logT;
}

// Sort the list anew; say whether it still is that of the largest indices, none equal to another, and may be asked for.
export function listStays(game) {
  const { mean, root, weight, order, values, cap, fallback, now } = game;
  const a = now[0];
  const b = now[1];
  let tied = false;
  for (let slot = 0; slot < order.length; slot++) {
    const item = order[slot];
    let value = mean[item] + a * root[item] + b * weight[item];
    if (value > cap) value = cap;
    let place = slot;
    while (place > 0 && value > values[place - 1]) {
      values[place] = values[place - 1];
      order[place] = order[place - 1];
      place--;
    }
    if (place > 0 && value === values[place - 1]) tied = true;
    values[place] = value;
    order[place] = item;
  }
  const least = values[order.length - 1];
  return !tied && least > othersAtMost(game) && !(fallback && least < 0);
}

// Choose by all indices.
export function chooseList({ problem, choice, mean, root, weight, indices, order, values, cap, fallback, now, then, rest }) {
  let failed = false;
  rest[1] = rest[2] = 0;
  for (let item = 0; item < indices.length; item++) {
    const index = mean[item] + now[0] * root[item] + now[1] * weight[item];
    indices[item] = index > cap ? cap : index;
    if (fallback && index < 0) failed = true;
    if (root[item] > rest[1]) rest[1] = root[item];
    if (weight[item] > rest[2]) rest[2] = weight[item];
  }
  if (failed) indices.fill(0);
  if (problem.sets) {
    order.set(findSet(problem.sets, indices, choice));
    return;
  }
  const runnerUp = topList(indices, problem.cascade, choice, order, values);
  rest[0] = failed ? Infinity : Math.max(runnerUp * UP, runnerUp / UP);
  then.set(now);
}

// No item that is not shown has a larger index.
export function othersAtMost({ now, then, rest }) {
  return rest[0] + (now[0] * UP - then[0]) * rest[1] + (now[1] * UP - then[1]) * rest[2];
}
