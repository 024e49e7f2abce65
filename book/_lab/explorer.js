// One page where epsilon, K, gap and T move the bounds of all papers: where privacy overtakes the rest, what is vacuous.
import { keep, stateIn } from "./address.js";
import { element } from "./elements.js";
import { Fields } from "./fields.js";
import { number, integer } from "./parameters.js";
import { Plot } from "./plot.js";
import { theorems } from "./theorems.js";
import { readable } from "./words.js";

const RANGE = [0.01, 20]; // of epsilon, on every axis
const LONGEST = 1e30;
const NAMED = 0.15; // of the axis below, what is vacuous has above, room for its name
const PARAMETERS = [
  number("epsilon", "privacy ε", 1, ...RANGE, "what every bound is read at", true),
  integer("K", "K", 4, 2, 50, "the list, the super arm, the arms or the dimension, as each paper has it", true),
  integer("m", "items m", 20, 3, 500, "items of a cascade (its L), base arms of a semi-bandit", true),
  number("gap", "gap Δ", 0.1, 0.001, 0.45, "how far what is not best lies below", true),
  integer("T", "rounds T", 1e12, 10, 1e15, "the horizon", true),
  number("delta", "δ", 1e-3, 1e-12, 0.5, "of Gaussian noise and composition", true),
  number("v", "tail v", 0.5, 0.1, 1, "moments of order 1 + v are finite in the heavy-tailed chapter"),
];

const check = ({ K, m }) => (m > K ? null : `m must be more than K = ${K}, got ${m}`);

export class Explorer {
  constructor(host) {
    this.fields = new Fields(PARAMETERS, "lab-explorer", () => this.changed());
    this.cards = theorems.map((room) => new Card(room, () => this.changed()));
    const papers = theorems.map(({ title }, place) => element("option", { value: place }, title));
    this.paper = element("select", { "aria-label": "paper", onchange: () => this.turn() }, ...papers);
    host.append(element("form", { onsubmit: (event) => event.preventDefault() }, this.fields.element),
      element("div", { class: "lab-cards", "data-lab-result": true },
        element("div", { class: "lab-paper" }, this.paper), ...this.cards.map((card) => card.element)));
    this.turn();
    this.host = host;
    this.restore();
    window.addEventListener("hashchange", () => this.restore());
  }

  restore() {
    const state = stateIn("explorer");
    if (state) {
      this.fields.restore(state);
      for (const card of this.cards) card.choose(state.get(card.room.paper));
    }
    this.show();
  }

  /** Which card a phone shows. */
  turn() {
    for (const [place, { element: shown }] of this.cards.entries()) shown.classList.toggle("lab-turned", place === Number(this.paper.value));
  }

  changed() {
    this.show();
    const chosen = Object.fromEntries(this.cards.map(({ room, select }) => [room.paper, select.value]));
    keep("explorer", { ...this.fields.texts(), ...chosen });
  }

  show() {
    const values = this.fields.read(check);
    this.host.dataset.labState = values ? "done" : "refused";
    if (values) for (const card of this.cards) card.show(values);
  }
}

/** A paper's bounds, one at a time. */
class Card {
  constructor(room, changed) {
    this.room = room;
    const id = `lab-explorer-${room.paper}`;
    this.select = element("select", { id, onchange: changed }, ...["upper", "lower"].map((side) => group(room, side)));
    this.picture = element("div", { class: "lab-plot" });
    this.said = element("p", { class: "lab-said" });
    this.plot = new Plot(this.picture, () => `${room.title}. ${this.said.textContent}`, true);
    this.element = element("section", { class: "lab-card" },
      element("label", { for: id, class: "lab-card-title" }, room.title), this.select, this.picture, this.said);
  }

  choose(id) {
    if (this.room.bounds.some((bound) => bound.id === id)) this.select.value = id;
  }

  show(values) {
    const bound = this.room.bounds.find(({ id }) => id === this.select.value);
    const uniform = (bound.uniform ?? this.room.uniform)(values);
    this.said.textContent = inWords(bound, values, uniform);
    this.plot.draw(shown(bound, values, uniform));
  }
}

