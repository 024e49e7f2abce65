// The reader, or the best attacker, guesses a bit of a person from what an epsilon-private channel lets out.
import { element } from "./elements.js";
import { bestGuess, mostPossible, player } from "./observer.js";
import { Panel } from "./panel.js";
import { integer, number, runCommand } from "./parameters.js";
import { readable } from "./words.js";

const PARAMETERS = [
  number("epsilon", "privacy ε", 1, 0.05, 10, "of each answer", true),
  integer("answers", "answers", 4, 2, 5, "of one person, each through the channel"),
  integer("games", "games", 20000, 100, 1e7, "that the best attacker plays", true),
  integer("seed", "seed", 2019, 0, 2 ** 32, "of the games"),
];
const SPEED = 1e6; // games a second
const SLICE = 20000; // games between two frames
const NORMAL = 1.959963985; // of 95 %

export class Attacker extends Panel {
  constructor(host, name) {
    super(host, name, PARAMETERS);
    this.cells = new Map(["stated ε", "privacy loss"].map((words) => [words, element("dd")]));
    const readout = element("dl", { class: "lab-readout" },
      ...[...this.cells].map(([words, cell]) => element("div", {}, element("dt", {}, words), cell)));
    this.seen = element("output", { class: "lab-seen" });
    this.score = element("p", { class: "lab-said", role: "status" });
    this.wins = { right: 0, played: 0 };
    const button = (bit) => element("button", { type: "button", onclick: () => this.guess(bit) }, `It is ${bit}`);
    const byHand = element("div", { class: "lab-hand" },
      element("p", {}, "A person has a bit. Each answer tells it, or lies, and this got out:"), this.seen,
      element("div", { class: "lab-bar" }, button(0), button(1)), this.score);
    this.fields.element.after(readout, byHand);
    this.points = [];
    this.hand = player(Math.floor(Math.random() * 2 ** 32), 1, 1);
    this.begin();
  }

  check() {
    return null;
  }

  unready() {
    return "";
  }

  seconds({ games }) {
    return games / SPEED;
  }

  refresh(values) {
    if (!values) {
      this.work.textContent = "";
      return;
    }
    const { epsilon, answers, games } = values;
    const percent = (share) => `${readable(100 * share)} %`;
    const tell = (name, loss, words) => this.cells.get(name).replaceChildren(
      element("span", { class: "lab-amount" }, readable(loss)),
      element("p", { class: "lab-small" }, words));
    tell("stated ε", epsilon, `for one answer: a guess is right with probability ${percent(mostPossible(epsilon))} at most`);
    tell("privacy loss", answers * epsilon, `for the person, by ${answers} answers: the best guess is right with ${percent(bestGuess(epsilon, answers))}, a coin with 50 %`);
    this.work.textContent = `The best attacker plays ${readable(games)} games: under a second for each million.`;
    this.hand = player(Math.floor(Math.random() * 2 ** 32), epsilon, answers);
    this.wins = { right: 0, played: 0 };
    this.score.textContent = "";
    this.next();
  }

  next() {
    this.secret = this.hand.draw();
    this.seen.textContent = this.secret.seen.join(" ");
  }

  /** The reader's guess. */
  guess(bit) {
    const right = bit === this.secret.secret;
    this.wins.right += right;
    this.wins.played += 1;
    this.score.textContent = `${right ? "Right" : "Wrong, it was " + this.secret.secret}. You: ${this.wins.right} of ${this.wins.played}.`;
    this.next();
  }

  async play({ epsilon, answers, games, seed }) {
    const { won } = player(seed, epsilon, answers);
    const stops = new Set(Array.from({ length: 80 }, (_, i) => Math.round(games ** ((i + 1) / 80))));
    this.points = [];
    this.going = true;
    for (let n = 1, wins = 0; n <= games; n++) {
      wins += won();
      if (stops.has(n) && n >= 30) this.points.push({ n, share: wins / n });
      if (n % SLICE === 0) {
        this.advanced(n / games);
        this.show();
        await new Promise((resolve) => setTimeout(resolve));
        if (!this.going) return false;
      }
    }
    return true;
  }

  abort() {
    this.going = false;
  }

  show() {
    const values = this.values ?? this.read();
    if (!values) return;
    const { epsilon, answers, games } = values;
    const t = [30, games];
    const level = (label, look, at) => ({ label, look, t, value: [at, at] });
    const played = this.points.length ? [{
      label: "best attacker", look: "lab-printed", t: this.points.map(({ n }) => n),
      value: this.points.map(({ share }) => share), half: this.points.map(half),
    }] : [];
    this.plot.draw({
      lines: [
        level("a coin", "lab-uniform lab-trust-none", 0.5),
        level("stated for one answer", "lab-bound", mostPossible(epsilon)),
        level("exact, from all answers", "lab-none lab-trust-none", bestGuess(epsilon, answers)), ...played,
      ],
      x: { low: 30, high: games, log: true, label: "games" },
      y: { low: 0.4, high: 1.02, log: false, label: "share of right guesses" },
    });
  }

  inWords() {
    const last = this.points.at(-1);
    if (!last) return "No game yet.";
    return `The best attacker was right in ${readable(100 * last.share)} ± ${readable(100 * half(last), 2)} % of ${readable(last.n)} games.`;
  }

  entries() {
    return {};
  }

  take() {}

  command({ epsilon, answers, seed }) {
    return runCommand("definitions", { epsilons: [epsilon], exact_horizon: answers, seed });
  }

  rows() {
    const { epsilon, answers } = this.values ?? {};
    const rows = this.points.map((point) => [epsilon, answers, point.n, point.share, half(point)]);
    return rows.length ? [["epsilon", "answers", "games", "success", "half_width"], ...rows] : [];
  }
}

/** Half the 95 % interval of a share. */
function half({ n, share }) {
  return NORMAL * Math.sqrt((share * (1 - share)) / n);
}
