import { RESOURCES } from '../../clients/resources.ts';
import type { Node } from '../../model/kube.ts';
import { isTrue } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import type { Context } from '../context.ts';

/** The Node that a claim names, from the server. @returns undefined if it is gone, or another one has its name by now */
export async function readClaimedNode({ kube }: Pick<Context, 'kube'>, claim: NodeClaim): Promise<Node | undefined> {
  const { nodeName, providerID } = claim.status ?? {};
  if (nodeName === undefined) return undefined;
  const node = await kube.get<Node>({ type: RESOURCES.nodes, name: nodeName });
  return node?.spec?.providerID === providerID ? node : undefined;
}

/**
 * Whether the Node of a claim is ready, whatever our cache says: that may lag for as long as its watch is refused, and pods may run there
 * by now. What was read is remembered.
 */
export async function isReadyNow({ kube, state }: Pick<Context, 'kube' | 'state'>, claim: NodeClaim): Promise<boolean> {
  const fresh = await readClaimedNode({ kube }, claim);
  if (fresh === undefined) return false;
  state.nodes.remember(fresh);
  return isTrue(fresh.status?.conditions, 'Ready');
}
