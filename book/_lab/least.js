// Which algorithm has the least regret without privacy, and which of those that keep their promise, by whom one trusts.
import { element } from "./elements.js";
import { keepsPromise } from "./privacy.js";
import { readable } from "./words.js";

const COLUMNS = { none: "without privacy", central: "central privacy", local: "local privacy" };

export class Least {
  constructor() {
    this.head = element("p", { class: "lab-small" });
    this.list = element("dl");
    this.element = element("div", { class: "lab-least" }, this.head, this.list);
  }

  /** Show the best of what has been played at some values; nothing where nothing was. */
  show(found, values) {
    this.element.hidden = !found.length;
    if (!found.length) return;
    this.head.textContent = `Least regret at T = ${readable(values.horizon)} that keeps its promise`;
    const columns = Object.entries(COLUMNS).map(([trust, words]) => [trust, words, found.filter((one) => one.trust === trust)]);
    this.list.replaceChildren(...columns.filter(([, , of]) => of.length).map(([trust, words, of]) => {
      const [best] = of.filter((one) => trust === "none" || keepsPromise(one.make(values))).sort((a, b) => end(a) - end(b));
      return element("div", {}, element("dt", {}, words), element("dd", {}, best ? readable(end(best)) : "none"),
        element("dd", { class: "lab-small" }, best ? best.name : "no promise is kept"));
    }));
  }
}

function end({ summaries: [{ mean }] }) {
  return mean.at(-1);
}
