// A stub until the kernels are here.
import { uniformNumbers } from "./random.js";

const FAMILIES = [["ucb", "CascadeUCB1", "none", "none", "none", 0], ["laplace-printed", "Algorithm 2 (Laplace)", "printed", "local", "laplace", 0.01],
  ["laplace", "Algorithm 2 (Laplace)", "stated", "local", "laplace", 1], ["first", "One bit", "repaired", "local", "response", 0.3]];

export const settings = {
  cascading: {
    title: "Cascading bandits",
    parameters: [
      { name: "epsilon", label: "privacy ε", kind: "number", min: 0.05, max: 20, value: 0.2, log: true, help: "of a user" },
      { name: "n_items", label: "items L", kind: "integer", min: 2, max: 100, value: 8, step: 1, help: "" },
      { name: "list_size", label: "list K", kind: "integer", min: 1, max: 20, value: 3, step: 1, help: "" },
      { name: "gap", label: "gap", kind: "number", min: 0.01, max: 0.5, value: 0.2, step: 0.01, help: "" },
      { name: "horizon", label: "rounds T", kind: "integer", min: 100, max: 1e8, value: 1e5, log: true, help: "" },
      { name: "replications", label: "runs", kind: "integer", min: 2, max: 100, value: 10, step: 1, help: "" },
      { name: "seed", label: "seed", kind: "integer", min: 0, max: 1e9, value: 2021, step: 1, help: "" },
    ],
    check: (values) => (values.list_size > values.n_items ? `list K must be at most the items L, ${values.n_items}, got ${values.list_size}` : null),
    algorithms: FAMILIES.map(([id, label, variant, trust, family, factor]) => ({
      id, label, variant, trust, family,
      make: (values) => ({ record: { factor }, promised: { epsilon: factor ? values.epsilon : Infinity, delta: 0 },
        paid: { epsilon: factor === 0.3 ? values.epsilon : Infinity, delta: 0, reason: factor ? "the number of reports is the click position" : "no noise" } }),
    })),
    checkpoints: (values) => [...new Set(Array.from({ length: 60 }, (_, i) => Math.round(values.horizon ** (i / 59))))],
    work: (values, n) => values.horizon * values.replications * n,
    play(record, values, seed, replication, checkpoints, report) {
      const draw = uniformNumbers(seed * 1000 + replication);
      const out = new Float64Array(checkpoints.length);
      let regret = 0;
      for (let t = 1, c = 0; t <= values.horizon; t++) {
        regret += draw() * values.gap * (record.factor * 0.3 / values.epsilon + 30 / (t + 30));
        if (t === checkpoints[c]) out[c++] = regret;
        if (t % 1e6 === 0) report(t);
      }
      return out;
    },
    bounds: (values) => [{ label: "Theorem 2", kind: "printed", at: (t) => Math.min(20 * Math.log(t + 1) / values.gap, 1e9) }],
    uniform: (values, t) => values.gap * t * 0.6,
    command: (values) => `private-bandits run cascading -p horizon=${values.horizon} -p epsilons=[${values.epsilon}]`,
  },
};
