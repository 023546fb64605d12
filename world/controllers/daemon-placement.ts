import { untolerated } from '../../model/taints.ts';
import { matchesNode, nodeAlternatives } from '../../model/requirements.ts';
import type { DaemonSet, Node, Pod, PodSpec, Toleration } from '../../model/kube.ts';

const tolerate = (name: string, effect: 'NoSchedule' | 'NoExecute'): Toleration => {
  return { key: `node.kubernetes.io/${name}`, operator: 'Exists', effect };
};
/** Tolerations of every daemon pod (`AddOrUpdateDaemonPodTolerations` of `pkg/controller/daemon/util`). */
const ALWAYS: readonly Toleration[] = [
  tolerate('not-ready', 'NoExecute'),
  tolerate('unreachable', 'NoExecute'),
  tolerate('disk-pressure', 'NoSchedule'),
  tolerate('memory-pressure', 'NoSchedule'),
  tolerate('pid-pressure', 'NoSchedule'),
  tolerate('unschedulable', 'NoSchedule'),
];
/** In addition, on the host network. */
const ON_HOST_NETWORK = tolerate('network-unavailable', 'NoSchedule');

/** A template's tolerations plus those of daemon pods, which replace ones that differ only in seconds. */
export function daemonTolerations({ tolerations = [], hostNetwork = false }: PodSpec): Toleration[] {
  const all = [...tolerations];
  for (const added of hostNetwork ? [...ALWAYS, ON_HOST_NETWORK] : ALWAYS) {
    const same = all.findIndex(({ key, operator, effect, value = '' }) => {
      return key === added.key && operator === added.operator && effect === added.effect && value === '';
    });
    if (same === -1) all.push(added);
    else all[same] = added;
  }
  return all;
}

/**
 * Whether a node should get a pod of a DaemonSet, and whether an existing one may stay (`NodeShouldRunDaemonPod`). Resources
 * are not checked: the scheduler does that.
 */
export function shouldRun(set: DaemonSet, node: Node): { readonly run: boolean; readonly stay: boolean } {
  const spec = set.spec.template.spec;
  const { name = '', labels } = node.metadata;
  const named = (spec.nodeName ?? '') === '' || spec.nodeName === name;
  if (!named || !matchesNode(nodeAlternatives(spec), name, labels)) return { run: false, stay: false };
  const tolerations = daemonTolerations(spec);
  const taints = node.spec?.taints;
  const run = untolerated(taints, tolerations, ['NoSchedule', 'NoExecute']) === undefined;
  return { run, stay: run || untolerated(taints, tolerations, ['NoExecute']) === undefined };
}

/** The part of the pod spec that depends on the node: the default scheduler binds the pod there and nowhere else. */
export function daemonSpec(spec: PodSpec, nodeName: string): Partial<PodSpec> {
  const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [nodeName] }] }];
  const nodeAffinity = { ...spec.affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
  return { affinity: { ...spec.affinity, nodeAffinity }, tolerations: daemonTolerations(spec) };
}

/** The node that a daemon pod runs on or is meant for. */
export function targetNode({ spec }: Pod): string | undefined {
  if ((spec.nodeName ?? '') !== '') return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const field = terms
    .flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key, operator }) => key === 'metadata.name' && operator === 'In');
  return field?.values?.length === 1 ? field.values[0] : undefined;
}
