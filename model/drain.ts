import type { Node, PodSpec, Taint } from './kube.ts';
import { tolerates } from './taints.ts';

/**
 * Taints that mark nodes for removal, equivalent to a cordon: Karpenter's since v1, and those of its betas; Cluster
 * Autoscaler's; AWS's node termination handler's. Sources: karpenter.sh `pkg/apis/v1/taints.go`, cluster-autoscaler
 * `utils/taints/taints.go`, aws-node-termination-handler `pkg/node/node.go`.
 */
const LEAVING_TAINTS: readonly string[] = [
  'karpenter.sh/disrupted',
  'karpenter.sh/disruption',
  'ToBeDeletedByClusterAutoscaler',
  'aws-node-termination-handler/spot-itn',
  'aws-node-termination-handler/scheduled-maintenance',
  'aws-node-termination-handler/rebalance-recommendation',
  'aws-node-termination-handler/asg-lifecycle-termination',
];

/** Taints that don't affect pods which tolerate them: Karpenter's. Cluster Autoscaler evicts all but DaemonSet pods. */
const TOLERABLE_TAINTS: readonly string[] = ['karpenter.sh/disrupted', 'karpenter.sh/disruption'];

/** Annotations with which pods opt out of disruption. Sources: Karpenter, "Pod-Level Controls"; Cluster Autoscaler's FAQ. */
const OPT_OUTS: readonly (readonly [key: string, value: string])[] = [
  ['karpenter.sh/do-not-disrupt', 'true'],
  ['karpenter.sh/do-not-evict', 'true'],
  ['cluster-autoscaler.kubernetes.io/safe-to-evict', 'false'],
];

/** Annotations with which users keep a node from being disrupted. Sources: Karpenter, "Node-Level Controls"; Cluster Autoscaler's FAQ. */
export const NODE_OPT_OUTS: Readonly<Record<string, string>> = {
  'karpenter.sh/do-not-disrupt': 'true',
  'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true',
};

/** Priority classes of pods that others need. Source: Kubernetes, `pkg/apis/scheduling/types.go` */
const CRITICAL: readonly string[] = ['system-cluster-critical', 'system-node-critical'];

/** Whether pods are critical, by the name of their priority class. */
export function isCritical(spec: Pick<PodSpec, 'priorityClassName'> | undefined): boolean {
  return CRITICAL.includes(spec?.priorityClassName ?? '');
}

/** Whether a user wants to keep a node from being disrupted. */
export function hasOptedOut({ metadata }: Pick<Node, 'metadata'>): boolean {
  return Object.entries(NODE_OPT_OUTS).some(([key, value]) => metadata.annotations?.[key] === value);
}

/** The same, whichever autoscaler there is: each reads its own annotation. */
export function hasOptedOutOfAll({ metadata }: Pick<Node, 'metadata'>): boolean {
  return Object.entries(NODE_OPT_OUTS).every(([key, value]) => metadata.annotations?.[key] === value);
}

/** Whether a taint marks its node for removal. */
export function isLeavingTaint({ key }: Pick<Taint, 'key'>): boolean {
  return LEAVING_TAINTS.includes(key);
}

/**
 * What happens to pods on a drained node if they are not evicted. `stays`: they tolerate the draining taint, so they are neither
 * evicted nor waited for. `opted-out`: they declared that they must not be disrupted, so they are waited for, but not
 * evicted.
 */
export type DrainHabit = 'stays' | 'opted-out';

/** @param template metadata and spec of the pods */
export function drainHabitOf(template: {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: Pick<PodSpec, 'tolerations'>;
}): DrainHabit | undefined {
  const tolerations = template.spec?.tolerations ?? [];
  const isTolerated = TOLERABLE_TAINTS.some((key) => tolerations.some((one) => tolerates(one, { key, effect: 'NoSchedule' })));
  if (isTolerated) return 'stays';
  const annotations = template.metadata?.annotations ?? {};
  return OPT_OUTS.some(([key, value]) => annotations[key] === value) ? 'opted-out' : undefined;
}
