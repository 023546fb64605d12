import type { Node } from '../../model/kube.ts';
import { logFailure } from '../../runtime/log.ts';
import { DISRUPTED_TAINT, nameOf } from '../api.ts';
import type { Context } from '../context.ts';
import { describeError } from '../core/errors.ts';
import { isSameTaint, patchNode } from '../lifecycle/registrar.ts';

/** Keeps new pods off a node. @returns the updated node. @throws KubeError */
export function taint(context: Context, node: Node): Promise<Node> {
  return patchNode(context, node, { spec: { taints: [...(node.spec?.taints ?? []), DISRUPTED_TAINT] } });
}

/** Allows new pods again. Failures are logged. */
export async function removeTaint(context: Context, node: Node): Promise<void> {
  const taints = (node.spec?.taints ?? []).filter((one) => !isSameTaint(one, DISRUPTED_TAINT));
  await patchNode(context, node, { spec: { taints } }).catch((error: unknown) => {
    logFailure(context.runtime.log, 'warn', `can't remove the taint: ${describeError(error)}`, error, { node: nameOf(node) });
  });
}
