// A form's fields: a number to type and a slider to move, or a choice; what is not allowed is said in words.
import { element } from "./elements.js";
import { inField, readable, typed } from "./words.js";

const STEPS = 1000;
const KEY = 10; // steps that an arrow key takes
const FIRST = new Set(["epsilon", "list_size", "kind", "setting", "answers", "K", "horizon", "games", "T"]); // three a panel on a phone

export class Fields {
  /** `changed()` is told of every change by the reader, `rested()` when a slider was moved or a field is left; `prefix` makes
   *  the ids of the page differ. */
  constructor(parameters, prefix, changed, rested = () => {}) {
    this.parameters = parameters;
    this.help = element("p", { class: "lab-help", id: `${prefix}-help` }, " ");
    this.error = element("p", { class: "lab-error", id: `${prefix}-error`, role: "alert" });
    this.inputs = new Map();
    this.sliders = new Map();
    const grid = element("div", { class: "lab-fields" });
    for (const parameter of parameters) grid.append(this.field(parameter, prefix, changed, rested));
    this.more = element("button", { type: "button", class: "lab-unfold", "aria-expanded": "false", onclick: () => this.unfold() }, "More fields");
    this.element = element("div", {}, grid, this.more, this.help, this.error);
  }

  /** Show on a phone, too, what stands behind the first three. */
  unfold(all = !this.element.classList.contains("lab-unfolded")) {
    this.element.classList.toggle("lab-unfolded", all);
    this.more.setAttribute("aria-expanded", String(all));
    this.more.textContent = all ? "Fewer fields" : "More fields";
  }

  field(parameter, prefix, changed, rested) {
    const { name, kind, label, help } = parameter;
    const id = `${prefix}-${name}`;
    const told = { onfocus: () => { this.help.textContent = [help, name === "seed" || kind === "choice" || matchMedia("(hover: none)").matches ? "" : "↑ and ↓ move it"].filter(Boolean).join("; ") || "\u00a0"; } };
    const field = element("div", { class: FIRST.has(name) ? "lab-field" : "lab-field lab-rest" }, element("label", { for: id }, label));
    if (kind === "choice") {
      const options = parameter.choices.map((value) => element("option", { value }, String(value)));
      const input = element("select", { id, ...told }, ...options);
      input.addEventListener("change", () => {
        changed();
        rested();
      });
      this.inputs.set(name, input);
      field.append(input);
    } else {
      const input = element("input", { id, type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", ...told });
      const slider = name === "seed" ? null : element("input", { type: "range", min: 0, max: STEPS, step: 1, tabindex: -1, "aria-label": `${label}, slider`, ...told });
      input.addEventListener("input", () => {
        this.follow(parameter);
        changed();
      });
      input.addEventListener("change", rested);
      input.addEventListener("keydown", (event) => { // so that the slider is no stop of its own
        const up = { ArrowUp: 1, ArrowDown: -1 }[event.key];
        if (!slider || !up) return;
        event.preventDefault();
        slider.value = Number(slider.value) + up * KEY;
        slider.dispatchEvent(new Event("input"));
      });
      slider?.addEventListener("input", () => {
        input.value = inField(slid(parameter, slider.value / STEPS));
        this.describe(parameter);
        changed();
        rested();
      });
      this.inputs.set(name, input);
      field.append(input);
      if (slider) {
        this.sliders.set(name, slider);
        field.append(slider);
      }
    }
    this.put(parameter, parameter.value);
    return field;
  }

  put(parameter, value) {
    this.inputs.get(parameter.name).value = typeof value === "number" ? inField(value) : value;
    this.follow(parameter);
  }

  /** Move the slider to what is typed. */
  follow(parameter) {
    const slider = this.sliders.get(parameter.name);
    const value = typed(this.inputs.get(parameter.name).value);
    if (slider && Number.isFinite(value)) slider.value = STEPS * share(parameter, value);
    this.describe(parameter);
  }

  describe(parameter) {
    this.sliders.get(parameter.name)?.setAttribute("aria-valuetext", this.inputs.get(parameter.name).value);
  }

  /** The values as text, for an address. */
  texts() {
    return Object.fromEntries(this.parameters.map(({ name }) => [name, this.inputs.get(name).value]));
  }

  /** Fill fields from an address's texts. */
  restore(texts) {
    for (const parameter of this.parameters) if (texts.has(parameter.name)) this.put(parameter, texts.get(parameter.name));
  }

  /** The values, or null where one is refused, and the error says which and why. */
  read(check = () => null) {
    const values = {};
    let refused = null;
    for (const parameter of this.parameters) {
      const text = this.inputs.get(parameter.name).value;
      const value = parameter.kind === "choice" ? chosen(parameter, text) : typed(text);
      values[parameter.name] = value;
      const words = parameter.kind === "choice" ? "" : fault(parameter, value, text);
      this.mark(parameter.name, words !== "");
      refused ||= words;
    }
    refused ||= this.named(check(values) ?? "");
    if (this.error.textContent !== refused) this.error.textContent = refused;
    return refused ? null : values;
  }

  /** A refusal that names fields as code does, in the words of their labels. */
  named(refusal) {
    const labels = new Map(this.parameters.map(({ name, label }) => [name, label]));
    return refusal.replace(/\b[a-z]\w*\b/g, (word) => labels.get(word) ?? word);
  }

  mark(name, bad) {
    const input = this.inputs.get(name);
    if (bad) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    input.setAttribute("aria-describedby", bad ? this.error.id : this.help.id);
  }

  /** Put the cursor where the first fault is. */
  focusFault() {
    for (const input of this.inputs.values()) {
      if (!input.getAttribute("aria-invalid")) continue;
      if (!input.checkVisibility()) this.unfold(true);
      return input.focus();
    }
  }
}

function chosen(parameter, text) {
  return parameter.choices.find((value) => String(value) === text);
}

function fault({ label, kind, min, max }, value, text) {
  const whole = kind !== "integer" || Number.isInteger(value);
  if (value >= min && value <= max && whole) return "";
  const what = kind === "integer" ? "a whole number from" : "a number from";
  return `${label} must be ${what} ${readable(min)} to ${readable(max)}, got ${text.trim() || "nothing"}`;
}

/** Where a value stands between the ends of its slider, 0 to 1. */
function share({ min, max, log }, value) {
  return log ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min);
}

/** The value at a place of the slider, as round as the field shows it. */
function slid({ kind, min, max, log, step }, place) {
  if (place === 0 || place === 1) return place ? max : min;
  const raw = log ? min * (max / min) ** place : min + (max - min) * place;
  if (!log && step) return Number((min + Math.round((raw - min) / step) * step).toPrecision(12));
  const round = Number(raw.toPrecision(kind === "integer" && raw < 1000 ? 3 : 2));
  return Math.min(max, Math.max(min, kind === "integer" ? Math.round(round) : round));
}
