// Answers what the tests ask of the laboratory's modules: a list of [function, ...arguments] in JSON.
import { readFileSync } from "node:fs";
import * as normal from "../book/_lab/normal.js";
import * as random from "../book/_lab/random.js";
import { settings } from "../book/_lab/settings.js";

// A stream that gives recorded draws in their order.
class Tape {
  constructor(uniforms, normals) {
    Object.assign(this, { uniforms, normals, used: 0, usedNormals: 0 });
  }

  random() {
    if (this.used === this.uniforms.length) throw new Error("the tape ends");
    return this.uniforms[this.used++];
  }

  standardNormal() {
    if (this.usedNormals === this.normals.length) throw new Error("the tape of normal numbers ends");
    return this.normals[this.usedNormals++];
  }
}

const algorithm = (chapter, id) => settings[chapter].algorithms.find((one) => one.id === id);

const answers = {
  offered: (chapter, values) =>
    settings[chapter].algorithms.map(({ make, ...facts }) => ({ ...facts, ...make(values) })),
  defaults: (chapter) => Object.fromEntries(settings[chapter].parameters.map(({ name, value }) => [name, value])),
  check: (chapter, values) => settings[chapter].check(values),
  command: (chapter, values) => settings[chapter].command(values, []),
  traced: (chapter, id, values, env, choice, noise, normals) => {
    const trace = [];
    const streams = { env: new Tape(env, []), choice: new Tape(choice, []), noise: new Tape(noise, normals) };
    const checkpoints = settings[chapter].checkpoints(values);
    const { record } = algorithm(chapter, id).make(values);
    const regret = settings[chapter].run(record, values, streams, checkpoints, () => {}, trace);
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
  normal: (name, ...rest) => normal[name](...rest),
};

const asked = JSON.parse(readFileSync(0, "utf8"), (_, value) => (value === "Infinity" ? Infinity : value));
const given = asked.map(([name, ...rest]) => answers[name](...rest));
process.stdout.write(JSON.stringify(given, (_, value) => (value === Infinity ? "Infinity" : value)));
