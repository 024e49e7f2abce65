// Seeded random streams. A stream answers random(), uniform on [0, 1), and standardNormal().

const BLOCK = 1024;

// Blackman and Vigna (2018), xoshiro128**; two steps make the 53 bits of a number. A block is made at a time, which keeps
// the state in registers.
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
    let high = 0;
    for (let step = 0; step < 2 * BLOCK; step++) {
      const x = Math.imul(s1, 5);
      const drawn = Math.imul((x << 7) | (x >>> 25), 9);
      const shifted = s1 << 9;
      s2 ^= s0;
      s3 ^= s1;
      s1 ^= s2;
      s0 ^= s3;
      s2 ^= shifted;
      s3 = (s3 << 11) | (s3 >>> 21);
      if (step & 1) block[step >> 1] = (high * 67108864 + (drawn >>> 6)) / 9007199254740992;
      else high = drawn >>> 5;
    }
    state[0] = s0;
    state[1] = s1;
    state[2] = s2;
    state[3] = s3;
    this.used = 0;
  }

  // Marsaglia and Tsang's ziggurat in Doornik's form (2005): few numbers need more than one draw.
  standardNormal() {
    for (;;) {
      const both = 128 * this.random();
      const layer = Math.floor(both);
      const u = 2 * (both - layer) - 1;
      if (Math.abs(u) < zigguratRatio[layer]) return u * zigguratEdge[layer];
      if (layer === 0) return this.normalTail(u < 0);
      const x = u * zigguratEdge[layer];
      const high = Math.exp(-0.5 * (zigguratEdge[layer] ** 2 - x * x));
      const low = Math.exp(-0.5 * (zigguratEdge[layer + 1] ** 2 - x * x));
      if (low + this.random() * (high - low) < 1) return x;
    }
  }

  normalTail(negative) {
    for (;;) {
      const x = Math.log(1 - this.random()) / ZIGGURAT_TAIL;
      const y = Math.log(1 - this.random());
      if (-2 * y >= x * x) return negative ? x - ZIGGURAT_TAIL : ZIGGURAT_TAIL - x;
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

  // How many of n tries succeed: gap by gap where few do; of many, a normal number with the law's skewness, whose
  // distribution function is off by less than 1/(n p (1 - p)).
  binomial(n, p) {
    if (p > 0.5) return n - this.binomial(n, 1 - p);
    const variance = n * p * (1 - p);
    if (variance > 10000) {
      const z = this.standardNormal();
      return Math.round(n * p + Math.sqrt(variance) * z + ((1 - 2 * p) * (z * z - 1)) / 6);
    }
    const unlikely = Math.log1p(-p);
    let successes = -1;
    for (let tries = 0; tries <= n; tries += 1 + Math.floor(Math.log(1 - this.random()) / unlikely)) successes++;
    return successes;
  }
}

const ZIGGURAT_TAIL = 3.442619855899;
const ZIGGURAT_AREA = 9.91256303526217e-3; // of each of the 128 layers
const zigguratEdge = new Float64Array(129);
const zigguratRatio = new Float64Array(128);
{
  let f = Math.exp(-0.5 * ZIGGURAT_TAIL * ZIGGURAT_TAIL);
  zigguratEdge[0] = ZIGGURAT_AREA / f;
  zigguratEdge[1] = ZIGGURAT_TAIL;
  for (let layer = 2; layer < 128; layer++) {
    zigguratEdge[layer] = Math.sqrt(-2 * Math.log(ZIGGURAT_AREA / zigguratEdge[layer - 1] + f));
    f = Math.exp(-0.5 * zigguratEdge[layer] * zigguratEdge[layer]);
  }
  for (let layer = 0; layer < 128; layer++) zigguratRatio[layer] = zigguratEdge[layer + 1] / zigguratEdge[layer];
}

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

// One uniform by the inverse distribution function; a scale of 0 draws nothing, as everywhere here.
export function laplace(stream, scale) {
  if (scale === 0) return 0;
  let u = stream.random();
  while (u === 0) u = stream.random();
  return u < 0.5 ? scale * Math.log(u + u) : -scale * Math.log(2 - u - u);
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
