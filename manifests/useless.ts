import { LoadError } from '../harness/load-error.ts';
import type { Mix, MixWorkload } from './mix.ts';

/** Most pods that the workloads may have at once: what a world on one machine runs in minutes. */
const MAX_PODS = 2_000;
/** Reasons that a message spells out. */
const MAX_REASONS = 3;

/**
 * Refuses a mix of which no run could tell anything.
 * @throws LoadError when there is no NodePool, no workload that could be served by one, or more pods than a world can hold
 */
export function refuseUseless(directory: string, { pools, workloads }: Pick<Mix, 'pools' | 'workloads'>): void {
  if (workloads.length === 0)
    throw new LoadError(`${directory} holds no workload: no Deployment, ReplicaSet, StatefulSet, Job or DaemonSet; add those to be served`);
  if (pools.length === 0)
    throw new LoadError(`${directory} holds no NodePool (karpenter.sh/v1), so nothing could be launched; add the pools of your cluster`);
  const pods = workloads.reduce((sum, { replicas, feasibility }) => sum + (feasibility.kind === 'untestable' ? 0 : replicas), 0);
  if (pods > MAX_PODS) {
    const most = workloads.reduce((a, b) => (b.replicas > a.replicas ? b : a));
    throw new LoadError(
      `${directory} asks for ${pods} pods, ${most.replicas} of them in ${most.where}; at most ${MAX_PODS} are run: ask for fewer replicas`,
    );
  }
  if (workloads.some(mayBeServed)) return;
  const reasons = workloads.slice(0, MAX_REASONS).map((workload) => `${workload.where}: ${whyNot(workload)}`);
  const rest = workloads.length - reasons.length;
  throw new LoadError(
    `${directory} holds no workload that its node pools could serve, so there is nothing to test; mend its workloads or its pools: ` +
      `${reasons.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`,
  );
}

/** Whether it is, or may be, a reason to launch something. */
function mayBeServed({ kind, replicas, feasibility }: MixWorkload): boolean {
  return kind !== 'DaemonSet' && replicas > 0 && (feasibility.kind === 'servable' || feasibility.kind === 'partly');
}

function whyNot({ kind, feasibility, replicas }: MixWorkload): string {
  if ('why' in feasibility) return feasibility.why;
  if (kind === 'DaemonSet') return 'nothing is launched for the pods of a DaemonSet';
  return replicas === 0 ? 'it has no pods' : 'it can be served';
}
