// What each chapter's panel offers: parameters, algorithms, a problem, bounds.
import { streams } from "./random.js";
import { cascadingSetting } from "./cascading_setting.js";

export const settings = { cascading: cascadingSetting };

for (const setting of Object.values(settings)) {
  setting.play = (record, values, seed, replication, checkpoints, report) =>
    setting.run(record, values, streams(seed, replication), checkpoints, report, null);
}
