// Rounds in which the list cannot change: draw, compare and count, without an index. The reasons stand in the library's
// `kernels.leap`: an index stays between its two levels as long as the sum of its reports stays between two lines.
import { reported, RESPONSE } from "./reports.js";
import { othersAtMost } from "./indices.js";
import { swap } from "./selection.js";

export const LEAP_SHORT = 8; // rounds of a leap that saves nothing
const LEAP_SLACK = 1e-12; // hundreds of times what rounding does

// What a leap keeps of an item: reports, their sum, two lines in the number of reports, and its mean.
const COUNT = 0;
const SUM = 1;
const LOW = 2;
const LOW_0 = 3;
const HIGH = 4;
const HIGH_0 = 5;
const MEAN = 6;
const WIDTH = 7;

// These numbers, a row per slot of the list.
export function leapLines(size) {
  return new Float64Array(size * WIDTH);
}

// Play rounds from t on, at most so many, until a sum crosses a line; return the first that is not played.
export function leap(game, t, most) {
  const last = t + drawLines(game, t, most) - 1;
  if (last < t) return t;
  const { order, lines, mechanism, flip } = game;
  const next = playInside(game, t, last);
  for (let slot = 0; slot < order.length; slot++) {
    const item = order[slot];
    const n = lines[slot * WIDTH + COUNT];
    const sum = lines[slot * WIDTH + SUM];
    game.pulls[item] = n;
    game.total[item] = sum;
    game.root[item] = 1 / Math.sqrt(n);
    game.mean[item] = mechanism === RESPONSE ? (sum / n - flip) / (1 - 2 * flip) : sum / n;
  }
  return next;
}

function playInside(game, t, last) {
  const { problem, order, lines, onlyFirst, mechanism, scale, flip, noise, env, trace, sums } = game;
  const { cascade } = problem;
  const size = order.length;
  let total = sums[0];
  let uncrossed = true;
  let lead = 0;
  for (; uncrossed && t <= last; t++) {
    if (onlyFirst) {
      lead = 0;
      for (let slot = 1; slot < size; slot++) if (lines[slot * WIDTH] < lines[lead * WIDTH]) lead = slot;
    }
    let position = 0;
    let stopped = false;
    while (position < size && !stopped) {
      const slot = !onlyFirst ? position : position === 0 ? lead : position === lead ? 0 : position;
      const at = slot * WIDTH;
      const clicked = env.random() < lines[at + MEAN];
      if (position === 0 || !onlyFirst) {
        lines[at + COUNT] += 1;
        lines[at + SUM] += reported(mechanism, clicked ? 1 : 0, noise, scale, flip);
        if (!inside(lines, at, 0)) uncrossed = false;
      }
      stopped = clicked && cascade;
      position++;
    }
    total += sums[1];
    if (trace) {
      swap(order, 0, lead);
      trace.push([...order, position]);
      swap(order, 0, lead);
    }
  }
  sums[0] = total;
  return t;
}

// Draw the lines of the list; return for how many of `most` rounds they are good, 0 if for too few.
function drawLines(game, t, most) {
  const { problem, pulls, total, order, values, terms, cap, floor, lines, now, rest } = game;
  const lie = game.flip;
  const size = order.length;
  const least = values[size - 1];
  if (!(values[0] < Infinity) || most < LEAP_SHORT) return 0;
  const others = othersAtMost(game);
  const clock = t + game.clock;
  const a = now[0];
  let rise = 0;
  for (let term = 0; term < terms.length; term += 2) {
    rise += terms[term] / (2 * clock * Math.sqrt(terms[term] * Math.log(clock) + terms[term + 1]));
  }
  const slack = LEAP_SLACK * (1 / (1 - 2 * lie) + a + Math.abs(values[0]) + Math.abs(least));
  let level = -Infinity;
  let rounds = most;
  if (others > -Infinity) {
    level = 0.5 * (least + others);
    const lasting = (level - others - slack) / (rise * rest[1]);
    if (!(lasting >= LEAP_SHORT)) return 0;
    rounds = Math.floor(Math.min(lasting, most));
  }
  let above = cap;
  for (let slot = 0; slot < size; slot++) {
    const between = slot < size - 1 ? 0.5 * (values[slot] + values[slot + 1]) : level;
    const below = Math.max(between, floor);
    const at = slot * WIDTH;
    drawLine(lines, at, pulls[order[slot]], below + slack, above - slack, a, a + rise * rounds, rounds, lie);
    lines[at + SUM] = total[order[slot]];
    lines[at + MEAN] = problem.means[order[slot]];
    if (!inside(lines, at, 4 * game.scale)) return 0; // a few reports would cross it
    above = below;
  }
  return rounds;
}

// An index stays between two levels while a(t) stays between `low` and `high`.
function drawLine(lines, at, n, below, above, low, high, rounds, lie) {
  const scale = 1 - 2 * lie;
  const start = Math.sqrt(n);
  const chord = 1 / (Math.sqrt(n + rounds) + start);
  const tangent = 0.5 / start;
  lines[at + COUNT] = n;
  lines[at + LOW] = scale * (below - low * chord) + lie;
  lines[at + LOW_0] = -scale * low * (start - n * chord);
  lines[at + HIGH] = scale * (above - high * tangent) + lie;
  lines[at + HIGH_0] = -scale * high * (start - n * tangent);
}

// Whether a sum is farther than so much from both of its lines.
function inside(lines, at, distance) {
  const n = lines[at + COUNT];
  const sum = lines[at + SUM];
  return sum - lines[at + LOW] * n - lines[at + LOW_0] > distance && lines[at + HIGH] * n + lines[at + HIGH_0] - sum > distance;
}
