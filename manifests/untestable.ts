import { LoadError } from '../harness/load-error.ts';
import type { Mix, MixWorkload } from './mix.ts';

/** Most pods of all workloads at once: this many run in minutes on one machine. */
const MAX_PODS = 2_000;
/** Most reasons in a message. */
const MAX_REASONS = 3;

/**
 * Rejects manifests that no run could test.
 * @throws LoadError when there is no NodePool, no workload that one could serve, or more pods than a world can run
 */
export function refuseUntestable(directory: string, { pools, workloads }: Pick<Mix, 'pools' | 'workloads'>): void {
  if (workloads.length === 0)
    throw new LoadError(
      `${directory} holds no workload: no Deployment, ReplicaSet, StatefulSet, Job, CronJob or DaemonSet; add the workloads to test`,
    );
  if (pools.length === 0)
    throw new LoadError(`${directory} holds no NodePool (karpenter.sh/v1), so nothing could be launched; add the pools of your cluster`);
  const pods = workloads.reduce((sum, { replicas, feasibility }) => sum + (feasibility.kind === 'untestable' ? 0 : replicas), 0);
  if (pods > MAX_PODS) {
    const most = workloads.reduce((a, b) => (b.replicas > a.replicas ? b : a));
    throw new LoadError(
      `${directory} has ${pods} pods, ${most.replicas} of them in ${most.where}; at most ${MAX_PODS} can be run: reduce the replicas`,
    );
  }
  if (workloads.some(mayBeServed)) return;
  const reasons = workloads.slice(0, MAX_REASONS).map((workload) => `${workload.where}: ${whyNot(workload)}`);
  const rest = workloads.length - reasons.length;
  throw new LoadError(
    `${directory} holds no workload that its node pools could serve, so there is nothing to test; fix its workloads or its pools: ` +
      `${reasons.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`,
  );
}

/** Whether something has to be, or may be, launched for it. */
function mayBeServed({ kind, replicas, feasibility }: MixWorkload): boolean {
  return kind !== 'DaemonSet' && replicas > 0 && (feasibility.kind === 'servable' || feasibility.kind === 'partly');
}

function whyNot({ kind, feasibility, replicas }: MixWorkload): string {
  if ('why' in feasibility) return feasibility.why;
  if (kind === 'DaemonSet') return 'nothing is launched for the pods of a DaemonSet';
  return replicas === 0 ? 'it has no pods' : 'it can be served';
}
