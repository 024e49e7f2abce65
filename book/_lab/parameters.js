// What a reader may set, and the words in which a bad value is refused.

export const integer = (name, label, value, min, max, help, log = false) => ({
  name, label, kind: "integer", value, min, max, step: 1, log, help,
});

export const number = (name, label, value, min, max, help, log = false) => ({
  name, label, kind: "number", value, min, max, step: null, log, help,
});

export const choice = (name, label, value, choices, help) => ({ name, label, kind: "choice", value, choices, help });

export const commonParameters = (horizon, most, replications = 8, least = 1) => [
  integer("horizon", "horizon T", horizon, least, most, "rounds of a run", true),
  integer("replications", "runs", replications, 2, 1000, "independent runs of every curve", true),
  integer("seed", "seed", 2021, 0, 2 ** 32, "of all runs"),
];

// null, or a sentence that names the parameter, what is allowed and what was given.
export function refusal(parameters, values) {
  for (const { name, kind, min, max, choices } of parameters) {
    const value = values[name];
    if (kind === "choice") {
      if (!choices.includes(value)) return `${name} must be one of ${choices.join(", ")}, got ${value}`;
      continue;
    }
    if (typeof value !== "number" || Number.isNaN(value)) return `${name} must be a number, got ${value}`;
    if (kind === "integer" && !Number.isInteger(value)) return `${name} must be a whole number, got ${value}`;
    if (value < min) return `${name} must be >= ${min}, got ${value}`;
    if (value > max) return `${name} must be <= ${max}, got ${value}`;
  }
  return null;
}

// The words of `private-bandits run`; a shell may take a list in brackets for a pattern of file names, so it is quoted.
export function runCommand(chapter, given) {
  const words = Object.entries(given).map(([name, value]) => (Array.isArray(value) ? ` -p '${name}=[${value}]'` : ` -p ${name}=${value}`));
  return `private-bandits run ${chapter}${words.join("")}`;
}
