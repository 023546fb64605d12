import { RESOURCES } from '../../clients/resources.ts';
import { logFailure } from '../../runtime/log.ts';
import { KARPENTER, isDeleting, nameOf, uidOf } from '../api.ts';
import type { EC2NodeClass, NodeClaim, NodePool } from '../api.ts';
import { deleteClaim } from '../claims.ts';
import { RECONCILES_AT_ONCE } from '../constants.ts';
import type { Context } from '../context.ts';
import { forEachAtMost } from '../core/concurrency.ts';
import { describeError, isNotFound } from '../core/errors.ts';

/** Removes everything that was created for a pool or class once that is deleted. */
export interface PoolKeeper {
  /** One pass over all pools, classes and claims. */
  sweep(): Promise<void>;
}

export function createPoolKeeper(context: Context): PoolKeeper {
  return {
    sweep: async () => {
      await endClaims(context, (claim) => claim.metadata.labels?.[KARPENTER.nodePool], RESOURCES.nodepools);
      await endClaims(context, (claim) => claim.spec.nodeClassRef.name, RESOURCES.ec2nodeclasses);
      for (const nodeClass of context.state.classes.list()) {
        // One that fails now must not block the others.
        await keepClass(context, nodeClass).catch((error: unknown) => {
          if (context.runtime.signal.aborted) return;
          logFailure(context.runtime.log, 'warn', `classes: ${describeError(error)}`, error, { nodeClass: nameOf(nodeClass) });
        });
      }
    },
  };
}

/** Deletes the claims whose owner is deleted or being deleted. An owner that is missing in our cache is read again. */
async function endClaims(
  context: Context,
  ownerOf: (claim: NodeClaim) => string | undefined,
  type: typeof RESOURCES.nodepools | typeof RESOURCES.ec2nodeclasses,
): Promise<void> {
  const { kube, state } = context;
  const view = type === RESOURCES.nodepools ? state.pools : state.classes;
  const claims = state.claims.list().filter((claim) => !isDeleting(claim));
  for (const [name, orphans] of Map.groupBy(claims, ownerOf)) {
    const known = name === undefined ? undefined : view.get(name);
    if (name === undefined || (known !== undefined && !isDeleting(known))) continue;
    const owner = await kube.get<NodePool | EC2NodeClass>({ type, name });
    if (owner !== undefined && !isDeleting(owner)) continue;
    await forEachAtMost(RECONCILES_AT_ONCE, orphans, (claim) => deleteClaim(context, claim, `its ${type.kind} ${name} is gone`));
  }
}

/**
 * A class stays until its claims and launch templates are gone. If several autoscalers share one, each holds it for its own pools
 * with the same finalizer, and any that sees its deletion waits for the claims of all: nothing is launched from such a class, so
 * once no claim names it nobody uses its templates, and any autoscaler may delete them and remove the finalizer. The remaining
 * race: an autoscaler with a very stale cache creates a claim and a template after that. Its claim then fails without a class, and
 * the template is leaked.
 */
async function keepClass(context: Context, nodeClass: EC2NodeClass): Promise<void> {
  const { kube, state, templates, reporter, scope } = context;
  const finalizers = nodeClass.metadata.finalizers ?? [];
  const isKept = finalizers.includes(KARPENTER.classFinalizer);
  const ref = { type: RESOURCES.ec2nodeclasses, name: nameOf(nodeClass) };
  const { resourceVersion } = nodeClass.metadata;
  const patch = async (changed: readonly string[]): Promise<EC2NodeClass> =>
    kube.patch<EC2NodeClass>(ref, { metadata: { uid: uidOf(nodeClass), resourceVersion, finalizers: changed } });
  if (!isDeleting(nodeClass)) {
    const isMeant = scope.id === undefined || isNamedByPool(context, nodeClass);
    if (!isKept && isMeant) state.classes.remember(await patch([...finalizers, KARPENTER.classFinalizer]));
    return;
  }
  if (!isKept) return;
  const claims = (await remainingClaims(context)).filter((claim) => claim.spec.nodeClassRef.name === nameOf(nodeClass));
  if (claims.length > 0) {
    const message = `Waiting on NodeClaim termination for ${enumerate(claims.map(nameOf).sort())}`;
    reporter.publish({ type: ref.type, object: nodeClass, eventType: 'Normal', reason: 'WaitingOnNodeClaimTermination', message });
    return;
  }
  await templates.deleteAll(nameOf(nodeClass));
  try {
    await patch(finalizers.filter((name) => name !== KARPENTER.classFinalizer));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  state.classes.forget(nodeClass);
}

function isNamedByPool({ state }: Context, nodeClass: EC2NodeClass): boolean {
  return state.pools.list().some(({ spec }) => spec.template.spec.nodeClassRef.name === nameOf(nodeClass));
}

/**
 * All claims, including those of other autoscalers, from the server. If their definition was deleted there are none; a 404 alone
 * does not prove that, because servers also send it for a definition that they don't know yet.
 */
async function remainingClaims({ kube, state }: Context): Promise<readonly NodeClaim[]> {
  try {
    return await state.freshClaimsOfAll();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const definition = await kube.get({ type: RESOURCES.customresourcedefinitions, name: CLAIM_DEFINITION });
    if (definition !== undefined) throw error;
    return [];
  }
}

const CLAIM_DEFINITION = `${RESOURCES.nodeclaims.plural}.${RESOURCES.nodeclaims.group}`;

/** The first few names, and how many more, in the format of Karpenter's `PrettySlice`. */
function enumerate(names: readonly string[]): string {
  const more = names.length - NAMES_IN_EVENT;
  return `${names.slice(0, NAMES_IN_EVENT).join(', ')}${more > 0 ? ` and ${more} other(s)` : ''}`;
}

const NAMES_IN_EVENT = 5;
