import type { PodTemplate } from '../model/kube.ts';
import type { UserWorkload } from './workloads.ts';

/** Pods to place. */
export interface Load {
  readonly name: string;
  readonly namespace: string;
  readonly replicas: number;
  readonly template: PodTemplate;
  /** One pod for each node. */
  readonly isDaemon: boolean;
}

/** The load of a workload. */
export function loadOf({ name, namespace, replicas, template, kind }: UserWorkload): Load {
  return { name, namespace, replicas, template, isDaemon: kind === 'DaemonSet' };
}
