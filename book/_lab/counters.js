// Continual counters of Chan, Shi and Song (2011): a row holds the noise of the d largest nodes in use at place d.
import { laplace } from "./random.js";

export const COUNTER_ROW = 64;

// Algorithm 4, the hybrid mechanism: the noise of its release after item n, one draw. `row` starts at `at`.
export function hybridNoise(stream, n, scale, row, at) {
  if (scale === 0) return 0;
  const place = bitCount(n);
  let above = place - 1;
  let nodeScale = 2 * (row[at] - 1) * scale;
  if (place === 1) {
    row[at] += 1; // place 0 counts the powers of two, place 1 holds the logarithmic part
    above = 1;
    nodeScale = 2 * scale;
  }
  return (row[at + place] = row[at + above] + laplace(stream, nodeScale));
}

// Algorithm 2, the binary mechanism, over rounds: the noise of arm `item`'s release in round t. The nodes that it shares
// with the arm's last release keep their noise; a new one is drawn, the largest first.
export function treeNoise(stream, t, releasedAt, item, nodeScale, rows) {
  const at = item * COUNTER_ROW;
  let bit = 31 - Math.clz32(t ^ releasedAt[item]);
  let place = bitCount(t >>> (bit + 1));
  for (; bit >= 0; bit--) {
    if ((t >>> bit) & 1) {
      rows[at + place + 1] = rows[at + place] + laplace(stream, nodeScale);
      place++;
    }
  }
  releasedAt[item] = t;
  return rows[at + place];
}

export function bitCount(n) {
  let v = n - ((n >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
