import { CONDITION, KARPENTER, isDeleting, isTrue, launchTime, nameOf, nodePoolOf, timeOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { deleteClaim, patchClaim } from '../claims.ts';
import type { Context } from '../context.ts';
import { createQueue } from '../core/queue.ts';
import type { Queue } from '../core/queue.ts';
import type { Parts } from '../parts.ts';
import { isReadyNow, readClaimedNode } from './claimed-node.ts';

/** The lifecycle of claims, step by step: launch, registration, initialization, and termination. */
export interface Lifecycle {
  /** Settles when the signal was aborted and no work is in progress any more. */
  readonly done: Promise<void>;
}

type LifecycleParts = Pick<Parts, 'launcher' | 'registrar' | 'terminator'>;

/** Reconciles every known claim and Node, and each that changes. */
export function startLifecycle(context: Context, parts: LifecycleParts): Lifecycle {
  const { state, runtime } = context;
  const claims: Queue = createQueue(runtime, 'claim', (name) => reconcileClaim(context, parts, name));
  const nodes: Queue = createQueue(runtime, 'node', (name) => reconcileNode(context, parts, name));

  const addClaimOf = (providerId: string | undefined): void => {
    if (providerId === undefined) return;
    for (const claim of state.claimsOf(providerId)) claims.add(nameOf(claim));
  };
  state.claims.onChange((_type, claim) => claims.add(nameOf(claim)));
  state.nodes.onChange((_type, node) => {
    addClaimOf(node.spec?.providerID);
    if (isDeleting(node)) nodes.add(nameOf(node));
  });
  state.pods.onChange((type, pod) => {
    // The last pod may have left a draining node.
    const node = type === 'DELETED' ? state.nodes.get(pod.spec.nodeName ?? '') : undefined;
    if (node !== undefined && isDeleting(node)) addClaimOf(node.spec?.providerID);
  });
  for (const claim of state.claims.list()) claims.add(nameOf(claim));
  for (const node of state.nodes.list()) if (isDeleting(node)) nodes.add(nameOf(node));
  return { done: Promise.all([claims.done, nodes.done]).then(() => undefined) };
}

async function reconcileClaim(context: Context, parts: LifecycleParts, name: string): Promise<number | undefined> {
  const claim = context.state.claims.get(name);
  if (claim === undefined) return undefined;
  if (isDeleting(claim)) return parts.terminator.terminate(claim);
  if (!claim.metadata.finalizers?.includes(KARPENTER.finalizer)) return addFinalizer(context, claim);
  if (claim.status?.providerID === undefined) return launch(context, parts, claim);
  if (!isTrue(claim.status.conditions, CONDITION.registered)) return register(context, parts, claim);
  if (await hasLostNode(context, claim)) {
    await deleteClaim(context, claim, `its Node ${claim.status.nodeName ?? ''} is gone`);
    return undefined;
  }
  if (isTrue(claim.status.conditions, CONDITION.initialized)) return parts.registrar.renewSize(claim);
  const initialized = await parts.registrar.initialize(claim);
  if (isTrue(initialized.status?.conditions, CONDITION.initialized)) return undefined;
  const waitedMs = context.runtime.clock.nowMs() - launchTime(claim);
  const [node] = context.state.nodesOf(claim.status.providerID);
  // A ready Node is waiting for its startup taints to be removed: another Node would wait as long.
  const { lifecyclePollMs, initializationTimeoutMs } = context.periods;
  if (isTrue(node?.status?.conditions, 'Ready')) return lifecyclePollMs;
  if (waitedMs <= initializationTimeoutMs) return Math.min(lifecyclePollMs, initializationTimeoutMs - waitedMs + 1);
  if (await isReadyNow(context, claim)) return lifecyclePollMs;
  await deleteClaim(context, claim, `its Node was not ready within ${initializationTimeoutMs} ms of the launch`);
  return undefined;
}

async function launch(context: Context, parts: LifecycleParts, claim: NodeClaim): Promise<number | undefined> {
  const nowMs = context.runtime.clock.nowMs();
  const ageMs = nowMs - (timeOf(claim.metadata.creationTimestamp) ?? nowMs);
  const { launchTimeoutMs } = context.periods;
  if (ageMs > launchTimeoutMs) {
    // EC2 may have answered after we crashed, and could not be asked since: its node may run pods by now.
    const found = await parts.launcher.find(claim);
    if (found !== undefined) return register(context, parts, found);
    await deleteClaim(context, claim, `no instance was launched within ${launchTimeoutMs} ms`);
    return undefined;
  }
  const progress = await parts.launcher.launch(claim);
  switch (progress.kind) {
    case 'launched':
      return register(context, parts, progress.claim);
    case 'waiting':
      return progress.waitMs;
    case 'impossible':
      await deleteClaim(context, claim, progress.reason);
      return undefined;
  }
}

async function register(context: Context, parts: LifecycleParts, claim: NodeClaim): Promise<number | undefined> {
  const registered = await parts.registrar.register(claim);
  if (isTrue(registered.status?.conditions, CONDITION.registered)) return 0;
  const waitedMs = context.runtime.clock.nowMs() - launchTime(claim);
  const { lifecyclePollMs, registrationTimeoutMs } = context.periods;
  if (waitedMs <= registrationTimeoutMs) return Math.min(lifecyclePollMs, registrationTimeoutMs - waitedMs + 1);
  await deleteClaim(context, claim, `its Node did not register within ${registrationTimeoutMs} ms`);
  return undefined;
}

/** Whether the Node of a registered claim was deleted externally. Our cache may lag, so the server is asked. */
async function hasLostNode(context: Context, claim: NodeClaim): Promise<boolean> {
  const { providerID = '', nodeName } = claim.status ?? {};
  if (nodeName === undefined || context.state.nodesOf(providerID).length > 0) return false;
  return (await readClaimedNode(context, claim)) === undefined;
}

async function addFinalizer(context: Context, claim: NodeClaim): Promise<number> {
  const { resourceVersion, finalizers = [] } = claim.metadata;
  await patchClaim(context, claim, { metadata: { resourceVersion, finalizers: [...finalizers, KARPENTER.finalizer] } });
  return 0;
}

/** A deleted Node has its claim deleted; without a claim it is terminated directly. */
async function reconcileNode(context: Context, parts: LifecycleParts, name: string): Promise<number | undefined> {
  const { state, scope } = context;
  const node = state.nodes.get(name);
  if (node === undefined || !isDeleting(node) || !node.metadata.finalizers?.includes(KARPENTER.finalizer)) return undefined;
  const { providerID = '' } = node.spec ?? {};
  const [known] = state.claimsOf(providerID);
  // A Node without a claim of ours belongs to the autoscaler of its pool.
  if (known === undefined && !scope.owns(nodePoolOf(node))) return undefined;
  const claim = known ?? (await state.freshClaims()).find(({ status }) => providerID !== '' && status?.providerID === providerID);
  if (claim === undefined) return parts.terminator.terminateNode(node);
  await deleteClaim(context, claim, `its Node ${name} is being deleted`);
  // Its claim may disappear before the Node is removed.
  return context.periods.lifecyclePollMs;
}
