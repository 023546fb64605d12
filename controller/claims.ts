import type { KubeRef } from '../clients/kube-client.ts';
import { RESOURCES } from '../clients/resources.ts';
import { isDeleting, nameOf, uidOf } from './api.ts';
import type { NodeClaim } from './api.ts';
import type { Context } from './context.ts';
import { withConditions } from './core/conditions.ts';
import type { NewCondition } from './core/conditions.ts';
import { isConflict, isNotFound } from './core/errors.ts';

/** Writes to NodeClaims: each is remembered until the watch has caught up with it. */

function claimRef(claim: NodeClaim): KubeRef {
  return { type: RESOURCES.nodeclaims, name: nameOf(claim) };
}

/**
 * Merge-patches a claim. With `metadata.resourceVersion` in the patch, a lost race is a conflict. After any error that means
 * our copy is stale, the claim is read again.
 */
export async function patchClaim(
  context: Context,
  claim: NodeClaim,
  patch: { metadata?: object; status?: object },
  subresource?: 'status',
): Promise<NodeClaim> {
  const { kube, state } = context;
  // The uid prevents patching a new object of the same name.
  const body = { ...patch, metadata: { uid: uidOf(claim), ...patch.metadata } };
  try {
    const patched = await kube.patch<NodeClaim>(claimRef(claim), body, subresource);
    state.claims.remember(patched);
    return patched;
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) await refreshClaim(context, claim);
    throw error;
  }
}

/** Sets conditions and other fields in a claim's status; sends nothing if nothing changes. */
export async function patchConditions(
  context: Context,
  claim: NodeClaim,
  changes: readonly NewCondition[],
  status: Omit<NonNullable<NodeClaim['status']>, 'conditions'> = {},
): Promise<NodeClaim> {
  const known = context.state.claims.get(nameOf(claim)) ?? claim;
  const conditions = withConditions(known.status?.conditions, changes, context.runtime.clock.nowMs());
  if (conditions === known.status?.conditions && Object.keys(status).length === 0) return known;
  return patchClaim(context, claim, { status: { ...status, conditions } }, 'status');
}

/** Reads a claim from the server to refresh our copy. @returns undefined if neither it nor another of its name exists */
export async function refreshClaim(context: Context, claim: NodeClaim): Promise<NodeClaim | undefined> {
  const { kube, state } = context;
  const fresh = await kube.get<NodeClaim>(claimRef(claim));
  if (fresh?.metadata.uid === claim.metadata.uid && fresh !== undefined) state.claims.remember(fresh);
  else state.claims.forget(claim);
  return fresh;
}

/** Tells the server to delete a claim: its finalizer then removes its Node and instance gracefully. */
export async function deleteClaim(context: Context, claim: NodeClaim, reason: string): Promise<void> {
  if (isDeleting(claim)) return;
  context.runtime.log('info', `deleting the claim: ${reason}`, { claim: nameOf(claim) });
  try {
    const left = await context.kube.delete<NodeClaim>(claimRef(claim), { uid: uidOf(claim) });
    if (left === undefined) context.state.claims.forget(claim);
    else context.state.claims.remember(left);
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
    const fresh = await refreshClaim(context, claim);
    // It failed and the same claim still exists, so the caller has to try again.
    if (fresh !== undefined && uidOf(fresh) === uidOf(claim) && !isDeleting(fresh)) throw error;
  }
}
