import { isDeepStrictEqual } from 'node:util';
import { conditionOf } from '../../model/conditions.ts';
import { defined } from '../../model/defined.ts';
import type { Condition, Job, Pod } from '../../model/kube.ts';
import { formatTime, parseTime } from '../../model/time.ts';
import { ClusterError } from '../ports.ts';
import { Tasks } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { countByNode, rankForDeletion } from './deletion-order.ts';
import {
  JOB_TRACKING,
  backoffLimitOf,
  backoffMs,
  completionsOf,
  failuresAfter,
  finishOf,
  hasFailed,
  isTracked,
  parallelismOf,
} from './job-counts.ts';
import type { Failures } from './job-counts.ts';
import { KeyQueue } from './key-queue.ts';
import { JOB, claim, isControlledBy, keyOf, ownerKey, podsFor, refOf, refOfKey } from './ownership.ts';
import { PodControl, slowStart } from './pod-control.ts';
import type { ControllerOptions } from './pod-control.ts';
import { isActive, isReady, isTerminal } from './pods.ts';

/** `syncJobBatchPeriod`: pod changes are handled in batches. */
const BATCH_PERIOD_MS = 1_000;
/** `MaxPodCreateDeletePerSync`. */
const BURST = 500;

type Status = NonNullable<Job['status']>;

/**
 * The job controller (`k8s.io/kubernetes/pkg/controller/job`) for Jobs whose completion mode is NonIndexed: parallelism,
 * completions, backoff and its limit, deadlines, suspension; pods keep a finalizer until they are counted. Container
 * restarts don't count towards the backoff limit; pod failure policies, success policies and
 * `podReplacementPolicy: Failed` are not supported, and Indexed Jobs run as NonIndexed.
 */
