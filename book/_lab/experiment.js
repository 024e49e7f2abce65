// A panel that runs the algorithms of a chapter.
import { Choices } from "./choices.js";
import { curves } from "./curves.js";
import { element } from "./elements.js";
import { Panel } from "./panel.js";
import { Pool } from "./pool.js";
import { Summary } from "./statistics.js";
import { count, duration, readable } from "./words.js";

const pool = new Pool();
let speed = 1.5e6; // rounds a second of one worker, until a run has told

export class Experiment extends Panel {
  /** `more` is shown above the algorithms: an element, and what it shows at the values. */
  constructor(host, name, laboratory, more = null) {
    super(host, name, laboratory.parameters);
    Object.assign(this, { laboratory, more, results: new Map(), scales: { x: "log", y: "log" } });
    this.choices = new Choices(laboratory.algorithms, `lab-${name}`, () => this.switched());
    this.boxes = { x: this.scale("x", "log rounds"), y: this.scale("y", "log regret") };
    this.tools.prepend(...Object.values(this.boxes));
    host.append(this.choices.element);
    if (more) host.prepend(more.element);
    this.choices.choose(first(laboratory.algorithms));
    this.begin();
  }

  scale(axis, words) {
    const changed = (event) => {
      this.scales[axis] = event.target.checked ? "log" : "linear";
      this.show();
      this.keep();
    };
    return element("label", { class: "lab-scale" }, element("input", { type: "checkbox", checked: true, onchange: changed }), ` ${words}`);
  }

  switched() {
    this.renew();
    this.keep();
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
    const chosen = this.choices.chosen.length;
    if (!values || !chosen) {
      this.work.textContent = "";
      return;
    }
    const rounds = this.laboratory.work(values, chosen);
    const workers = this.workers(values.replications * chosen);
    this.work.textContent = `${count(values.replications, "run")} × ${count(chosen, "algorithm")} × ${readable(values.horizon)} rounds = `
      + `${millions(values.replications * chosen * values.horizon)}: ${duration(rounds / speed / workers)} on ${count(workers, "worker")}`;
  }

  workers(tasks) {
    return Math.min(pool.size, tasks);
  }

  async play(values) {
    const chosen = this.choices.chosen;
    const checkpoints = [...this.laboratory.checkpoints(values)];
    this.checkpoints = checkpoints;
    this.results = new Map(chosen.map(({ id }) => [id, new Summary(checkpoints)]));
    const tasks = [];
    for (let replication = 0; replication < values.replications; replication++) {
      for (const { id } of chosen) tasks.push({ setting: this.name, algorithm: id, values, replication, checkpoints });
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
        this.results.get(task.algorithm).add(regret);
        this.soon();
      },
    });
    const seconds = (performance.now() - began) / 1000;
    if (whole && seconds > 0.5) speed = this.laboratory.work(values, chosen.length) / seconds / this.workers(tasks.length);
    return whole;
  }

  abort() {
    pool.stop();
  }

  show() {
    const values = this.values ?? this.read();
    if (!values) return;
    for (const { id } of this.choices.algorithms) this.choices.tell(id, regret(this.results.get(id)));
    const checkpoints = this.checkpoints ?? [...this.laboratory.checkpoints(values)];
    this.plot.draw(curves(this.laboratory, values, checkpoints, this.found(), this.scales));
  }

  /** The chosen algorithms that have been played, with their summaries. */
  found() {
    return this.choices.chosen.map((algorithm) => ({ ...algorithm, summary: this.results.get(algorithm.id) })).filter(({ summary }) => summary?.runs);
  }

  inWords() {
    const found = this.found().map(({ name, summary }) => `${name} ${regret(summary)}`);
    if (!found.length) return "No curve yet: press run, and regret grows here.";
    return `Regret after ${readable(this.values.horizon)} rounds, mean and 95 % interval: ${found.join("; ")}.`;
  }

  entries() {
    const { x, y } = this.scales;
    const algorithms = this.choices.chosen.map(({ id }) => id).join(" ");
    return { algorithms, ...(x !== "log" && { x }), ...(y !== "log" && { y }) };
  }

  take(state) {
    if (state.has("algorithms")) this.choices.choose(state.get("algorithms").split(" "));
    for (const axis of ["x", "y"]) {
      this.scales[axis] = state.get(axis) === "linear" ? "linear" : "log";
      this.boxes[axis].querySelector("input").checked = this.scales[axis] === "log";
    }
  }

  command(values) {
    return this.laboratory.command(values, this.choices.chosen.map(({ id }) => id));
  }

  rows() {
    const rows = this.choices.algorithms.flatMap(({ id, name, make }) => {
      const summary = this.results.get(id);
      if (!summary?.runs) return [];
      const { promised } = make(this.values);
      return this.checkpoints.map((t, i) => [name, promised.epsilon, promised.delta, t, summary.mean[i], summary.error(i), summary.runs]);
    });
    return rows.length ? [["policy", "epsilon", "delta", "t", "regret", "regret_se", "replications"], ...rows] : [];
  }
}

/** What is chosen before the reader chooses: the baseline, and one of each variant. */
function first(algorithms) {
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
