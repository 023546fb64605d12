import { defined } from '../../model/defined.ts';
import type { Job } from '../../model/kube.ts';
import { parseTime } from '../../model/time.ts';
import { ClusterError } from '../ports.ts';
import { Tasks } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { finishOf } from './job-counts.ts';
import { KeyQueue } from './key-queue.ts';
import { JOB, keyOf, refOfKey } from './ownership.ts';
import type { ControllerOptions } from './pod-control.ts';

/**
 * The TTL-after-finished controller (`k8s.io/kubernetes/pkg/controller/ttlafterfinished`): deletes Jobs some time after
 * they finish. The real one deletes in the foreground, this one in the background.
 */
export class TtlAfterFinished implements WorldPart {
  readonly #options: ControllerOptions;

  constructor(options: ControllerOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, clock, random } = this.#options;
    const tasks = new Tasks(clock, signal);
    const queue = new KeyQueue({ tasks, clock, random, reconcile: (key, self) => this.#reconcile(key, self) });
    port.watch<Job>('jobs', tasks.signal, ({ type, object }) => {
      const waitMs = this.#waitMs(object);
      if (type !== 'DELETED' && waitMs !== undefined) queue.addAfter(keyOf(object), waitMs);
    });
    await tasks.done();
  }

  /** Milliseconds until a Job expires; undefined for never. */
  #waitMs(job: Job): number | undefined {
    const { ttlSecondsAfterFinished } = job.spec;
    const finish = finishOf(job);
    if (ttlSecondsAfterFinished === undefined || finish === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
    return Math.max(0, parseTime(finish.lastTransitionTime ?? '') + ttlSecondsAfterFinished * 1000 - this.#options.clock.nowMs());
  }

  async #reconcile(key: string, queue: KeyQueue): Promise<void> {
    const { port } = this.#options;
    const at = refOfKey(JOB, key);
    const job = await port.get<Job>(at);
    const waitMs = job === undefined ? undefined : this.#waitMs(job);
    if (job === undefined || waitMs === undefined) return;
    if (waitMs > 0) {
      queue.addAfter(key, waitMs);
      return;
    }
    try {
      await port.delete(at, defined({ uid: job.metadata.uid }));
    } catch (error) {
      if (!(error instanceof ClusterError) || error.status !== 404) throw error;
    }
  }
}
