// Which panel fills which element.
import { Experiment } from "./experiment.js";
import { Explorer } from "./explorer.js";
import { settings } from "./settings.js";

export function fill(host) {
  const name = host.dataset.lab;
  if (name === "explorer") new Explorer(host);
  else if (settings[name]) new Experiment(host, name, settings[name]);
}
