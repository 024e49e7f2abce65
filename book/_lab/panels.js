// Which panel fills which element.
import { Experiment } from "./experiment.js";
import { settings } from "./settings.js";

export function fill(host) {
  const name = host.dataset.lab;
  if (settings[name]) new Experiment(host, name, settings[name]);
}
