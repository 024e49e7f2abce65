// What a policy promises and what it pays: nominal, by its noise on values alone, by everything released.

export const withoutPrivacy = {
  promised: { epsilon: Infinity, delta: 0 },
  values: { epsilon: Infinity, delta: 0 },
  paid: { epsilon: Infinity, delta: 0, reason: "no noise" },
};

// Of a policy that releases nothing but noisy values.
export function certified(epsilon, delta, paid, reason) {
  return {
    promised: { epsilon, delta },
    values: { epsilon: paid, delta },
    paid: { epsilon: paid, delta, reason },
  };
}

// Of a policy that releases something exact beside its noisy values.
export function leaking(epsilon, delta, valueEpsilon, valueDelta, reason) {
  return {
    promised: { epsilon, delta },
    values: { epsilon: valueEpsilon, delta: valueDelta },
    paid: { epsilon: Infinity, delta: 0, reason },
  };
}

/** Whether a policy that promises something has no larger privacy loss. */
export function keepsPromise({ promised, paid }) {
  return promised.epsilon < Infinity && paid.epsilon <= promised.epsilon * (1 + 1e-9) && paid.delta <= promised.delta + 1e-15;
}