/** The bounds of a side; nothing where a paper has none. */
function group({ bounds }, wanted) {
  const options = bounds.filter(({ side }) => side === wanted).map(({ id, label }) => element("option", { value: id }, label));
  return options.length ? element("optgroup", { label: `${wanted === "upper" ? "Upper" : "Lower"} bounds` }, ...options) : null;
}

function shown({ trust, total, rest }, values, uniform) {
  const at = Array.from({ length: 97 }, (_, i) => RANGE[0] * (RANGE[1] / RANGE[0]) ** (i / 96));
  const whole = at.map((epsilon) => total(values, epsilon));
  const plain = at.map(() => rest(values));
  const price = whole.map((value, i) => (value === null || value <= plain[i] ? null : value - plain[i]));
  const line = (label, look, value) => ({ label, look, t: at, value, mark: 0 });
  const level = uniform * values.T;
  const crossing = overtakes(total, rest, values);
  const found = [...whole, ...plain, level].filter((value) => value > 0 && Number.isFinite(value));
  const top = Math.min(Math.max(...found), level * 1e6) * 2;
  const low = Math.max(Math.min(...found) / 2, top / 1e12);
  const high = Math.max(top, level * (level / low) ** NAMED);
  return {
    lines: [
      line("uniform play", "lab-uniform lab-trust-none lab-level", at.map(() => level)),
      line("the rest", "lab-none lab-trust-none", plain),
      line("bound", "lab-bound", whole),
      line("private term", `lab-${trust} lab-trust-${trust}`, price),
    ],
    shades: [{ y: [level, high], words: "vacuous" }],
    rule: values.epsilon,
    note: crossing > RANGE[0] && crossing < RANGE[1] ? { at: crossing, value: rest(values), words: `ε = ${readable(crossing, 2)}` } : null,
    x: { low: RANGE[0], high: RANGE[1], log: true, label: "ε" },
    y: { low, high, log: true, label: `regret at T = ${readable(values.T)}` },
  };
}

function inWords({ total, rest, side }, values, uniform) {
  const { epsilon, T } = values;
  const whole = total(values, epsilon);
  if (whole === null) return `It is stated for ε ≤ 1.`;
  const plain = rest(values);
  const price = Math.max(0, whole - plain);
  const parts = [`At ε = ${readable(epsilon)} the bound is ${readable(whole)}: privacy ${readable(price)}, the rest ${readable(plain)}.`];
  const crossing = overtakes(total, rest, values);
  if (crossing === 0) parts.push("The private term is the smaller at every ε.");
  else if (crossing === Infinity) parts.push("The private term is the larger at every ε.");
  else parts.push(`The private term overtakes the rest below ε = ${readable(crossing, 2)}.`);
  const level = uniform * T;
  if (whole >= level) {
    const from = saysSomethingFrom(total, values, uniform);
    parts.push(`${side === "upper" ? "Vacuous" : "Beyond its range"}: uniform play has ${readable(level)}. `
      + (from < LONGEST ? `It says something from T = ${readable(from, 2)}.` : `It says nothing at any T up to ${readable(LONGEST)}.`));
  } else parts.push(`That is ${readable((100 * whole) / level, 2)} % of uniform play.`);
  return parts.join(" ");
}

/** The epsilon below which the private term is the larger: 0 for none, infinity for all. */
export function overtakes(total, rest, values) {
  const larger = (epsilon) => {
    const whole = total(values, epsilon);
    return whole !== null && whole > 2 * rest(values);
  };
  let [low, high] = [1e-6, total(values, 1.01) === null ? 1 : 1e6];
  if (!larger(low)) return 0;
  if (larger(high)) return Infinity;
  for (let i = 0; i < 60; i++) {
    const middle = Math.sqrt(low * high);
    if (larger(middle)) low = middle;
    else high = middle;
  }
  return high;
}

/** The horizon from which a bound is below uniform play. */
export function saysSomethingFrom(total, values, uniform) {
  const below = (T) => total({ ...values, T }, values.epsilon) < uniform * T;
  let [low, high] = [values.T, LONGEST];
  if (!below(high)) return Infinity;
  while (high / low > 1.001) {
    const middle = Math.sqrt(low * high);
    if (below(middle)) high = middle;
    else low = middle;
  }
  return high;
}
