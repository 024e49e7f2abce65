// Workers that share a list of runs. `lab` is the function that the build makes of all modules.

export class Pool {
  constructor(size = navigator.hardwareConcurrency || 2) {
    this.size = size;
    this.workers = [];
  }

  /** Play all tasks; `done(task, regret)` and `progress(task, rounds)` are told of each. Resolve to whether all are. */
  play(tasks, { done, progress }) {
    this.stop();
    const waiting = [...tasks];
    let left = waiting.length;
    return new Promise((resolve, reject) => {
      this.finish = resolve;
      const next = (worker) => {
        worker.task = waiting.shift();
        if (worker.task) worker.postMessage(worker.task);
      };
      for (let i = 0; i < Math.min(this.size, tasks.length); i++) {
        const worker = started();
        this.workers.push(worker);
        worker.onmessage = ({ data }) => {
          if ("rounds" in data) return progress(worker.task, data.rounds);
          done(worker.task, data.regret);
          left -= 1;
          if (left === 0) this.end(true);
          else next(worker);
        };
        worker.onerror = (event) => {
          this.end(false);
          reject(new Error(event.message));
        };
        next(worker);
      }
    });
  }

  /** A loop cannot be interrupted, so its worker goes. */
  stop() {
    this.end(false);
  }

  end(whole) {
    for (const worker of this.workers.splice(0)) worker.terminate();
    this.finish?.(whole);
    this.finish = null;
  }
}

let address = "";

function started() {
  address ||= URL.createObjectURL(new Blob([`(${lab})();`], { type: "text/javascript" }));
  return new Worker(address);
}
