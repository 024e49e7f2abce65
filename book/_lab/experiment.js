// A panel that runs the algorithms of a chapter.
import { Choices } from "./choices.js";
import { Least } from "./least.js";
import { curves, sweepCurves } from "./curves.js";
import { element } from "./elements.js";
import { Panel } from "./panel.js";
import { Pool } from "./pool.js";
import { Summary } from "./statistics.js";
import { count, duration, readable } from "./words.js";

const pool = new Pool();
const TRIAL = 1e5; // rounds
let speed = 1.5e6; // rounds a second of one worker, until a trial or a run has told
let tried = false;

export class Experiment extends Panel {
  /** `more` is shown above the algorithms: an element, and what it shows at the values. */
  constructor(host, name, laboratory, more = null) {
    super(host, name, laboratory.parameters);
    Object.assign(this, { laboratory, more, results: new Map(), scales: { x: "log", y: "log" }, swept: false });
    this.choices = new Choices(laboratory, `lab-${name}`, () => this.switched());
    this.least = new Least();
    this.boxes = { x: this.scale("x", "log rounds"), y: this.scale("y", "log regret") };
    this.tools.prepend(...Object.values(this.boxes));
    if (laboratory.sweep) this.tools.prepend(this.sweeps());
    host.append(this.choices.element);
    if (more) this.fields.element.after(more.element);
    this.picture.after(this.least.element);
    this.choices.choose(first(laboratory));
    this.begin();
    for (const event of ["pointerenter", "focusin"]) host.addEventListener(event, () => this.trial(), { once: true });
  }

  /** Learn how fast this machine is, once the reader comes near: by the second of two short runs. */
  async trial() {
    const given = this.read();
    const [one] = this.choices.chosen;
    if (tried || !given || given.horizon < TRIAL || !one || this.state === "running") return; // a shorter run tells nothing
    tried = true;
    const values = { ...given, horizon: TRIAL, replications: 1 };
    const checkpoints = [values.horizon];
    const tasks = [0, 1].map((replication) => ({ setting: this.name, algorithm: one.id, values, replication, checkpoints }));
    const ends = [];
    await new Pool(1).play(tasks, { progress: () => {}, done: () => ends.push(performance.now()) });
    speed = (1000 * this.laboratory.work(values, 1, [one])) / Math.max(ends[1] - ends[0], 0.1);
    if (this.state !== "running") this.refresh(this.read());
  }

  scale(axis, words) {
    const changed = (event) => {
      this.scales[axis] = event.target.checked ? "log" : "linear";
      this.show();
      this.keep();
    };
    return element("label", { class: "lab-scale" }, element("input", { type: "checkbox", checked: true, onchange: changed }), ` ${words}`);
  }

  /** A switch from curves over rounds to regret against a parameter. */
  sweeps() {
    const changed = (event) => {
      this.swept = event.target.checked;
      this.results = new Map();
      this.moved();
    };
    this.sweepBox = element("input", { type: "checkbox", onchange: changed });
    return element("label", { class: "lab-scale" }, this.sweepBox, ` against ${this.laboratory.sweep.label}`);
  }

  /** The values that a run is played at: one, or one for each step of the sweep. */
  points(values) {
    if (!this.swept) return [{ values }];
    const { sweep } = this.laboratory;
    return sweep.values.map((at) => ({ at, values: sweep.at(values, at) })).filter((point) => !this.laboratory.check(point.values));
  }

  /** Algorithms were switched on or off: what has no curve yet is played. */
  switched() {
    this.renew();
    this.keep();
    if (this.choices.chosen.some(({ id }) => !this.results.get(id)?.at(-1)?.runs)) this.rested();
  }

  check(values) {
    return this.laboratory.check(values);
  }

  unready() {
    return this.choices.chosen.length ? "" : "An algorithm must be chosen, got none";
  }

  refresh(values) {
    this.choices.price(values);
    this.more?.show(values);
    const { chosen } = this.choices;
    if (!values || !chosen.length) {
      this.work.textContent = "";
      return;
    }
    const points = this.points(values).length;
    const plays = points * values.replications * chosen.length;
    const times = points > 1 ? ` × ${count(points, "value")}` : "";
    this.work.textContent = `${count(values.replications, "run")} × ${count(chosen.length, "algorithm")}${times} × ${readable(values.horizon)} rounds = `
      + `${millions(plays * values.horizon)}: ${duration(this.seconds(values))} on ${count(this.workers(plays), "worker")}`;
  }

  seconds(values) {
    const { chosen } = this.choices;
    return this.effort(values, chosen) / speed / this.workers(this.points(values).length * values.replications * chosen.length);
  }

  /** Rounds that are played one by one. */
  effort(values, chosen) {
    return this.laboratory.work(values, chosen.length, chosen) * this.points(values).length;
  }

  workers(tasks) {
    return Math.min(pool.size, tasks);
  }

