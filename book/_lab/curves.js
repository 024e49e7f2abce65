// What the plot of an experiment draws: curves with bands, bounds where they say something, and what learns nothing.

const START = 100; // the first round shown, or a tenth of the horizon

export function curves(laboratory, values, checkpoints, found, scales) {
  const start = Math.min(START, values.horizon / 10);
  const from = Math.max(0, checkpoints.findLastIndex((t) => t <= start)); // the last before, so that a line begins at the axis
  const t = checkpoints.slice(from);
  const line = (name, look, value) => ({ label: name, look, t, value });
  const lines = found.map(({ name, look, mark, summary }) => ({
    ...line(name, look, t.map((_, i) => summary.mean[i + from])), mark, half: t.map((_, i) => summary.half(i + from)),
  }));
  const uniform = line(laboratory.idle ?? "uniform play", "lab-uniform lab-trust-none", t.map((at) => laboratory.uniform(values, at)));
  const played = new Map(found.map((one) => [one.id, one]));
  const bounds = laboratory.bounds(values).filter(({ of }) => !of || played.has(of))
    .map(({ of, label, at }) => bound(line(label, "lab-bound", t.map((round, i) => informative(at(round), uniform.value[i]))), played.get(of)))
    .filter(({ value }) => value.some((one) => one !== null));
  const x = { low: scales.x === "log" ? Math.max(start, 1) : 0, high: Math.max(values.horizon, 2), log: scales.x === "log", label: "round t" };
  return { lines: [uniform, ...bounds, ...lines], x, y: { ...window(lines, uniform, scales.y === "log"), label: "regret" } };
}

/** A bound in the hue of its algorithm, and with its mark. */
function bound(line, of) {
  return of ? { ...line, look: `lab-bound ${of.look}`, mark: of.mark } : line;
}

/** Regret at the horizon against the parameter that is swept. */
export function sweepCurves(laboratory, points, found, scales) {
  const t = points.map(({ at }) => at);
  const uniform = { label: laboratory.idle ?? "uniform play", look: "lab-uniform lab-trust-none", t, value: points.map(({ values }) => laboratory.uniform(values, values.horizon)) };
  const lines = found.map(({ name, look, mark, summaries }) => ({
    label: name, look, mark: mark || 1, t, value: summaries.map(({ mean }) => mean.at(-1)), half: summaries.map((one) => one.half(one.mean.length - 1)),
  }));
  const log = scales.x === "log";
  const x = { low: log ? t[0] : 0, high: Math.max(t.at(-1), 2 * t[0]), log, label: laboratory.sweep.label, ticks: t };
  return { lines: [uniform, ...lines], x, y: { ...window(lines, uniform, scales.y === "log"), label: "regret" } };
}

function informative(bound, uniform) {
  return bound === null || !(bound < uniform) ? null : bound;
}

/** The ends of the regret axis: uniform play is held on a logarithmic one, and where nothing else is drawn. */
function window(lines, uniform, log) {
  const tops = lines.flatMap(({ value, half }) => value.map((mean, i) => mean + half[i]));
  const held = log || !tops.length ? [...tops, ...uniform.value] : tops;
  const high = Math.max(...held, 1e-9);
  if (!log) return { low: Math.min(0, ...lines.flatMap(({ value }) => value)), high: high * 1.05, log };
  const positive = [...lines, uniform].flatMap(({ value }) => value).filter((value) => value > 0);
  return { low: Math.min(...positive, high / 10) / 1.3, high: high * 1.3, log };
}
