// Chernoff's bound for a sum of reports in [0, 1] and of Laplace noises: `few` of scale `small`, `many` of scale `large`.

export function chernoffExponent(rate, samples, few, small, many, large) {
  const noises = few * Math.log1p(-((rate * small) ** 2)) + many * Math.log1p(-((rate * large) ** 2));
  return 0.125 * samples * rate ** 2 - noises;
}

// The rate at which (logTail + exponent) / rate is least; the bound holds at any rate, however well this one is found.
export function chernoffRate(logTail, samples, few, small, many, large) {
  let low = 0;
  let high = 1 / Math.max(small, large, Math.sqrt((0.125 * samples) / logTail));
  for (let step = 0; step < 24; step++) {
    const rate = 0.5 * (low + high);
    const noises =
      (few * small ** 2) / (1 - (rate * small) ** 2) + (many * large ** 2) / (1 - (rate * large) ** 2);
    const slope = 0.25 * samples * rate + 2 * rate * noises;
    if (rate * slope - chernoffExponent(rate, samples, few, small, many, large) < logTail) low = rate;
    else high = rate;
  }
  return low;
}
