// A radius for a super arm, not for its arms. With a the largest number of a grid that all arms of a super arm S have
// reported, its index is min(sum of the means of their first a reports + sqrt(level K / (2 a)) / (1 - 2 flip), K).
import { respond } from "./random.js";
import { leastFirst } from "./selection.js";
import { observe, pseudoRegret } from "./lists.js";
import { roundByRound } from "./rounds.js";

export function superArmRecord(grid, level, flip) {
  return { kernel: "superarm", grid, level, flip };
}

export function playSuperArm(problem, record, { env, choice, noise }, checkpoints, report, trace) {
  const { means, size, sets } = problem;
  const { grid, level, flip } = record;
  const pulls = new Float64Array(means.length);
  const total = new Float64Array(means.length);
  const cells = new Int32Array(means.length); // numbers of the grid that an arm has reached
  const kept = Array.from(means, () => new Float64Array(grid.length)); // its sums there
  const worth = new Float64Array(sets.length);
  const order = new Int32Array(size);
  const feedback = new Float64Array(size);
  let ties = null; // the super arms of the largest index; null: to be found anew

  function lookUp() {
    sets.forEach((arms, row) => {
      const least = Math.min(...arms.map((arm) => cells[arm]));
      worth[row] = size;
      if (least === 0) return;
      const reports = grid[least - 1];
      let value = 0;
      for (const arm of arms) value += (kept[arm][least - 1] / reports - flip) / (1 - 2 * flip);
      worth[row] = Math.min(value + Math.sqrt((0.5 * level * size) / reports) / (1 - 2 * flip), size);
    });
    const most = Math.max(...worth);
    return sets.filter((_, row) => worth[row] === most);
  }

  return roundByRound(checkpoints, report, () => {
    ties ??= lookUp();
    order.set(ties[ties.length > 1 ? Math.floor(choice.random() * ties.length) : 0]);
    leastFirst(pulls, order);
    observe(problem, order, env, feedback);
    const arm = order[0];
    total[arm] += respond(noise, feedback[0], 2, flip);
    pulls[arm] += 1;
    if (pulls[arm] === grid[cells[arm]]) {
      kept[arm][cells[arm]] = total[arm];
      cells[arm] += 1;
      ties = null;
    }
    if (trace) trace.push([...order, size]);
    return pseudoRegret(problem, order);
  });
}
