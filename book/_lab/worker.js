// What a worker does: plays one run of one algorithm at a time.
import { settings } from "./settings.js";

/** Play the task of a message, telling how many rounds are done. */
export function serve(scope) {
  scope.onmessage = ({ data: { setting, algorithm, values, replication, checkpoints } }) => {
    const laboratory = settings[setting];
    const { record } = laboratory.algorithms.find((one) => one.id === algorithm).make(values);
    const report = (rounds) => scope.postMessage({ rounds });
    const regret = laboratory.play(record, values, values.seed, replication, checkpoints, report);
    scope.postMessage({ regret });
  };
}
