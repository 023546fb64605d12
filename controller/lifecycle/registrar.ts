import { RESOURCES } from '../../clients/resources.ts';
import { defined } from '../../model/defined.ts';
import type { Node, Taint } from '../../model/kube.ts';
import { parseResources, reportedResources } from '../../model/resources.ts';
import { REPELLING } from '../../model/taints.ts';
import { LABEL } from '../../model/kube.ts';
import { CONDITION, DISRUPTED_TAINT, KARPENTER, UNREGISTERED_TAINT, isDeleting, isTrue, nameOf, nodePoolOf, uidOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { SIZE_RENEWAL_MS } from '../capacity/instance-types.ts';
import { patchConditions } from '../claims.ts';
import type { Context } from '../context.ts';
import { isConflict, isNotFound } from '../core/errors.ts';
import { hasClassDrifted } from '../disruption/drift.ts';
import { findAdoptedNode } from './adoption.ts';

/** The part that links a claim's Node to it, and finds out when pods can run there. */
export interface Registrar {
  /** Takes over the Node of a launched claim, if it exists. @returns the updated claim */
  register(claim: NodeClaim): Promise<NodeClaim>;
  /** Finds out whether the Node of a registered claim is ready for pods. @returns the updated claim */
  initialize(claim: NodeClaim): Promise<NodeClaim>;
  /**
   * Keeps in mind that the Node of an initialized claim is smaller than its type was thought to be: what it shows is forgotten after a while.
   * @returns milliseconds until the next call; undefined if it is not smaller
   */
  renewSize(claim: NodeClaim): number | undefined;
}

/** Kubernetes' own taints on starting nodes. */
const EPHEMERAL_TAINTS: readonly string[] = [
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.cloudprovider.kubernetes.io/uninitialized',
];

/** Of its own components, by conditions of the node. */
const KUBERNETES_TAINT = /^node\.(cloudprovider\.)?kubernetes\.io\//u;

export function createRegistrar(context: Context): Registrar {
  return {
    register: (claim) => register(context, claim),
    initialize: (claim) => initialize(context, claim),
    renewSize: (claim) => {
      const [node] = context.state.nodesOf(claim.status?.providerID ?? '');
      return node !== undefined && learnSize(context, claim, node) ? SIZE_RENEWAL_MS : undefined;
    },
  };
}

async function register(context: Context, claim: NodeClaim): Promise<NodeClaim> {
  const nodes = context.state.nodesOf(claim.status?.providerID ?? '').filter((node) => !isDeleting(node));
  const node = nodes[0] ?? (await nameAdopted(context, claim));
  if (node === undefined) return claim;
  if (nodes.length > 1) {
    const message = `${nodes.map(nameOf).join(', ')} all have the provider id of the claim`;
    return patchConditions(context, claim, [{ type: CONDITION.registered, status: 'False', reason: 'MultipleNodesFound', message }]);
  }
  const foreign = foreignTaint(claim, node);
  if (foreign !== undefined) {
    const message = `${nameOf(node)} has the taint ${foreign.key}, which neither its kubelet nor its pool gave it`;
    return patchConditions(context, claim, [{ type: CONDITION.registered, status: 'False', reason: 'ForeignTaint', message }]);
  }
  // Before any request, which may fail: pods that don't fit there are planned anew from now on, and would be given the same type.
  learnSize(context, claim, node);
  const own = await takeOver(context, claim, node);
  context.metrics.nodesCreated.inc({ nodepool: nodePoolOf(claim) });
  context.runtime.log('info', 'registered', { claim: nameOf(claim), node: nameOf(node) });
  return patchConditions(
    context,
    claim,
    [
      { type: CONDITION.registered, status: 'True', reason: 'Registered', message: '' },
      // Set here if already known, which saves most claims another write.
      { type: CONDITION.initialized, status: 'Unknown', ...(findObstacle(claim, own) ?? AWAITING_INITIALIZATION) },
    ],
    { nodeName: nameOf(node) },
  );
}

/** Sets the provider id on a Node that belongs to the claim but has none. This is final: API servers don't allow changes. */
async function nameAdopted(context: Context, claim: NodeClaim): Promise<Node | undefined> {
  const node = await findAdoptedNode(context, claim);
  if (node === undefined) return undefined;
  const message = `the Node has no provider id; its name, address and kubelet's reports say that it is ${claim.status?.providerID ?? ''}`;
  context.runtime.log('warn', message, { claim: nameOf(claim), node: nameOf(node) });
  return patchNode(context, node, { spec: { providerID: claim.status?.providerID } });
}

/**
 * A taint that keeps pods off a node which another component created, and that is not among the claim's. Such a node is no better for
 * pods than none: it is waited for until the taint goes, or until the registration time-out. A node that its kubelet created has the
 * taint of unregistered nodes; what else it has is the user's wish. Karpenter registers no node that another component created.
 * Source: Karpenter, `pkg/controllers/nodeclaim/lifecycle/registration.go`, v1.14.
 */
function foreignTaint(claim: NodeClaim, { metadata, spec }: Node): Taint | undefined {
  const taints = spec?.taints ?? [];
  if (metadata.labels?.[KARPENTER.registered] === 'true' || taints.some((taint) => isSameTaint(taint, UNREGISTERED_TAINT)))
    return undefined;
  const declared = [...(claim.spec.taints ?? []), ...(claim.spec.startupTaints ?? [])];
  return taints.find(
    (taint) => REPELLING.includes(taint.effect) && !KUBERNETES_TAINT.test(taint.key) && !declared.some((one) => isSameTaint(one, taint)),
  );
}

/**
 * Sets labels, taints, finalizer and owner, once: later changes of taints are the users'. A Node with the taint of unregistered
 * nodes got all other taints from its kubelet too: startup taints that are missing have already been removed, and nothing would
 * remove them a second time (kubernetes-sigs/karpenter#1772).
 */
async function takeOver(context: Context, claim: NodeClaim, node: Node): Promise<Node> {
  const { labels = {}, finalizers = [], ownerReferences = [] } = node.metadata;
  if (labels[KARPENTER.registered] === 'true' && finalizers.includes(KARPENTER.finalizer)) return node;
  const taints = node.spec?.taints ?? [];
  const hasHadAll = taints.some((taint) => isSameTaint(taint, UNREGISTERED_TAINT));
  const missing = [...(claim.spec.taints ?? []), ...(hasHadAll ? [] : (claim.spec.startupTaints ?? []))].filter(
    (taint) => !taints.some((known) => isSameTaint(known, taint)),
  );
  const added = labels[KARPENTER.registered] === 'true' ? [] : missing;
  return patchNode(context, node, {
    metadata: {
      labels: { ...claim.metadata.labels, [KARPENTER.registered]: 'true' },
      finalizers: [...new Set([...finalizers, KARPENTER.finalizer])],
      ownerReferences: [
        ...ownerReferences.filter(({ uid }) => uid !== uidOf(claim)),
        { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: nameOf(claim), uid: uidOf(claim), blockOwnerDeletion: true },
      ],
    },
    spec: { taints: [...taints.filter((taint) => !isSameTaint(taint, UNREGISTERED_TAINT)), ...added] },
  });
}

async function initialize(context: Context, claim: NodeClaim): Promise<NodeClaim> {
  const [node] = context.state.nodesOf(claim.status?.providerID ?? '');
  const obstacle = node === undefined ? notReady('NodeNotFound', 'there is no Node') : findObstacle(claim, node);
  if (node === undefined || obstacle !== undefined) {
    return patchConditions(context, claim, [{ type: CONDITION.initialized, status: 'Unknown', ...obstacle }]);
  }
  if (node.metadata.labels?.[KARPENTER.initialized] !== 'true') {
    await patchNode(context, node, { metadata: { labels: { [KARPENTER.initialized]: 'true' } } });
  }
  const { capacity, allocatable } = node.status ?? {};
  learnSize(context, claim, node);
  context.runtime.log('info', 'initialized', { claim: nameOf(claim), node: nameOf(node) });
  return patchConditions(context, claim, [{ type: CONDITION.initialized, status: 'True', reason: 'Initialized', message: '' }], {
    ...defined({ capacity, allocatable }),
  });
}

/** What a node reports says how large other nodes of its type are. @returns whether it is smaller than its type is described */
function learnSize({ state, instanceTypes }: Context, claim: NodeClaim, { status }: Node): boolean {
  const instanceType = claim.metadata.labels?.[LABEL.instanceType] ?? '';
  const nodeClass = state.classes.get(claim.spec.nodeClassRef.name);
  // A node of an older version of its class says nothing about the size of new ones.
  if (hasClassDrifted(claim, nodeClass)) return false;
  return instanceTypes.learn(instanceType, reportedResources(parseResources(status?.allocatable)), nodeClass?.spec.kubelet);
}

interface Obstacle {
  readonly reason: string;
  readonly message: string;
}

const AWAITING_INITIALIZATION: Obstacle = { reason: 'AwaitingInitialization', message: 'the Node has just registered' };

function notReady(reason: string, message: string): Obstacle {
  return { reason, message };
}

function findObstacle(claim: NodeClaim, node: Node): Obstacle | undefined {
  if (!isTrue(node.status?.conditions, 'Ready')) return notReady('NodeNotReady', `${nameOf(node)} is not ready`);
  const taints = node.spec?.taints ?? [];
  const startup = taints.find((taint) => (claim.spec.startupTaints ?? []).some((one) => isSameTaint(one, taint)));
  if (startup !== undefined) return notReady('StartupTaintsExist', `${nameOf(node)} still has the taint ${startup.key}`);
  const ephemeral = taints.find(({ key }) => EPHEMERAL_TAINTS.includes(key));
  if (ephemeral !== undefined) return notReady('KnownEphemeralTaintsExist', `${nameOf(node)} still has the taint ${ephemeral.key}`);
  const allocatable = parseResources(node.status?.allocatable);
  const requested = Object.entries(parseResources(claim.spec.resources?.requests)).filter(([, amount]) => amount > 0);
  const absent = requested.find(([name]) => (allocatable[name] ?? 0) === 0);
  if (absent !== undefined) return notReady('ResourceNotRegistered', `${nameOf(node)} does not offer ${absent[0]} yet`);
  return undefined;
}

/** Merge-patches a Node; after a lost race it fails and our copy of the Node is read again. */
export async function patchNode(context: Context, node: Node, patch: { metadata?: object; spec?: object }): Promise<Node> {
  const { kube, state } = context;
  const ref = { type: RESOURCES.nodes, name: nameOf(node) };
  const { uid, resourceVersion } = node.metadata;
  try {
    const patched = await kube.patch<Node>(ref, { ...patch, metadata: { uid, resourceVersion, ...patch.metadata } });
    state.nodes.remember(patched);
    return patched;
  } catch (error) {
    if (isNotFound(error)) state.nodes.forget(node);
    if (isConflict(error)) {
      const fresh = await kube.get<Node>(ref);
      if (fresh === undefined || uidOf(fresh) !== uidOf(node)) state.nodes.forget(node);
      else state.nodes.remember(fresh);
    }
    throw error;
  }
}

/** Whether two taints have the same key and effect, which identify a taint in the API. */
export function isSameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}

/** Whether the node has the taint of nodes that are about to be removed. */
export function isDisrupted(node: Node): boolean {
  return node.spec?.taints?.some((taint) => isSameTaint(taint, DISRUPTED_TAINT)) ?? false;
}
