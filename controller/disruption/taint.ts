import type { Node } from '../../model/kube.ts';
import { logFailure } from '../../runtime/log.ts';
import { DISRUPTED_TAINT, nameOf } from '../api.ts';
import type { Context } from '../context.ts';
import { describeError } from '../core/errors.ts';
import { isSameTaint, patchNode } from '../lifecycle/registrar.ts';

/** Keeps new pods off a node. @returns it as it stands then. @throws KubeError */
export function taint(context: Context, node: Node): Promise<Node> {
  return patchNode(context, node, { spec: { taints: [...(node.spec?.taints ?? []), DISRUPTED_TAINT] } });
}

/** Lets pods come again. A failure is logged. */
export async function giveBack(context: Context, node: Node): Promise<void> {
  const taints = (node.spec?.taints ?? []).filter((one) => !isSameTaint(one, DISRUPTED_TAINT));
  await patchNode(context, node, { spec: { taints } }).catch((error: unknown) => {
    logFailure(context.runtime.log, 'warn', `can't take the taint back: ${describeError(error)}`, error, { node: nameOf(node) });
  });
}
