import type { Instance } from '@aws-sdk/client-ec2';
import type { Node } from '../../model/kube.ts';
import { parseProviderId } from '../../model/provider-id.ts';
import { KARPENTER, isDeleting, nameOf, timeOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import type { Context } from '../context.ts';

/** As long as a Node has this taint, the cloud controller manager has not set the provider id yet. */
const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

/**
 * The Node of a launched claim that its kubelet adopted without a provider id: another component created the object, so nothing
 * sets the id any more. Three facts together prove that it belongs to the claim: its name is the instance's private DNS name, its
 * InternalIP is the instance's, and its kubelet reported after the instance was launched. A name or address alone proves nothing,
 * since both are reused; but an address has only one instance at a time, so no predecessor reports after that launch. The launch
 * time is EC2's, not the claim's, which is by our own clock. Karpenter 1.8 does not search for such a Node, and deletes the claim
 * at its registration time-out.
 * Source: kubelet, `tryRegisterWithAPIServer`; Karpenter, `nodeclaimutils.NodeForNodeClaim`.
 * @returns undefined if there is none, or more than one
 */
export async function findAdoptedNode(context: Context, claim: NodeClaim): Promise<Node | undefined> {
  const { state, instances } = context;
  const id = parseProviderId(claim.status?.providerID);
  const nameless = state.nodesWithoutProviderId().filter(isAdopted);
  if (id === undefined || nameless.length === 0) return undefined;
  const instance = await instances.find(id);
  if (instance === undefined) return undefined;
  const [node, ...more] = nameless.filter((candidate) => isNodeOf(candidate, instance));
  return more.length > 0 ? undefined : node;
}

/** Of a Node without a provider id: whether nothing will set it. */
function isAdopted(node: Node): boolean {
  const isWaiting = node.spec?.taints?.some(({ key }) => key === UNINITIALIZED) ?? false;
  return !isDeleting(node) && !isWaiting && node.metadata.labels?.[KARPENTER.registered] === undefined;
}

function isNodeOf(node: Node, { State, LaunchTime, PrivateDnsName, PrivateIpAddress }: Instance): boolean {
  const address = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  return (
    State?.Name === 'running' &&
    LaunchTime !== undefined &&
    reportedMs(node) > LaunchTime.getTime() &&
    address !== undefined &&
    address === PrivateIpAddress &&
    nameOf(node) === PrivateDnsName
  );
}

/**
 * When its kubelet reported last, in ms since the epoch by the kubelet's clock; 0 if it never did. Of conditions that are
 * Unknown the time may be the node lifecycle controller's.
 */
function reportedMs(node: Node): number {
  const reported = (node.status?.conditions ?? []).filter(({ status }) => status !== 'Unknown');
  return Math.max(0, ...reported.map(({ lastHeartbeatTime }) => timeOf(lastHeartbeatTime) ?? 0));
}