  async play(values) {
    const chosen = this.choices.chosen;
    this.played = this.points(values);
    this.checkpoints = this.swept ? [values.horizon] : [...this.laboratory.checkpoints(values)];
    this.results = new Map(chosen.map(({ id }) => [id, this.played.map(() => new Summary(this.checkpoints))]));
    const { name: setting, checkpoints } = this;
    const tasks = [];
    for (let replication = 0; replication < values.replications; replication++) {
      for (const [point, { values }] of this.played.entries()) {
        for (const { id } of chosen) tasks.push({ setting, algorithm: id, values, replication, checkpoints, point });
      }
    }
    const shares = new Map();
    let sum = 0;
    const advance = (task, share) => {
      sum += share - (shares.get(task) ?? 0);
      shares.set(task, share);
      this.advanced(sum / tasks.length);
    };
    const began = performance.now();
    const whole = await pool.play(tasks, {
      progress: (task, rounds) => advance(task, rounds / values.horizon),
      done: (task, regret) => {
        advance(task, 1);
        this.results.get(task.algorithm)[task.point].add(regret);
        this.soon();
      },
    });
    const effort = this.effort(values, chosen);
    if (whole && effort > 10 * TRIAL) speed = (1000 * effort) / (performance.now() - began) / this.workers(tasks.length);
    return whole;
  }

  abort() {
    pool.stop();
  }

  show() {
    const values = this.values ?? this.read();
    if (!values) return;
    for (const { id } of this.choices.algorithms) this.choices.tell(id, regret(this.results.get(id)?.at(-1)));
    const found = this.found();
    const { laboratory, scales } = this;
    this.least.show(this.swept ? [] : found, values);
    if (this.swept) return this.plot.draw(sweepCurves(laboratory, this.played ?? this.points(values), found, scales));
    const lines = found.map(({ summaries: [summary], ...look }) => ({ ...look, summary }));
    this.plot.draw(curves(laboratory, values, this.checkpoints ?? [...laboratory.checkpoints(values)], lines, scales));
  }

  /** The chosen algorithms that have been played, with their summaries. */
  found() {
    return this.choices.chosen.map((algorithm) => ({ ...algorithm, summaries: this.results.get(algorithm.id) ?? [] }))
      .filter(({ summaries }) => summaries.length && summaries.every(({ runs }) => runs));
  }

  inWords() {
    const found = this.found().map(({ name, summaries }) => `${name} ${summaries.map(regret).join(", ")}`);
    if (!found.length) return "No curve yet.";
    const steps = this.swept ? ` at ${this.laboratory.sweep.label} ${this.played.map(({ at }) => at).join(", ")}` : "";
    return `Regret after ${readable(this.values.horizon)} rounds${steps}, mean and 95 % interval: ${found.join("; ")}.`;
  }

  entries() {
    const { x, y } = this.scales;
    const algorithms = this.choices.chosen.map(({ id }) => id).join(" ");
    return { algorithms, ...(x !== "log" && { x }), ...(y !== "log" && { y }), ...(this.swept && { sweep: this.laboratory.sweep.parameter }) };
  }

  take(state) {
    if (state.has("algorithms")) this.choices.choose(state.get("algorithms").split(" "));
    if (this.sweepBox) this.swept = this.sweepBox.checked = state.has("sweep");
    for (const axis of ["x", "y"]) {
      this.scales[axis] = state.get(axis) === "linear" ? "linear" : "log";
      this.boxes[axis].querySelector("input").checked = this.scales[axis] === "log";
    }
  }

  command(values) {
    return this.laboratory.command(values, this.choices.chosen.map(({ id }) => id));
  }

  rows() {
    const { parameter } = this.swept ? this.laboratory.sweep : { parameter: null };
    const rows = this.choices.algorithms.flatMap(({ id, name, make }) => (this.results.get(id) ?? []).flatMap((summary, point) => {
      if (!summary.runs) return [];
      const { at, values } = this.played[point];
      const { promised } = make(values);
      return this.checkpoints.map((t, i) => [name, promised.epsilon, promised.delta, ...(parameter ? [at] : []),
        t, summary.mean[i], summary.error(i), summary.runs]);
    }));
    const heads = ["policy", "epsilon", "delta", ...(parameter ? [parameter] : []), "t", "regret", "regret_se", "replications"];
    return rows.length ? [heads, ...rows] : [];
  }
}

/** What is chosen before the reader chooses: what the setting names, or the first of each variant. */
function first({ algorithms, first: named }) {
  if (named) return named;
  const variants = [...new Set(algorithms.map(({ variant }) => variant))];
  return variants.map((variant) => algorithms.find((one) => one.variant === variant).id);
}

function millions(rounds) {
  return rounds < 1e6 || rounds >= 1e9 ? readable(rounds) : `${readable(rounds / 1e6)} million`;
}

function regret(summary) {
  if (!summary?.runs) return "";
  const last = summary.mean.length - 1;
  return `${readable(summary.mean[last])}${summary.runs > 1 ? ` ± ${readable(summary.half(last), 2)}` : ""}`;
}
