import type { Node, Pod } from '../../model/kube.ts';
import { matchesNode, nodeAlternatives } from '../../model/requirements.ts';
import { podRequests } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import { untolerated } from '../../model/taints.ts';

/** Why a kubelet doesn't run a pod that is bound to its node. */
export interface AdmissionFailure {
  readonly reason: string;
  readonly message: string;
}

/** The node is going down (`nodeshutdown_manager.go`). */
export const NODE_SHUTDOWN: AdmissionFailure = {
  reason: 'NodeShutdown',
  message: 'Pod was rejected as the node is shutting down.',
};

/** The order of `fitsRequest`; other resources follow. */
const FIRST_CHECKED = ['pods', 'cpu', 'memory', 'ephemeral-storage'];

/**
 * The kubelet's own look at a pod, of which only the first failure is told (`predicateAdmitHandler` and `generalFilter`
 * of `k8s.io/kubernetes/pkg/kubelet/lifecycle/predicate.go`): room, node affinity, then NoExecute taints. Extended
 * resources that the node doesn't name are passed over. Not here: host ports, and room made for critical pods.
 * @param node as the API server has it; undefined where it is gone
 * @param used what the other pods of the node take
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
