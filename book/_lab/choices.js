// The algorithms: which are chosen, what each promises, its privacy loss and its regret.
import { element } from "./elements.js";
import { swatch } from "./plot.js";
import { keepsPromise } from "./privacy.js";
import { readable } from "./words.js";

const VARIANTS = {
  none: ["Without privacy", ""],
  printed: ["Printed", "what the box does"],
  published: ["Noise of the experiments", "a hundredth of what the theorems need"],
  stated: ["Noise of the theorems", ""],
  repaired: ["Repaired", "so that the promise is kept"],
};

const PRESETS = {
  "as printed": ["printed"],
  experiments: ["published"],
  theorems: ["stated"],
  repaired: ["repaired"],
};

export class Choices {
  /** `notes` say of a setting's variants what others have no need to. */
  constructor({ algorithms, hue, notes = {} }, prefix, changed) {
    this.algorithms = looks(algorithms, hue);
    this.changed = changed;
    this.rows = new Map();
    this.element = element("div", { class: "lab-choices" }, this.presets(),
      element("div", { class: "lab-heads", "aria-hidden": "true" },
        element("span", {}, "Algorithm"), element("span", {}, "promised"), element("span", {}, "privacy loss"), element("span", {}, "regret")));
    for (const variant of [...new Set([...Object.keys(VARIANTS), ...algorithms.map((one) => one.variant)])]) {
      const members = this.algorithms.filter((one) => one.variant === variant);
      const [title, words] = VARIANTS[variant] ?? [variant, ""];
      if (members.length) this.element.append(this.group(members, title, notes[variant] ?? words, prefix));
    }
  }

  /** A button for each kind of algorithm, beside those without privacy, and one that shows all there are. */
  presets() {
    const bar = element("div", { class: "lab-bar" }, element("span", { class: "lab-small" }, "Show"));
    for (const [words, variants] of Object.entries(PRESETS)) {
      const wanted = this.algorithms.filter(({ variant }) => variants.includes(variant));
      if (!wanted.length) continue;
      const ids = this.algorithms.filter((one) => one.variant === "none" || wanted.includes(one)).map(({ id }) => id);
      bar.append(element("button", { type: "button", onclick: () => {
        this.choose(ids);
        this.changed();
      } }, words));
    }
    const more = element("button", { type: "button", "aria-expanded": "false", onclick: () => {
      const all = this.element.classList.toggle("lab-all");
      more.setAttribute("aria-expanded", String(all));
      more.textContent = all ? "fewer" : "more";
    } }, "more");
    bar.append(more);
    return bar;
  }

  group(members, name, words, prefix) {
    const all = element("input", { type: "checkbox", onchange: () => {
      for (const { id } of members) this.rows.get(id).box.checked = all.checked;
      this.settle();
    } });
    const rows = members.map((one) => this.row(one, `${prefix}-${one.id}`));
    for (const { id } of members) this.rows.get(id).all = [all, members];
    return element("fieldset", { class: "lab-variant" },
      element("legend", {}, element("label", {}, all, ` ${name}`), words ? element("span", { class: "lab-small" }, ` ${words}`) : null), ...rows);
  }

  row(algorithm, id) {
    const box = element("input", { type: "checkbox", id, onchange: () => this.settle() });
    const cells = ["promised", "paid", "regret"].map((name) => element("span", { class: `lab-${name}` }));
    const reason = element("p", { class: "lab-reason" });
    const shown = element("div", { class: "lab-row" },
      element("label", { for: id, class: "lab-name" }, box, swatch(algorithm), element("span", {}, bare(algorithm)),
        algorithm.trust === "none" ? null : element("span", { class: "lab-small" }, algorithm.trust)), ...cells, reason);
    this.rows.set(algorithm.id, { box, cells, reason, shown });
    return shown;
  }

  /** Bring the group's switches in line with their members, and tell of the change. */
  settle(quiet = false) {
    for (const { all: [all, members] } of this.rows.values()) {
      const on = members.filter(({ id }) => this.rows.get(id).box.checked).length;
      all.checked = on === members.length;
      all.indeterminate = on > 0 && on < members.length;
    }
    for (const { box, shown } of this.rows.values()) shown.classList.toggle("lab-off", !box.checked);
    if (!quiet) this.changed();
  }

  /** What is switched on and can be played at the values. */
  get chosen() {
    return this.algorithms.filter(({ id }) => this.rows.get(id).box.checked && !this.rows.get(id).box.disabled);
  }

  choose(ids) {
    for (const [id, { box }] of this.rows) box.checked = ids.includes(id);
    this.settle(true);
  }

  /** Say what every algorithm promises and its privacy loss at these values; nothing where they are refused. */
  price(values) {
    for (const algorithm of this.algorithms) {
      const { box, cells: [promised, paid], reason, shown } = this.rows.get(algorithm.id);
      const why = (values && algorithm.fits?.(values)) || "";
      const made = values && !why && algorithm.make(values);
      box.disabled = why !== "";
      shown.classList.toggle("lab-unfit", box.disabled);
      promised.replaceChildren(...(made ? amount("promised", made.promised) : []));
      paid.replaceChildren(...(made ? amount("privacy loss", made.paid) : []));
      reason.textContent = made ? made.paid.reason : why;
      shown.dataset.kept = !made || made.promised.epsilon === Infinity ? "" : keepsPromise(made) ? "yes" : "no";
    }
  }

  /** Show an algorithm's regret. */
  tell(id, words) {
    this.rows.get(id).cells[2].replaceChildren(...(words ? [small("regret"), element("span", {}, words)] : []));
  }
}

function small(words) {
  return element("span", { class: "lab-small lab-once" }, `${words} `);
}

/** A loss; no promise at all is a dash. */
function amount(words, { epsilon, delta }) {
  if (words === "promised" && epsilon === Infinity) return [small(words), element("span", { class: "lab-amount" }, "–")];
  const shown = epsilon === null || Number.isNaN(epsilon) ? "not certified" : readable(epsilon);
  return [small(words), element("span", { class: "lab-amount" }, element("i", {}, "ε\u00a0"), shown),
    delta > 0 && epsilon !== Infinity ? element("span", { class: "lab-small lab-delta" }, ` δ ${readable(delta)}`) : null].filter(Boolean);
}

/** An algorithm's name without its variant, which stands above it. */
function bare({ label }) {
  return label.replace(/, (printed|experiments|theorems|repaired)$/, "");
}

const FIRST_MARKS = { stated: 1, repaired: 2 }; // where hues begin that no dash tells from pink without green cones
const PINK = { published: "printed" };

/** Hues mean what they do in figures: the text that a line follows, or whom one trusts where that is compared; dashes
    are local, and a mark tells lines of one hue and dash apart. */
function looks(algorithms, compared = "variant") {
  const seen = new Map();
  return algorithms.map((algorithm) => {
    const { id, label, trust } = algorithm;
    const hue = id === "uniform" ? "uniform" : PINK[algorithm[compared]] ?? algorithm[compared];
    const kind = `lab-${hue} lab-trust-${trust}`;
    const mark = seen.get(kind) ?? FIRST_MARKS[hue] ?? 0;
    seen.set(kind, mark + 1);
    return { ...algorithm, name: label, mark, look: kind };
  });
}
