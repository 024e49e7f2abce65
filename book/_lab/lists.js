// Lists of a fixed size: their feedback, the best list, what a list gives up.

// Items that attract with probability `means`; in a cascade the user stops at the first click.
export function listProblem(means, size, cascade) {
  const sorted = Array.from(means).sort((a, b) => b - a).slice(0, size);
  const miss = sorted.reduce((product, mean) => product * (1 - mean), 1);
  const best = cascade ? 1 - miss : sorted.reduce((sum, mean) => sum + mean, 0);
  return { means: Float64Array.from(means), size, cascade, best, sets: null, groups: null };
}

// Super arms that are listed, all of one size, worth the sum of their means; arms of a group share a draw.
export function setProblem(means, sets, groups = null) {
  const best = Math.max(...sets.map((arms) => arms.reduce((sum, arm) => sum + means[arm], 0)));
  return { means: Float64Array.from(means), size: sets[0].length, cascade: false, best, sets, groups };
}

// Kveton et al. (2015), Section 5.1: `size` items of weight p, the others of p - gap.
export function bLb(items, size, p, gap, cascade) {
  return listProblem(Array.from({ length: items }, (_, item) => (item < size ? p : p - gap)), size, cascade);
}

// One uniform number for each observed position, from the top of the list; return how many were observed.
export function observe(problem, order, env, feedback) {
  const { means, cascade, groups } = problem;
  if (groups) return observeGroups(means, groups, order, env, feedback);
  let observed = 0;
  let stopped = false;
  while (observed < order.length && !stopped) {
    const clicked = env.random() < means[order[observed]];
    feedback[observed] = clicked ? 1 : 0;
    stopped = clicked && cascade;
    observed++;
  }
  return observed;
}

// One number for each group, at its first arm.
function observeGroups(means, groups, order, env, feedback) {
  for (let slot = 0; slot < order.length; slot++) {
    let first = 0;
    while (groups[order[first]] !== groups[order[slot]]) first++;
    feedback[slot] = first < slot ? feedback[first] : env.random();
  }
  for (let slot = 0; slot < order.length; slot++) feedback[slot] = feedback[slot] < means[order[slot]] ? 1 : 0;
  return order.length;
}

// Expected reward that a list gives up in one round.
export function pseudoRegret(problem, order) {
  const { means, cascade, best, sets } = problem;
  let got = 0;
  if (cascade) {
    let miss = 1;
    for (let slot = 0; slot < order.length; slot++) miss *= 1 - means[order[slot]];
    got = 1 - miss;
  } else {
    for (let slot = 0; slot < order.length; slot++) got += means[order[slot]];
  }
  const lost = best - got;
  return sets && Math.abs(lost) <= SUMS_ROUNDING * Math.max(1, best) ? 0 : Math.max(lost, 0);
}

const SUMS_ROUNDING = 1e-12;

// Expected regret of one round of uniformly random lists.
export function uniformRegret(problem) {
  const { means, size, cascade, best, sets } = problem;
  const n = means.length;
  if (sets) return best - sets.flat().reduce((sum, arm) => sum + means[arm], 0) / sets.length;
  if (!cascade) return best - (size * means.reduce((sum, mean) => sum + mean, 0)) / n;
  const sums = new Float64Array(size + 1);
  sums[0] = 1;
  for (const mean of means) for (let k = size; k > 0; k--) sums[k] += (1 - mean) * sums[k - 1];
  let lists = 1;
  for (let k = 1; k <= size; k++) lists *= (n - size + k) / k;
  return best - (1 - sums[size] / lists);
}

// The library's grid, 16 a decade, the horizon included.
export function logCheckpoints(horizon) {
  const rounds = [];
  for (let i = 0; ; i++) {
    const t = roundHalfEven(10 ** (i / 16));
    if (t >= horizon) return Float64Array.from([...rounds, horizon]);
    if (t !== rounds.at(-1)) rounds.push(t);
  }
}

function roundHalfEven(x) {
  const whole = Math.round(x);
  return whole - x === 0.5 && whole % 2 ? whole - 1 : whole;
}
