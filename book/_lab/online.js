// Algorithm 2 of Zheng et al. (2020) around gradient descent on two points: a user's loss is suffered at y + rho u and
// y - rho u, u on the unit sphere; only the noisy difference of the two is sent; y moves against it along u.
import { laplace, gaussian } from "./random.js";
import { inPieces } from "./rounds.js";

export function onlineRecord(constants) {
  return { kernel: "online", ...constants }; // noise "gaussian" on the gradient or "laplace" on the difference
}

export function playOnline(problem, record, { choice, noise }, checkpoints, report, trace) {
  const { anchors, schedule, loss, lowest, radius: size } = problem;
  const { radius, shrink, step, power, scale } = record;
  const d = anchors[0].length;
  const y = new Float64Array(d);
  const u = new Float64Array(d);
  const first = new Float64Array(d);
  const second = new Float64Array(d);
  const counts = new Float64Array(anchors.length); // how often each loss came
  let suffered = 0;

  return inPieces(checkpoints, report, (from, until) => {
    for (let t = from; t <= until; t++) {
      onSphere(choice, u);
      for (let i = 0; i < d; i++) {
        first[i] = y[i] + radius * u[i];
        second[i] = y[i] - radius * u[i];
      }
      const which = schedule[(t - 1) % schedule.length];
      const here = loss(first, anchors[which]);
      const there = loss(second, anchors[which]);
      let message = here - there;
      if (record.noise === "laplace") message += laplace(noise, scale);
      else for (let i = 0; i < d; i++) message += gaussian(noise, scale) * (first[i] - second[i]);
      const move = step * t ** -power * ((d / (2 * radius)) * message);
      for (let i = 0; i < d; i++) y[i] -= move * u[i];
      intoBall(y, (1 - shrink) * size);
      counts[which] += 1;
      suffered += (here + there) / 2;
      if (trace) trace.push([...first, ...second, message]);
    }
    return suffered - lowest(counts);
  });
}

function onSphere(stream, u) {
  let norm = 0;
  for (let i = 0; i < u.length; i++) {
    u[i] = stream.standardNormal();
    norm += u[i] * u[i];
  }
  const root = Math.sqrt(norm);
  for (let i = 0; i < u.length; i++) u[i] /= root;
}

function intoBall(x, radius) {
  let norm = 0;
  for (let i = 0; i < x.length; i++) norm += x[i] * x[i];
  norm = Math.sqrt(norm);
  if (norm > radius) for (let i = 0; i < x.length; i++) x[i] *= radius / norm;
}
