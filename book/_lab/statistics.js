// Means of runs with their 95 % intervals, as they arrive.

/** The running mean of runs at each checkpoint (Welford). */
export class Summary {
  constructor(checkpoints) {
    this.checkpoints = checkpoints;
    this.runs = 0;
    this.mean = new Float64Array(checkpoints.length);
    this.squares = new Float64Array(checkpoints.length);
  }

  add(regret) {
    this.runs += 1;
    for (let i = 0; i < this.mean.length; i++) {
      const step = regret[i] - this.mean[i];
      this.mean[i] += step / this.runs;
      this.squares[i] += step * (regret[i] - this.mean[i]);
    }
  }

  /** The standard error of the mean; 0 before the second run. */
  error(i) {
    return this.runs > 1 ? Math.sqrt(this.squares[i] / (this.runs - 1) / this.runs) : 0;
  }

  /** Half the 95 % interval. */
  half(i) {
    return this.runs > 1 ? studentQuantile(this.runs - 1) * this.error(i) : 0;
  }
}

const FIRST = [12.706204736, 4.30265273, 3.182446305, 2.776445105];

/** The 0.975 quantile of Student's t: exact up to four degrees of freedom, then Fisher's expansion, within 0.0005. */
export function studentQuantile(freedom) {
  if (freedom <= FIRST.length) return FIRST[freedom - 1];
  const z = 1.959963985, n = freedom;
  return z + (z ** 3 + z) / (4 * n) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * n ** 2)
    + (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * n ** 3)
    + (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / (92160 * n ** 4);
}
