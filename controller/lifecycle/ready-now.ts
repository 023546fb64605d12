import { RESOURCES } from '../../clients/resources.ts';
import type { Node } from '../../model/kube.ts';
import { isTrue } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import type { Context } from '../context.ts';

/**
 * Whether the Node of a claim is ready, whatever our cache says: that may lag for as long as its watch is refused, and pods may run there
 * by now. What was read is remembered.
 */
export async function isReadyNow({ kube, state }: Pick<Context, 'kube' | 'state'>, claim: NodeClaim): Promise<boolean> {
  const { nodeName, providerID } = claim.status ?? {};
  if (nodeName === undefined) return false;
  const fresh = await kube.get<Node>({ type: RESOURCES.nodes, name: nodeName });
  // Another Node may have the name by now.
  if (fresh === undefined || fresh.spec?.providerID !== providerID) return false;
  state.nodes.remember(fresh);
  return isTrue(fresh.status?.conditions, 'Ready');
}
