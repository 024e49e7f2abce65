// Where an increasing function is zero.

// Bisection from `low`, where it is at most 0, until no number lies between; `high` is doubled away until it is above 0.
export function root(increasing, low, high) {
  let below = low;
  let above = high;
  while (increasing(above) < 0) {
    const step = above - below;
    below = above;
    above += 2 * step;
  }
  for (;;) {
    const middle = below + (above - below) / 2;
    if (middle <= below || middle >= above) return middle;
    if (increasing(middle) < 0) below = middle;
    else above = middle;
  }
}
