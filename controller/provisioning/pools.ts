import { z } from 'zod';
import { LABEL } from '../../model/kube.ts';
import type { Pod, Taint } from '../../model/kube.ts';
import { matchesLabels, nodeAlternatives, matchesNode, parseRequirements } from '../../model/requirements.ts';
import { addResources, maxResources, parseResources, podRequests, subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import { REPELLING, untolerated } from '../../model/taints.ts';
import { logFailure } from '../../runtime/log.ts';
import { KARPENTER, isDeleting, nameOf } from '../api.ts';
import type { NodeClaim, NodePool } from '../api.ts';
import type { Context } from '../context.ts';
import { describeError } from '../core/errors.ts';
import { offeringLabels, offeringsOfClaim } from '../launch/plan.ts';
import type { Option, PoolOptions } from '../scheduling/types.ts';

const taintSchema = z.looseObject({
  key: z.string(),
  value: z.string().optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
});

/** What has to be right about a pool before anything is launched from it. The rest the CRD's schema sees to. */
const poolSchema = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        requirements: z.array(
          z.looseObject({
            key: z.string(),
            operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']),
            values: z.array(z.string()).optional(),
          }),
        ),
        taints: z.array(taintSchema).optional(),
        startupTaints: z.array(taintSchema).optional(),
        nodeClassRef: z.looseObject({ name: z.string() }),
      }),
    }),
  }),
});

/** The labels that each node of a pool has whatever it becomes. A requirement for several values means the first. */
export function poolLabels(pool: NodePool): Record<string, string> {
  const known: readonly string[] = Object.values(LABEL);
  const required = pool.spec.template.spec.requirements.flatMap(({ key, operator, values = [] }) => {
    const [value] = values;
    return operator === 'In' && value !== undefined && !known.includes(key) ? [[key, value]] : [];
  });
  return {
    ...(Object.fromEntries(required) as Record<string, string>),
    ...pool.spec.template.metadata?.labels,
    [KARPENTER.nodePool]: nameOf(pool),
    [KARPENTER.nodeClass]: pool.spec.template.spec.nodeClassRef.name,
  };
}

/** The pools that nodes can be launched from now. One that can't be read is logged and left out. */
export function readPools(context: Context): PoolOptions[] {
  const { state, runtime } = context;
  return state.pools.list().flatMap((pool) => {
    if (isDeleting(pool)) return [];
    try {
      const parsed = poolSchema.safeParse(pool);
      if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
      const nodeClass = state.classes.get(pool.spec.template.spec.nodeClassRef.name);
      return nodeClass === undefined || isDeleting(nodeClass) ? [] : [readPool(context, pool)];
    } catch (error) {
      logFailure(runtime.log, 'error', `the pool can't be read: ${describeError(error)}`, error, { nodePool: nameOf(pool) });
      return [];
    }
  });
}

function readPool(context: Context, pool: NodePool): PoolOptions {
  const { spec } = pool.spec.template;
  const all = optionsOf(context, pool);
  const taints = spec.taints ?? [];
  return {
    name: nameOf(pool),
    weight: pool.spec.weight ?? 0,
    taints,
    options: all.filter(({ offering }) => !context.unavailable.has(offering)),
    unavailable: all.filter(({ offering }) => context.unavailable.has(offering)),
    overhead: daemonOverhead(context, all, taints),
    remaining: remainingLimits(context, pool),
  };
}

function optionsOf({ instanceTypes, cluster }: Context, pool: NodePool): Option[] {
  const labels = poolLabels(pool);
  const requirements = parseRequirements(pool.spec.template.spec.requirements);
  return instanceTypes.list().flatMap((type) =>
    type.offerings
      .map((offering) => ({
        type,
        offering,
        usdPerHour: offering.usdPerHour,
        labels: { ...labels, ...offeringLabels(type, offering, cluster.region) },
      }))
      .filter((option) => matchesLabels(requirements, option.labels)),
  );
}

/** What the DaemonSets that would run on the pool's nodes ask for. */
function daemonOverhead({ state }: Context, options: readonly Option[], taints: readonly Taint[]): Resources {
  let overhead: Resources = {};
  for (const { spec } of state.daemonSets.list()) {
    const pod = spec.template.spec;
    if (untolerated(taints, pod.tolerations, REPELLING) !== undefined) continue;
    const alternatives = nodeAlternatives(pod);
    if (options.some(({ labels }) => matchesNode(alternatives, '', labels))) overhead = addResources(overhead, podRequests(pod));
  }
  return overhead;
}

/** What the pool's limits leave: its claims count with what they are, or with the most that they may become. */
function remainingLimits(context: Context, pool: NodePool): Resources {
  const limits = parseResources(pool.spec.limits);
  if (Object.keys(limits).length === 0) return {};
  const used = context.state.claims
    .list()
    .filter((claim) => claim.metadata.labels?.[KARPENTER.nodePool] === nameOf(pool))
    .map((claim) => ({ ...claimCapacity(context, claim), nodes: 1 }));
  const left = subtractResources(limits, used.reduce<Resources>(addResources, {}));
  return Object.fromEntries(Object.keys(limits).map((name) => [name, left[name] ?? 0]));
}

function claimCapacity(context: Context, claim: NodeClaim): Resources {
  if (claim.status?.capacity !== undefined) return parseResources(claim.status.capacity);
  return offeringsOfClaim(context, claim)
    .map(({ type }) => type.capacity)
    .reduce<Resources>(maxResources, {});
}

/** Whether a pod belongs to a DaemonSet, or to its node: such pods come and go with nodes. */
export function isNodePod(pod: Pod): boolean {
  return pod.metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet' || kind === 'Node') ?? false;
}
