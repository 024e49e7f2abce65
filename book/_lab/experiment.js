// A panel that runs the algorithms of a chapter: fields, switches, run and stop, curves, and what to take away.
import { keep, stateIn } from "./address.js";
import { Choices } from "./choices.js";
import { element } from "./elements.js";
import { Fields } from "./fields.js";
import { Plot } from "./plot.js";
import { Pool } from "./pool.js";
import { Summary } from "./statistics.js";
import { duration, readable } from "./words.js";

const pool = new Pool();
let speed = 1.5e6; // rounds a second of one worker, until a run has told
let playing = null;

export class Experiment {
  constructor(host, setting, laboratory) {
    Object.assign(this, { host, setting, laboratory, results: new Map(), scales: { x: "log", y: "log" } });
    const prefix = `lab-${setting}`;
    this.fields = new Fields(laboratory.parameters, prefix, () => this.changed());
    this.choices = new Choices(laboratory.algorithms, prefix, () => this.changed(true));
    this.runs = element("button", { type: "submit", class: "lab-run", "data-lab-run": true }, "Run");
    this.stops = element("button", { type: "button", class: "lab-stop", disabled: true, onclick: () => this.stop() }, "Stop");
    this.work = element("p", { class: "lab-work" });
    this.progress = element("progress", { max: 1, value: 0, "aria-label": "rounds played" });
    this.picture = element("div", { class: "lab-plot" });
    this.said = element("p", { class: "lab-said", role: "status" });
    this.plot = new Plot(this.picture, () => this.inWords());
    const form = element("form", { class: "lab-form", novalidate: true, onsubmit: (event) => {
      event.preventDefault();
      this.run();
    } }, this.fields.element, element("div", { class: "lab-bar" }, this.runs, this.stops, this.work));
    host.append(form, this.progress, element("div", { "data-lab-result": true }, this.picture, this.said), this.tools(), this.choices.element);
    this.choices.choose(first(laboratory.algorithms));
    this.restore();
    window.addEventListener("hashchange", () => this.restore());
  }

  tools() {
    const scale = (name, words) => element("label", { class: "lab-scale" }, element("input", { type: "checkbox", checked: true, onchange: (event) => {
      this.scales[name] = event.target.checked ? "log" : "linear";
      this.show();
      this.keep();
    } }), ` ${words}`);
    this.copies = element("button", { type: "button", onclick: () => this.copy() }, "Copy as private-bandits run …");
    this.saves = element("button", { type: "button", disabled: true, onclick: () => this.save() }, "Data as CSV");
    this.scaleBoxes = { x: scale("x", "log rounds"), y: scale("y", "log regret") };
    return element("div", { class: "lab-tools" }, this.scaleBoxes.x, this.scaleBoxes.y, this.copies, this.saves);
  }

  set state(value) {
    this.host.dataset.labState = value;
  }

  get state() {
    return this.host.dataset.labState;
  }

  read() {
    return this.fields.read((values) => this.laboratory.check(values));
  }

  /** The reader has moved something; curves of other values are faded, not taken away. */
  changed(switched = false) {
    const values = this.read();
    this.choices.price(values);
    if (!switched && this.state === "running") this.stop();
    if (!switched) {
      this.state = "idle";
      this.picture.classList.toggle("lab-stale", this.results.size > 0);
    }
    this.tellWork(values);
    this.show();
    this.keep();
  }

  tellWork(values) {
    const chosen = this.choices.chosen.length;
    if (!values || !chosen) {
      this.work.textContent = values ? "Choose an algorithm." : "";
      return;
    }
    const rounds = this.laboratory.work(values, chosen);
    const workers = Math.min(pool.size, values.replications * chosen);
    this.work.textContent = `${count(values.replications, "run")} × ${count(chosen, "algorithm")} × ${readable(values.horizon)} rounds = ${inMillions(rounds)}: `
      + `${duration(rounds / speed / workers)} on ${count(workers, "worker")}`;
  }

