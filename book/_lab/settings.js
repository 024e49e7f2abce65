// What each chapter's panel offers: parameters, algorithms, a problem, bounds.
import { streams } from "./random.js";
import { contextualSetting } from "./contextual_setting.js";
import { cascadingSetting } from "./cascading_setting.js";
import { semibanditsSetting } from "./semibandits_setting.js";
import { heavyTailedSetting } from "./heavy_tailed_setting.js";

export const settings = {
  cascading: cascadingSetting,
  semibandits: semibanditsSetting,
  convex: contextualSetting,
  heavy_tailed: heavyTailedSetting,
};

for (const setting of Object.values(settings)) {
  setting.play = (record, values, seed, replication, checkpoints, report) =>
    setting.run(record, values, streams(seed, replication), checkpoints, report, null);
}
