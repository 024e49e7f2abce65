// What each chapter's panel offers: parameters, algorithms, problem, bounds.
import { cascadingSetting } from "./cascading_setting.js";

export const settings = { cascading: cascadingSetting };