export class Jobs implements WorldPart {
  readonly #options: ControllerOptions;
  readonly #pods: PodControl;
  /** By the Job's uid. */
  readonly #failures = new Map<string, Failures>();

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#pods = new PodControl({ ...options, kind: JOB, component: 'job-controller' });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, clock, random } = this.#options;
    const tasks = new Tasks(clock, signal);
    const queue = new KeyQueue({ tasks, clock, random, reconcile: (key, self) => this.#reconcile(key, self) });
    port.watch<Job>('jobs', tasks.signal, ({ type, object }) => {
      if (type === 'DELETED') this.#failures.delete(object.metadata.uid ?? '');
      queue.add(keyOf(object));
    });
    port.watch<Pod>('pods', tasks.signal, ({ type, object }) => {
      const key = ownerKey(object, JOB);
      if (key === undefined) return;
      // A pod whose Job is gone loses its finalizer at once.
      if (object.metadata.deletionTimestamp !== undefined && type !== 'DELETED' && isTracked(object)) queue.add(key);
      else queue.addAfter(key, BATCH_PERIOD_MS);
    });
    await tasks.done();
  }

  async #reconcile(key: string, queue: KeyQueue): Promise<void> {
    const { port } = this.#options;
    const at = refOfKey(JOB, key);
    const job = await port.get<Job>(at);
    const all = await port.list<Pod>('pods', job === undefined ? { namespace: at.namespace ?? '' } : podsFor(job));
    if (job === undefined) {
      await Promise.all(all.filter((pod) => ownerKey(pod, JOB) === key).map((pod) => this.#untrack(pod)));
      return;
    }
    if (finishOf(job) !== undefined) {
      this.#failures.delete(job.metadata.uid ?? '');
      await Promise.all(all.filter((pod) => isControlledBy(pod, job)).map((pod) => this.#untrack(pod)));
      return;
    }
    const { selector } = job.spec;
    const finalizers = [JOB_TRACKING];
    const pods =
      selector === undefined
        ? all.filter((pod) => isControlledBy(pod, job))
        : await claim(port, { owner: job, kind: JOB, selector, resource: 'pods', objects: all, finalizers });
    await this.#sync(job, pods, queue);
  }

  async #sync(job: Job, pods: readonly Pod[], queue: KeyQueue): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    const suspended = job.spec.suspend === true;
    const active = pods.filter(isActive);
    const ended = pods.filter((pod) => isTracked(pod) && (isTerminal(pod) || hasFailed(pod)));
    const newlySucceeded = ended.filter(({ status }) => status?.phase === 'Succeeded');
    const newlyFailed = ended.filter((pod) => !newlySucceeded.includes(pod));
    const failures = failuresAfter(this.#failures.get(job.metadata.uid ?? ''), newlySucceeded, newlyFailed);
    const succeeded = (job.status?.succeeded ?? 0) + newlySucceeded.length;
    const failed = (job.status?.failed ?? 0) + newlyFailed.length;
    const startTime = job.status?.startTime ?? (suspended ? undefined : formatTime(nowMs));
    const status: Status = {
      ...job.status,
      ...defined({ startTime }),
      conditions: [...(job.status?.conditions ?? [])],
    };

    let verdict = this.#verdict(job, failed, startTime, nowMs);
    const deadlineS = job.spec.activeDeadlineSeconds;
    if (verdict === undefined && deadlineS !== undefined && startTime !== undefined && !suspended) {
      queue.addAfter(keyOf(job), Math.max(0, parseTime(startTime) + deadlineS * 1000 - nowMs));
    }
    let change: PodChange = { removed: [], created: 0 };
    let refusal: ClusterError | undefined;
    try {
      if (verdict !== undefined) change = await this.#remove(job, active, false);
      else if (job.metadata.deletionTimestamp === undefined) {
        const waitMs = backoffMs(failures, nowMs);
        change = await this.#manage(job, active, succeeded, waitMs);
        if (waitMs > 0) queue.addAfter(keyOf(job), waitMs);
        this.#noteSuspension(job, status, nowMs);
      }
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      // Pods that could not be removed keep a Job from finishing.
      verdict = undefined;
      refusal = error;
    }
    const left = active.filter((pod) => !change.removed.includes(pod));
    status.active = left.length + change.created;
    status.ready = left.filter(isReady).length;
    status.terminating = pods.filter((pod) => !isTerminal(pod) && !left.includes(pod)).length;
    const completions = completionsOf(job);
    const enough = completions === undefined ? succeeded > 0 : succeeded >= completions;
    if (verdict === undefined && enough && status.active === 0 && refusal === undefined) verdict = SUCCESS;
    const counted = verdict !== undefined && verdict !== SUCCESS ? pods.filter(isTracked) : ended;
    await this.#account(job, status, counted, verdict);
    if (failures !== undefined) this.#failures.set(job.metadata.uid ?? '', failures);
    else this.#failures.delete(job.metadata.uid ?? '');
    if (refusal !== undefined) throw refusal;
  }

  /** Whether a Job has failed, now or before. */
  #verdict(job: Job, failed: number, startTime: string | undefined, nowMs: number): Verdict | undefined {
    const known = conditionOf(job, 'FailureTarget');
    if (known?.status === 'True')
      return { type: 'Failed', interim: 'FailureTarget', reason: known.reason ?? '', message: known.message ?? '' };
    if (conditionOf(job, 'SuccessCriteriaMet')?.status === 'True') return SUCCESS;
    if (failed > backoffLimitOf(job)) {
      const message = 'Job has reached the specified backoff limit';
      return { type: 'Failed', interim: 'FailureTarget', reason: 'BackoffLimitExceeded', message };
    }
    const deadlineS = job.spec.activeDeadlineSeconds;
    if (deadlineS === undefined || startTime === undefined || job.spec.suspend === true) return undefined;
    if (nowMs - parseTime(startTime) < deadlineS * 1000) return undefined;
    const message = 'Job was active longer than specified deadline';
    return { type: 'Failed', interim: 'FailureTarget', reason: 'DeadlineExceeded', message };
  }

  /** `manageJob`: as many pods as parallelism and the remaining completions require. */
  async #manage(job: Job, active: readonly Pod[], succeeded: number, waitMs: number): Promise<PodChange> {
    if (job.spec.suspend === true) return this.#remove(job, active, true);
    const completions = completionsOf(job);
    const parallelism = parallelismOf(job);
    const wanted =
      completions === undefined
        ? succeeded > 0
          ? active.length
          : parallelism
        : Math.max(0, Math.min(parallelism, completions - succeeded));
    const surplus = active.length - wanted;
    if (surplus > 0) {
      const ranked = rankForDeletion(active, countByNode(active), this.#options.clock.nowMs());
      return this.#remove(job, ranked.slice(0, Math.min(surplus, BURST)), true);
    }
    if (surplus === 0 || waitMs > 0) return { removed: [], created: 0 };
    const count = Math.min(-surplus, BURST);
    await slowStart(count, () => this.#pods.create(job, job.spec.template, { finalizers: [JOB_TRACKING] }));
    return { removed: [], created: count };
  }

  /** @param uncounted whether the pods lose their finalizer first, so that they don't count as failed */
  async #remove(job: Job, pods: readonly Pod[], uncounted: boolean): Promise<PodChange> {
    await Promise.all(
      pods.map(async (pod) => {
        if (uncounted) await this.#untrack(pod);
        await this.#pods.delete(job, pod);
      }),
    );
    return { removed: pods, created: 0 };
  }

  /** Reports whether the Job is suspended, once it ever was. */
  #noteSuspension(job: Job, status: Status, nowMs: number): void {
    const suspended = job.spec.suspend === true;
    const known = conditionOf(job, 'Suspended');
    if (known === undefined ? !suspended : (known.status === 'True') === suspended) return;
    const word = suspended ? 'suspended' : 'resumed';
    const condition = finished('Suspended', suspended ? 'JobSuspended' : 'JobResumed', `Job ${word}`, nowMs);
    status.conditions = [
      ...(status.conditions ?? []).filter(({ type }) => type !== 'Suspended'),
      { ...condition, status: suspended ? 'True' : 'False' },
    ];
    if (!suspended) status.startTime = formatTime(nowMs);
    void this.#pods.recordEvent(job, 'Normal', suspended ? 'Suspended' : 'Resumed', `Job ${word}`);
  }

  /**
   * `trackJobStatusAndRemoveFinalizers`: records pods as uncounted, removes their finalizers, counts them; and finishes the Job
   * when all are counted and none is terminating.
   */
  async #account(job: Job, status: Status, counted: readonly Pod[], verdict: Verdict | undefined): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    const uids = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.uid ?? '');
    const good = counted.filter(({ status: { phase } = {} }) => phase === 'Succeeded');
    const bad = counted.filter((pod) => !good.includes(pod));
    if (verdict !== undefined && conditionOf(job, verdict.interim) === undefined) {
      status.conditions = [...(status.conditions ?? []), finished(verdict.interim, verdict.reason, verdict.message, nowMs)];
    }
    if (counted.length > 0) {
      const uncountedTerminatedPods = { succeeded: uids(good), failed: uids(bad) };
      await this.#write(job, { ...status, uncountedTerminatedPods });
      await Promise.all(counted.map((pod) => this.#untrack(pod)));
    }
    const next: Status = {
      ...status,
      succeeded: (job.status?.succeeded ?? 0) + good.length,
      failed: (job.status?.failed ?? 0) + bad.length,
      uncountedTerminatedPods: {},
    };
    const over = verdict !== undefined && (status.terminating ?? 0) === 0;
    if (over) {
      next.conditions = [...(next.conditions ?? []), finished(verdict.type, verdict.reason, verdict.message, nowMs)];
      if (verdict.type === 'Complete') next.completionTime = formatTime(nowMs);
    }
    await this.#write(job, next);
    if (!over) return;
    if (verdict.type === 'Failed') await this.#pods.recordEvent(job, 'Warning', verdict.reason, verdict.message);
    else await this.#pods.recordEvent(job, 'Normal', 'Completed', 'Job completed');
  }

  async #untrack(pod: Pod): Promise<void> {
    if (!isTracked(pod)) return;
    const finalizers = (pod.metadata.finalizers ?? []).filter((one) => one !== JOB_TRACKING);
    try {
      await this.#options.port.patch(refOf('pods', pod), { metadata: { finalizers: finalizers.length === 0 ? null : finalizers } });
    } catch (error) {
      if (!(error instanceof ClusterError) || error.status !== 404) throw error;
    }
  }

  async #write(job: Job, status: Status): Promise<void> {
    const present = await this.#options.port.get<Job>(refOf('jobs', job));
    if (present === undefined || isDeepStrictEqual(present.status, status)) return;
    const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
    // A merge patch removes what is null.
    const uncountedTerminatedPods = {
      succeeded: succeeded.length === 0 ? null : succeeded,
      failed: failed.length === 0 ? null : failed,
    };
    await this.#options.port.patch(refOf('jobs', job), { status: { ...status, uncountedTerminatedPods } }, 'status');
  }
}

/** How a Job finishes: the first condition, and the one once its pods are gone and counted. */
interface Verdict {
  readonly type: 'Complete' | 'Failed';
  readonly interim: 'SuccessCriteriaMet' | 'FailureTarget';
  readonly reason: string;
  readonly message: string;
}

const SUCCESS: Verdict = {
  type: 'Complete',
  interim: 'SuccessCriteriaMet',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

/** What one sync did to the pods. */
interface PodChange {
  readonly removed: readonly Pod[];
  readonly created: number;
}

function finished(type: string, reason: string, message: string, nowMs: number): Condition {
  const now = formatTime(nowMs);
  return { type, status: 'True', reason, message, lastProbeTime: now, lastTransitionTime: now };
}