  async run() {
    const values = this.read();
    const chosen = this.choices.chosen;
    if (!values || !chosen.length) {
      this.state = "refused";
      if (values) this.fields.error.textContent = "Nothing is chosen: switch an algorithm on.";
      return this.fields.focusFault();
    }
    playing?.stop();
    playing = this;
    this.state = "running";
    this.values = values;
    this.checkpoints = [...this.laboratory.checkpoints(values)];
    this.results = new Map(chosen.map(({ id }) => [id, new Summary(this.checkpoints)]));
    this.picture.classList.remove("lab-stale");
    this.runs.disabled = true;
    this.stops.disabled = false;
    this.saves.disabled = true;
    const tasks = [];
    for (let replication = 0; replication < values.replications; replication++) {
      for (const { id } of chosen) tasks.push({ setting: this.setting, algorithm: id, values, replication, checkpoints: this.checkpoints });
    }
    const parts = new Map();
    const advanced = () => { this.progress.value = [...parts.values()].reduce((sum, part) => sum + part, 0) / tasks.length; };
    const began = performance.now();
    this.say("Running …");
    try {
      const whole = await pool.play(tasks, {
        progress: (task, rounds) => {
          parts.set(task, rounds / values.horizon);
          advanced();
        },
        done: (task, regret) => {
          parts.set(task, 1);
          this.results.get(task.algorithm).add(regret);
          advanced();
          this.soon();
        },
      });
      if (whole) {
        const seconds = (performance.now() - began) / 1000;
        const workers = Math.min(pool.size, tasks.length);
        if (seconds > 0.5) speed = this.laboratory.work(values, chosen.length) / seconds / workers;
        this.end("done", `Done in ${seconds.toFixed(1)} s.`);
      }
    } catch (error) {
      this.end("stopped", `It stopped by itself: ${error.message}`);
    }
  }

  stop() {
    if (this.state !== "running") return;
    pool.stop();
    this.end("stopped", "Stopped; the curves are of the runs so far.");
  }

  end(state, words) {
    if (playing === this) playing = null;
    this.runs.disabled = false;
    this.stops.disabled = true;
    this.saves.disabled = ![...this.results.values()].some((one) => one.runs);
    this.progress.value = 0;
    this.said.replaceChildren(words, element("span", { class: "lab-hidden" }, ` ${this.inWords()}`));
    this.show();
    this.state = state;
  }

  say(words) {
    this.said.textContent = words;
  }

