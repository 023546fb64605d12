import type { PodTemplate } from '../model/kube.ts';
import type { UserWorkload } from './workloads.ts';

/** What is to be placed. */
export interface Load {
  readonly name: string;
  readonly namespace: string;
  readonly replicas: number;
  readonly template: PodTemplate;
  /** A pod for each node. */
  readonly isDaemon: boolean;
}

/** A workload as what has to be placed. */
export function loadOf({ name, namespace, replicas, template, kind }: UserWorkload): Load {
  return { name, namespace, replicas, template, isDaemon: kind === 'DaemonSet' };
}
