// A run in pieces: the regret at the checkpoints, and word of progress.

const PIECE = 65536; // rounds between two words

// `play(first, last)` plays these rounds and returns the regret so far.
export function inPieces(checkpoints, report, play) {
  const regret = new Float64Array(checkpoints.length);
  let t = 1;
  for (let mark = 0; mark < checkpoints.length; mark++) {
    while (t <= checkpoints[mark]) {
      const last = Math.min(checkpoints[mark], t + PIECE - 1);
      regret[mark] = play(t, last);
      t = last + 1;
      report(last);
    }
  }
  return regret;
}

// `round(t)` plays a round and returns what it gives up.
export function roundByRound(checkpoints, report, round) {
  let total = 0;
  return inPieces(checkpoints, report, (first, last) => {
    for (let t = first; t <= last; t++) total += round(t);
    return total;
  });
}