  /** Draw at the next frame, once for all runs that came since the last. */
  soon() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.show();
    });
  }

  show() {
    const values = this.values ?? this.read();
    if (!values) return;
    for (const { id } of this.choices.algorithms) this.choices.tell(id, regretInWords(this.results.get(id)));
    this.plot.draw(shown(this, values));
  }

  inWords() {
    const found = this.choices.chosen.filter(({ id }) => this.results.get(id)?.runs);
    if (!found.length) return "Press run: the curves of regret grow here.";
    const parts = found.map(({ id, label, variant }) => `${named(label, variant)} ${regretInWords(this.results.get(id))}`);
    return `Regret after ${readable(this.values.horizon)} rounds, mean and 95 % interval: ${parts.join("; ")}.`;
  }

  keep() {
    const { x, y } = this.scales;
    const ids = this.choices.chosen.map(({ id }) => id).join(" ");
    keep(this.setting, { ...this.fields.texts(), algorithms: ids, ...(x !== "log" && { x }), ...(y !== "log" && { y }) });
  }

  /** Take the state that the address holds, if it is this panel's. */
  restore() {
    const state = stateIn(this.setting);
    if (state) {
      this.fields.restore(state);
      if (state.has("algorithms")) this.choices.choose(state.get("algorithms").split(" "));
      for (const name of ["x", "y"]) {
        this.scales[name] = state.get(name) === "linear" ? "linear" : "log";
        this.scaleBoxes[name].querySelector("input").checked = this.scales[name] === "log";
      }
      this.host.scrollIntoView();
    }
    const values = this.read();
    this.choices.settle(true);
    this.choices.price(values);
    this.tellWork(values);
    this.show();
  }

  async copy() {
    const values = this.read();
    if (!values) return this.fields.focusFault();
    const command = this.laboratory.command(values, this.choices.chosen.map(({ id }) => id));
    const copied = await copyText(command);
    this.say(copied ? `Copied: ${command}` : command);
  }

  save() {
    const lines = ["policy,variant,epsilon,delta,t,regret,regret_se,replications"];
    for (const algorithm of this.choices.algorithms) {
      const summary = this.results.get(algorithm.id);
      if (!summary?.runs) continue;
      const { promised } = algorithm.make(this.values);
      this.checkpoints.forEach((t, i) => lines.push([`"${algorithm.label.replaceAll('"', '""')}"`, algorithm.variant,
        promised.epsilon === Infinity ? "inf" : promised.epsilon, promised.delta, t, summary.mean[i], summary.error(i), summary.runs].join(",")));
    }
    const address = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }));
    element("a", { href: address, download: `lab-${this.setting}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }
}

/** What is chosen before the reader chooses: the baseline, and one of each variant. */
function first(algorithms) {
  const found = [];
  for (const variant of ["none", "printed", "published", "stated", "repaired"]) {
    const member = algorithms.find((one) => one.variant === variant);
    if (member) found.push(member.id);
  }
  return found;
}

function named(label, variant) {
  return variant === "none" || label.endsWith(variant) ? label : `${label}, ${variant}`;
}

function count(number, word) {
  return `${readable(number)} ${word}${number === 1 ? "" : "s"}`;
}

function inMillions(rounds) {
  return rounds < 1e6 ? readable(rounds) : `${readable(rounds / 1e6)} million`;
}

function regretInWords(summary) {
  if (!summary?.runs) return "";
  const last = summary.mean.length - 1;
  const band = summary.runs > 1 ? ` ± ${readable(summary.half(last), 2)}` : "";
  return `${readable(summary.mean[last])}${band}`;
}

/** What the plot draws: curves, bounds where they say something, uniform play. */
function shown({ choices, results, checkpoints, laboratory, scales }, values) {
  const at = checkpoints ?? [...laboratory.checkpoints(values)];
  const start = Math.min(100, values.horizon / 10);
  const from = at.filter((t) => t >= start);
  const skip = at.length - from.length;
  const lines = choices.chosen.filter(({ id }) => results.get(id)?.runs).map(({ id, label, variant, look, mark }) => {
    const summary = results.get(id);
    return { label: named(label, variant), look, mark, t: from, value: from.map((_, i) => summary.mean[i + skip]), half: from.map((_, i) => summary.half(i + skip)) };
  });
  const uniform = { label: "uniform play", look: "lab-uniform lab-trust-none", t: from, value: from.map((t) => laboratory.uniform(values, t)) };
  const bounds = laboratory.bounds(values).map(({ label, at: bound }) => ({
    label, look: "lab-bound", t: from, value: from.map((t) => bound(t)).map((value, i) => (value === null || value >= uniform.value[i] ? null : value)),
  })).filter(({ value }) => value.some((one) => one !== null));
  const learnt = lines.flatMap(({ value, half }) => value.map((mean, i) => mean + half[i]));
  const highest = Math.max(...learnt, ...(scales.y === "log" || !learnt.length ? uniform.value : []));
  const positive = [...lines, uniform].flatMap(({ value }) => value).filter((value) => value > 0);
  const y = scales.y === "log"
    ? { low: Math.min(...positive) / 1.3, high: highest * 1.3, log: true, label: "regret" }
    : { low: 0, high: highest * 1.05, log: false, label: "regret" };
  const x = { low: scales.x === "log" ? start : 0, high: values.horizon, log: scales.x === "log", label: "round t" };
  return { lines: [uniform, ...bounds, ...lines], x, y };
}

async function copyText(words) {
  try {
    await navigator.clipboard.writeText(words);
    return true;
  } catch {
    const area = element("textarea", { readonly: true, class: "lab-hidden" });
    area.value = words;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}
