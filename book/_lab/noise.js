// The privacy loss of Gaussian noise by the classical formula, beside what it promises; that of the analytic one is that.
import { element } from "./elements.js";
import { gaussianEpsilon, gaussianSigma } from "./normal.js";
import { Plot } from "./plot.js";
import { readable } from "./words.js";

const RANGE = [0.05, 50];

/** Noise on one number of sensitivity 1: both sigmas, and the privacy loss of the classical one. */
export function noises(epsilon, delta) {
  const classical = gaussianSigma(epsilon, delta, 1, "classical");
  return { classical, analytic: gaussianSigma(epsilon, delta, 1, "analytic"), paid: gaussianEpsilon(classical, delta, 1) };
}

export class Noise {
  constructor() {
    this.picture = element("div", { class: "lab-plot" });
    this.cells = ["promised", "privacy loss, classical noise", "privacy loss, analytic noise", "classical / analytic σ"].map((words) => {
      const cell = element("dd", { class: "lab-amount" });
      return [words, cell];
    });
    const list = element("dl", { class: "lab-readout" }, ...this.cells.map(([words, cell]) => element("div", {}, element("dt", {}, words), cell)));
    this.plot = new Plot(this.picture, () => this.words);
    this.element = element("section", { class: "lab-more" }, list, this.picture);
  }

  show(values) {
    if (!values) return;
    const { epsilon, delta } = values;
    const { classical, analytic, paid } = noises(epsilon, delta);
    const [promise, first, second, ratio] = this.cells.map(([, cell]) => cell);
    promise.textContent = `ε ${readable(epsilon)}`;
    first.textContent = `ε ${readable(paid)}`;
    first.dataset.kept = paid <= epsilon * (1 + 1e-9) ? "yes" : "no";
    second.textContent = `ε ${readable(epsilon)}`;
    second.dataset.kept = "yes";
    ratio.textContent = `${readable(classical / analytic)}`;
    this.words = `At δ = ${readable(delta)} and ε = ${readable(epsilon)} the privacy loss of classical noise is ${readable(paid)}, that of analytic noise is as promised.`;
    const t = Array.from({ length: 81 }, (_, i) => RANGE[0] * (RANGE[1] / RANGE[0]) ** (i / 80));
    this.plot.draw({
      lines: [
        { label: "promised, and analytic noise", look: "lab-none lab-trust-none", t, value: t },
        { label: "classical noise", look: "lab-printed", t, value: t.map((one) => noises(one, delta).paid) },
      ],
      rule: epsilon,
      x: { low: RANGE[0], high: RANGE[1], log: true, label: "ε promised" },
      y: { low: RANGE[0] / 5, high: RANGE[1] * 10, log: true, label: "privacy loss" },
    });
  }
}
