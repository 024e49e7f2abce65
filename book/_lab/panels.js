// Which panel fills which element.
import { Attacker } from "./attacker.js";
import { Experiment } from "./experiment.js";
import { Explorer } from "./explorer.js";
import { Noise } from "./noise.js";
import { settings } from "./settings.js";

export function fill(host) {
  const name = host.dataset.lab;
  if (name === "explorer") new Explorer(host);
  else if (name === "definitions") new Attacker(host, name);
  else if (settings[name]) new Experiment(host, name, settings[name], name === "convex" ? new Noise() : null);
}
