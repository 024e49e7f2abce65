// Seeded random streams. A stream answers random(), uniform on [0, 1), and standardNormal() and
// standardLaplace().

const BLOCK = 1024;

// Blackman and Vigna (2018), xoshiro128**; two steps, written twice, make the 53 bits of a number. A block is made at a
// time, which keeps the state in registers.
export class Xoshiro {
  constructor(seed) {
    this.state = new Int32Array(4);
    this.block = new Float64Array(BLOCK);
    this.used = BLOCK;
    for (let word = 0; word < 4; word += 2) {
      const bits = splitMix(seed + BigInt(word));
      this.state[word] = Number(BigInt.asIntN(32, bits));
      this.state[word + 1] = Number(BigInt.asIntN(32, bits >> 32n));
    }
  }

  random() {
    if (this.used === BLOCK) this.refill();
    return this.block[this.used++];
  }

  refill() {
    const { state, block } = this;
    let s0 = state[0];
    let s1 = state[1];
    let s2 = state[2];
    let s3 = state[3];
    for (let place = 0; place < BLOCK; place++) {
      let x = Math.imul(s1, 5);
      const high = Math.imul((x << 7) | (x >>> 25), 9);
      let shifted = s1 << 9;
      s2 ^= s0;
      s3 ^= s1;
      s1 ^= s2;
      s0 ^= s3;
      s2 ^= shifted;
      s3 = (s3 << 11) | (s3 >>> 21);
      x = Math.imul(s1, 5);
      const low = Math.imul((x << 7) | (x >>> 25), 9);
      shifted = s1 << 9;
      s2 ^= s0;
      s3 ^= s1;
      s1 ^= s2;
      s0 ^= s3;
      s2 ^= shifted;
      s3 = (s3 << 11) | (s3 >>> 21);
      block[place] = ((high >>> 5) * 67108864 + (low >>> 6)) * 1.1102230246251565e-16; // 2^-53
    }
    state[0] = s0;
    state[1] = s1;
    state[2] = s2;
    state[3] = s3;
    this.used = 0;
  }

  standardNormal() {
    const { edge, ratio } = NORMAL_LAYERS;
    for (;;) {
      const both = 128 * this.random();
      const layer = Math.floor(both);
      const u = 2 * (both - layer) - 1;
      const x = u * edge[layer];
      if (Math.abs(u) < ratio[layer]) return x;
      if (layer === 0) return this.normalTail(u < 0);
      if (this.underCurve(NORMAL_LAYERS, layer, Math.exp(-0.5 * x * x))) return x;
    }
  }

  standardLaplace() {
    const { edge, ratio } = LAPLACE_LAYERS;
    for (;;) {
      const both = 256 * this.random();
      const layer = Math.floor(both);
      const u = 2 * (both - layer) - 1;
      const x = u * edge[layer];
      if (Math.abs(u) < ratio[layer]) return x;
      if (layer === 0) return Math.sign(u) * (edge[1] - Math.log(1 - this.random())); // the law forgets where it is
      if (this.underCurve(LAPLACE_LAYERS, layer, Math.exp(-Math.abs(x)))) return x;
    }
  }

  underCurve({ height }, layer, density) {
    return height[layer] + this.random() * (height[layer + 1] - height[layer]) < density;
  }

  normalTail(negative) {
    const last = NORMAL_LAYERS.edge[1];
    for (;;) {
      const x = Math.log(1 - this.random()) / last;
      const y = Math.log(1 - this.random());
      if (-2 * y >= x * x) return negative ? x - last : last - x;
    }
  }

  // Marsaglia and Tsang (2000), for a shape >= 1; log1p keeps the digits of a large one.
  gamma(shape) {
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = this.standardNormal();
      const y = c * x;
      const moved = y * (3 + y * (3 + y)); // (1 + y)^3 - 1
      const u = 1 - this.random();
      if (y > -1 && Math.log(u) < 0.5 * x * x + d * (Math.log1p(moved) - moved)) return d + d * moved;
    }
  }

  // How many of n tries succeed: gap by gap where few do; of many, a rounded normal number, whose distribution function is
  // off by less than 0.001.
  binomial(n, p) {
    if (p > 0.5) return n - this.binomial(n, 1 - p);
    const variance = n * p * (1 - p);
    if (variance > 10000) return Math.round(n * p + Math.sqrt(variance) * this.standardNormal());
    const unlikely = Math.log1p(-p);
    let successes = -1;
    for (let tries = 0; tries <= n; tries += 1 + Math.floor(Math.log(1 - this.random()) / unlikely)) successes++;
    return successes;
  }
}

// Marsaglia and Tsang's ziggurat (2000), both sides at once as in Doornik (2005): layers of one area under a density, of
// which all but the narrow ends need one draw.
function layersOf(count, last, area, density, inverse) {
  const edge = new Float64Array(count + 1);
  edge[0] = area / density(last);
  edge[1] = last;
  for (let layer = 2; layer < count; layer++) {
    edge[layer] = inverse(area / edge[layer - 1] + density(edge[layer - 1]));
  }
  return { edge, height: edge.map(density), ratio: edge.slice(0, count).map((x, layer) => edge[layer + 1] / x) };
}

const NORMAL_LAYERS = layersOf(
  128, 3.442619855899, 9.91256303526217e-3, (x) => Math.exp(-0.5 * x * x), (y) => Math.sqrt(-2 * Math.log(y)),
);
const LAPLACE_LAYERS = layersOf(
  256, 7.69711747013104972, 3.949659822581572e-3, (x) => Math.exp(-x), (y) => -Math.log(y),
);

// Steele, Lea and Flood (2014): the number of a place in SplitMix's sequence.
function splitMix(place) {
  let z = BigInt.asUintN(64, (place + 1n) * 0x9e3779b97f4a7c15n);
  z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

// The three streams of a replication, which do not depend on how many are played.
export function streams(seed, replication) {
  const root = splitMix(splitMix(BigInt(seed)) + BigInt(replication));
  const stream = (number) => new Xoshiro(splitMix(root + number));
  return { env: stream(1n), choice: stream(2n), noise: stream(3n) };
}

// A scale of 0 draws nothing, as everywhere here.
export function laplace(stream, scale) {
  return scale === 0 ? 0 : scale * stream.standardLaplace();
}

export function gaussian(stream, sigma) {
  return sigma === 0 ? 0 : sigma * stream.standardNormal();
}

// Randomised response from one uniform: the truth, or any of the values with probability `lie` each.
export function respond(stream, truth, values, lie) {
  if (lie === 0) return truth;
  const u = stream.random();
  return u >= values * lie ? truth : Math.min(Math.floor(u / lie), values - 1);
}
