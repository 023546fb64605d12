import type { Node, Pod } from '../../model/kube.ts';
import { matchesNode, nodeAlternatives } from '../../model/requirements.ts';
import { podRequests } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import { untolerated } from '../../model/taints.ts';

/** Why a kubelet rejects a pod that is bound to its node. */
export interface AdmissionFailure {
  readonly reason: string;
  readonly message: string;
}

/** The node is shutting down (`nodeshutdown_manager.go`). */
export const NODE_SHUTDOWN: AdmissionFailure = {
  reason: 'NodeShutdown',
  message: 'Pod was rejected as the node is shutting down.',
};

/** The order of `fitsRequest`; other resources follow. */
const FIRST_CHECKED = ['pods', 'cpu', 'memory', 'ephemeral-storage'];

/**
 * The kubelet's own admission of a pod, which reports only the first failure (`predicateAdmitHandler` and `generalFilter`
 * of `k8s.io/kubernetes/pkg/kubelet/lifecycle/predicate.go`): resources, node affinity, then NoExecute taints. Extended
 * resources that the node doesn't report are ignored. Not modelled: host ports, and preemption for critical pods.
 * @param node as in the API server; undefined if it is gone
 * @param used by the other pods of the node
 */
export function admissionFailure(pod: Pod, node: Node | undefined, allocatable: Resources, used: Resources): AdmissionFailure | undefined {
  const requests = podRequests(pod.spec);
  for (const name of new Set([...FIRST_CHECKED, ...Object.keys(requests)])) {
    const requested = requests[name] ?? 0;
    const capacity = allocatable[name];
    if (requested === 0 || (capacity === undefined && name.includes('/'))) continue;
    const taken = used[name] ?? 0;
    if (requested <= (capacity ?? 0) - taken) continue;
    const message = `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${taken}, capacity: ${capacity ?? 0}`;
    return { reason: `OutOf${name}`, message };
  }
  if (node === undefined) return undefined;
  if (!matchesNode(nodeAlternatives(pod.spec), node.metadata.name ?? '', node.metadata.labels)) {
    return failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
  }
  if (untolerated(node.spec?.taints, pod.spec.tolerations, ['NoExecute']) !== undefined) {
    return failed('TaintToleration', "node(s) had taints that the pod didn't tolerate");
  }
  return undefined;
}

function failed(predicate: string, why: string): AdmissionFailure {
  return { reason: predicate, message: `Predicate ${predicate} failed: ${why}` };
}
