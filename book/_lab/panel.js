// What all panels that run something share: fields, run and stop, a plot, the state in the address, what to take away.
//
// A panel is idle, running, done, stopped or refused. One runs at a time. Those that extend this class have
//   check(values)     what is wrong with values that are each allowed, or null
//   unready()         why nothing can be run, or ""
//   seconds(values)   how long a run will take
//   refresh(values)   show what follows from the values without a run; null where they are refused
//   play(values)      a promise of whether all was played; it calls advanced(share) and show()
//   abort()           end a play
//   show()            draw
//   inWords()         the plot in words
//   entries(), take(state)   what the address keeps besides the fields
//   command(values), rows()  words of a command, rows of a table or none
import { keep, stateIn } from "./address.js";
import { element } from "./elements.js";
import { Fields } from "./fields.js";
import { Plot } from "./plot.js";
import { copyText, saveCsv } from "./takeaway.js";

let running = null;
const QUICK = 5; // seconds of a run that begins by itself
const REST = 300; // milliseconds after which a slider rests

export class Panel {
  constructor(host, name, parameters) {
    Object.assign(this, { host, name });
    this.fields = new Fields(parameters, `lab-${name}`, () => this.moved(), () => this.rested());
    this.runs = element("button", { type: "submit", class: "lab-run", "data-lab-run": true }, "Run");
    this.stops = element("button", { type: "button", disabled: true, onclick: () => this.stop() }, "Stop");
    this.work = element("p", { class: "lab-work" });
    this.progress = element("progress", { max: 1, value: 0, "aria-label": "how much is played" });
    this.picture = element("div", { class: "lab-plot" });
    this.said = element("p", { class: "lab-said", role: "status" });
    this.copies = element("button", { type: "button", onclick: () => this.copy() }, "Copy as private-bandits run …");
    this.saves = element("button", { type: "button", disabled: true, onclick: () => saveCsv(`lab-${name}.csv`, this.rows()) }, "Data as CSV");
    this.form = element("form", { novalidate: true, onsubmit: (event) => {
      event.preventDefault();
      this.run();
    } }, this.fields.element, element("div", { class: "lab-bar" }, this.runs, this.stops, this.work));
    this.result = element("div", { "data-lab-result": true }, this.picture, this.said);
    this.tools = element("div", { class: "lab-tools" }, this.copies, this.saves);
    this.plot = new Plot(this.picture, () => this.inWords());
    host.append(this.form, this.progress, this.result, this.tools);
  }

  /** Begin with what the address says, once the panel is whole, and run once it comes into view. */
  begin() {
    this.restore();
    window.addEventListener("hashchange", () => this.restore());
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      if (this.state === "idle") this.runIfQuick();
    });
    seen.observe(this.picture);
  }

  /** A slider has been moved, or a field left: run again once it rests. */
  rested() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.runIfQuick(), REST);
  }

  runIfQuick() {
    const values = this.read();
    if (values && !this.unready() && this.seconds(values) < QUICK) this.run();
  }

  set state(value) {
    this.host.dataset.labState = value;
  }

  get state() {
    return this.host.dataset.labState;
  }

  read() {
    return this.fields.read((values) => this.check(values));
  }

  /** The reader has moved a field: what was drawn is of other values, and is faded. */
  moved() {
    this.stop();
    this.state = "idle";
    this.say("");
    this.picture.classList.toggle("lab-stale", this.rows().length > 0);
    this.renew();
    this.keep();
  }

  renew() {
    this.refresh(this.read());
    this.show();
  }

  keep() {
    keep(this.name, { ...this.fields.texts(), ...this.entries() });
  }

  restore() {
    const state = stateIn(this.name);
    if (state) {
      this.stop();
      this.fields.restore(state);
      this.take(state);
      this.host.scrollIntoView();
    }
    this.renew();
  }

  async run() {
    clearTimeout(this.resting);
    const values = this.read();
    const why = values && this.unready();
    if (!values || why) {
      this.state = "refused";
      if (why) this.fields.error.textContent = why;
      this.fields.focusFault();
      return;
    }
    running?.stop();
    running = this;
    this.values = values;
    this.picture.classList.remove("lab-stale");
    this.runs.disabled = true;
    this.stops.disabled = false;
    this.saves.disabled = true;
    this.state = "running";
    this.say("Running …");
    const began = performance.now();
    try {
      if (await this.play(values)) this.end("done", `Done in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
    } catch (error) {
      this.end("stopped", `It stopped by itself: ${error.message}`);
    }
  }

  stop() {
    if (this.state !== "running") return;
    this.abort();
    this.end("stopped", this.rows().length ? "Stopped; what is drawn is of the runs so far." : "Stopped before the first run was whole.");
  }

  end(state, words) {
    if (running === this) running = null;
    this.runs.disabled = false;
    this.stops.disabled = true;
    this.saves.disabled = !this.rows().length;
    this.progress.value = 0;
    this.show();
    this.say(words, this.inWords());
    this.state = state;
  }

  advanced(share) {
    this.progress.value = share;
  }

  /** Say in words what happened, and to those who see no plot what it shows. */
  say(words, more = "") {
    this.said.replaceChildren(words, element("span", { class: "lab-hidden" }, ` ${more}`));
  }

  /** Draw at the next frame, once for all that came since the last. */
  soon() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.show();
    });
  }

  async copy() {
    const values = this.read();
    if (!values) return this.fields.focusFault();
    const command = this.command(values);
    this.say((await copyText(command)) ? `Copied: ${command}` : command);
  }
}
