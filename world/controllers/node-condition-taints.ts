import type { Node, Taint } from '../../model/kube.ts';
import { TAINT } from '../nodes/node-objects.ts';

/** The taints for conditions, by type and status of the condition (`nodeConditionToTaintKeyStatusMap`). */
const CONDITION_TAINTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: TAINT.notReady, Unknown: TAINT.unreachable },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
};
const MANAGED: readonly string[] = [TAINT.unschedulable, ...Object.values(CONDITION_TAINTS).flatMap((byStatus) => Object.values(byStatus))];

/** The NoSchedule taints that a node's conditions and its cordon require. */
function wantedTaints({ spec, status }: Node): Taint[] {
  const keys = (status?.conditions ?? []).map((condition) => CONDITION_TAINTS[condition.type]?.[condition.status]);
  if (spec?.unschedulable === true) keys.push(TAINT.unschedulable);
  return keys.filter((key) => key !== undefined).map((key) => ({ key, effect: 'NoSchedule' }));
}

/**
 * A node's taints, with the NoSchedule ones synced to its conditions and its cordon; others stay
 * (`doNoScheduleTaintingPass` of `k8s.io/kubernetes/pkg/controller/nodelifecycle`).
 * @param timeAdded of new taints
 * @returns undefined if nothing changes
 */
export function withConditionTaints(node: Node, timeAdded: string): readonly Taint[] | undefined {
  const present = node.spec?.taints ?? [];
  const wanted = wantedTaints(node);
  const kept = present.filter((taint) => !isManaged(taint) || wanted.some(({ key }) => key === taint.key));
  const added = wanted.filter(({ key }) => !present.some((taint) => taint.key === key && taint.effect === 'NoSchedule'));
  if (kept.length === present.length && added.length === 0) return undefined;
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded }))];
}

function isManaged({ key, effect }: Taint): boolean {
  return effect === 'NoSchedule' && MANAGED.includes(key);
}
