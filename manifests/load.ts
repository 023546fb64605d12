import type { Load } from './feasibility.ts';
import type { UserWorkload } from './workloads.ts';

/** A workload as what has to be placed. */
export function loadOf({ name, namespace, replicas, template, kind }: UserWorkload): Load {
  return { name, namespace, replicas, template, isDaemon: kind === 'DaemonSet' };
}
