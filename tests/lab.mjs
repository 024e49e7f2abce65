// Answers what the tests ask of the laboratory's modules: a list of [function, ...arguments] in JSON.
import { readFileSync } from "node:fs";
import * as sums from "../book/_lab/sums.js";
import * as normal from "../book/_lab/normal.js";
import * as random from "../book/_lab/random.js";
import { overtakes } from "../book/_lab/explorer.js";
import { Summary } from "../book/_lab/statistics.js";
import { settings } from "../book/_lab/settings.js";
import { theorems } from "../book/_lab/theorems.js";

// A stream that gives recorded draws in their order.
class Tape {
  constructor(draws) {
    this.left = Object.fromEntries(Object.entries(draws).map(([kind, drawn]) => [kind, drawn.values()]));
  }

  take(kind) {
    const { value, done } = this.left[kind].next();
    if (done) throw new Error(`the tape has no ${kind} left`);
    return value;
  }

  random = () => this.take("random");
  standardNormal = () => this.take("standard_normal");
  standardLaplace = () => {
    const u = this.random(); // as the library has it, by the inverse distribution function
    return u < 0.5 ? Math.log(u + u) : -Math.log(2 - u - u);
  };
  binomial = () => this.take("binomial");
  gamma = () => this.take("standard_gamma");
}

const algorithm = (chapter, id) => settings[chapter].algorithms.find((one) => one.id === id);

const answers = {
  offered: (chapter, values) =>
    settings[chapter].algorithms.map(({ make, ...facts }) => ({ ...facts, ...make(values) })),
  defaults: (chapter) => Object.fromEntries(settings[chapter].parameters.map(({ name, value }) => [name, value])),
  check: (chapter, values) => settings[chapter].check(values),
  command: (chapter, values) => settings[chapter].command(values, []),
  traced: (chapter, id, values, tapes, changed) => {
    const [env, choice, noise] = tapes.map((draws) => new Tape(draws));
    const trace = values.horizon <= 10000 ? [] : null;
    const checkpoints = settings[chapter].checkpoints(values);
    const record = { ...algorithm(chapter, id).make(values).record, ...changed };
    const regret = settings[chapter].run(record, values, { env, choice, noise }, checkpoints, () => {}, trace);
    return { trace, regret: [...regret], checkpoints: [...checkpoints] };
  },
  played: (chapter, id, values) => {
    const checkpoints = settings[chapter].checkpoints(values);
    const { record } = algorithm(chapter, id).make(values);
    return Array.from({ length: values.replications }, (_, replication) =>
      [...settings[chapter].play(record, values, values.seed, replication, checkpoints, () => {})],
    );
  },
  bounds: (chapter, values, rounds) =>
    settings[chapter].bounds(values).map(({ at, ...facts }) => ({ ...facts, at: rounds.map(at) })),
  uniform: (chapter, values, t) => settings[chapter].uniform(values, t),
  drawn: (name, seed, size, ...rest) => {
    const { noise } = random.streams(seed, 0);
    const draw = name in noise ? () => noise[name](...rest) : () => random[name](noise, ...rest);
    return Array.from({ length: size }, draw);
  },
  counted: (name, seed, size, width, cells) => {
    const { noise } = random.streams(seed, 0);
    const counts = Array(cells + 1).fill(0);
    for (let i = 0; i < size; i++) counts[Math.min(Math.floor(Math.abs(noise[name]()) / width), cells)]++;
    return counts;
  },
  streams: (seed, replication, size) =>
    Object.values(random.streams(seed, replication)).map((stream) => Array.from({ length: size }, () => stream.random())),
  summed: (name, draws, ...rest) => sums[name](new Tape(draws), ...rest),
  theorems: (values, epsilon) =>
    Object.fromEntries(
      theorems.flatMap(({ paper, uniform, bounds }) => [
        [paper, uniform(values)],
        ...bounds.flatMap(({ id, total, rest }) => [
          [`${paper}/${id}`, total(values, epsilon)],
          [`${paper}/${id}/rest`, rest(values)],
        ]),
      ]),
    ),
  overtakes: (paper, id, values) => {
    const { total, rest } = theorems.find((one) => one.paper === paper).bounds.find((one) => one.id === id);
    const epsilon = overtakes(total, rest, values);
    return [epsilon, total(values, epsilon), rest(values)];
  },
  summary: (runs) => {
    const summary = new Summary([1]);
    for (const regret of runs) summary.add([regret]);
    return [summary.mean[0], summary.half(0)];
  },
  swept: (chapter, values) => settings[chapter].sweep.values.map((value) => settings[chapter].sweep.at(values, value)),
  normal: (name, ...rest) => normal[name](...rest),
};

const asked = JSON.parse(readFileSync(0, "utf8"), (_, value) => (value === "Infinity" ? Infinity : value));
const given = asked.map(([name, ...rest]) => answers[name](...rest));
process.stdout.write(JSON.stringify(given, (_, value) => (value === Infinity ? "Infinity" : value)));
