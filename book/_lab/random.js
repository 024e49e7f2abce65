// Seeded random streams. A stream answers random(), uniform on [0, 1), and standardNormal().

// Blackman and Vigna (2018), xoshiro128**; two steps make the 53 bits of a number.
export class Xoshiro {
  constructor(seed) {
    this.state = new Int32Array(4);
    let mixed = BigInt.asUintN(64, seed);
    for (let word = 0; word < 4; word += 2) {
      mixed = BigInt.asUintN(64, mixed + 0x9e3779b97f4a7c15n);
      const bits = splitMix(mixed);
      this.state[word] = Number(BigInt.asIntN(32, bits));
      this.state[word + 1] = Number(BigInt.asIntN(32, bits >> 32n));
    }
  }

  next() {
    const s = this.state;
    const s1 = s[1];
    const x = Math.imul(s1, 5);
    const answer = Math.imul((x << 7) | (x >>> 25), 9);
    const s2 = s[2] ^ s[0];
    const s3 = s[3] ^ s1;
    s[1] = s1 ^ s2;
    s[0] ^= s3;
    s[2] = s2 ^ (s1 << 9);
    s[3] = (s3 << 11) | (s3 >>> 21);
    return answer;
  }

  random() {
    return ((this.next() >>> 5) * 67108864 + (this.next() >>> 6)) / 9007199254740992;
  }

  // Marsaglia and Tsang's ziggurat in Doornik's form (2005): one number in fifty needs more than one draw.
  standardNormal() {
    for (;;) {
      const u = 2 * this.random() - 1;
      const layer = this.next() & 127;
      if (Math.abs(u) < zigguratRatio[layer]) return u * zigguratEdge[layer];
      if (layer === 0) return this.normalTail(u < 0);
      const x = u * zigguratEdge[layer];
      const above = Math.exp(-0.5 * (zigguratEdge[layer] * zigguratEdge[layer] - x * x));
      const below = Math.exp(-0.5 * (zigguratEdge[layer + 1] * zigguratEdge[layer + 1] - x * x));
      if (below + this.random() * (above - below) < 1) return x;
    }
  }

  normalTail(negative) {
    for (;;) {
      const x = Math.log(1 - this.random()) / ZIGGURAT_TAIL;
      const y = Math.log(1 - this.random());
      if (-2 * y >= x * x) return negative ? x - ZIGGURAT_TAIL : ZIGGURAT_TAIL - x;
    }
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

function splitMix(state) {
  let z = state;
  z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

// The three streams of a replication, which do not depend on how many are played.
export function streams(seed, replication) {
  const root = splitMix(BigInt.asUintN(64, splitMix(BigInt(seed) + 1n) + BigInt(replication) + 1n));
  const stream = (number) => new Xoshiro(splitMix(BigInt.asUintN(64, root + BigInt(number))));
  return { env: stream(1), choice: stream(2), noise: stream(3) };
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
