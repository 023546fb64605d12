import { RESOURCES } from '../../clients/resources.ts';
import { defined } from '../../model/defined.ts';
import { formatResources } from '../../model/resources.ts';
import { KARPENTER, nameOf, uidOf } from '../api.ts';
import type { EC2NodeClass, NodeClaim, NodePool } from '../api.ts';
import type { Context } from '../context.ts';
import { templateHashes } from '../disruption/drift.ts';
import type { PlannedNode } from '../scheduling/types.ts';
import { poolLabels } from './pool-spec.ts';

/**
 * Creates the claim of a planned node. It counts from now on, and its node does not count as empty.
 * @param reason for metrics
 * @throws KubeError if it may not exist; Error if its pool is gone
 */
export async function createClaim(context: Context, launch: PlannedNode, reason: string): Promise<NodeClaim> {
  const { kube, runtime, state, nominations, metrics } = context;
  const pool = state.pools.get(launch.pool);
  if (pool === undefined) throw new Error(`NodePool ${launch.pool} does not exist`);
  const nodeClass = state.classes.get(pool.spec.template.spec.nodeClassRef.name);
  const claim = await kube.create<NodeClaim>(RESOURCES.nodeclaims, newClaim(pool, nodeClass, launch));
  state.claims.remember(claim);
  nominations.nominate(nameOf(claim));
  metrics.nodeClaimsCreated.inc({ reason, nodepool: launch.pool, min_values_relaxed: 'false' });
  runtime.log('info', `created a claim for ${launch.pods.length} pods`, { claim: nameOf(claim), nodePool: launch.pool });
  return claim;
}

/** The server generates the claim's name: one generated here would repeat after a restart with the same seed. */
function newClaim(
  pool: NodePool,
  nodeClass: EC2NodeClass | undefined,
  launch: PlannedNode,
): NodeClaim & { metadata: { generateName: string } } {
  const { spec, metadata } = pool.spec.template;
  return {
    metadata: {
      generateName: `${launch.pool}-`,
      labels: { ...poolLabels(pool), ...launch.labels },
      annotations: { ...metadata?.annotations, ...templateHashes(pool, nodeClass) },
      finalizers: [KARPENTER.finalizer],
      ownerReferences: [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: launch.pool, uid: uidOf(pool), blockOwnerDeletion: true }],
    },
    spec: {
      requirements: [...launch.requirements],
      resources: { requests: formatResources(launch.requests) },
      ...defined({ taints: spec.taints, startupTaints: spec.startupTaints }),
      nodeClassRef: spec.nodeClassRef,
      ...defined({ expireAfter: spec.expireAfter, terminationGracePeriod: spec.terminationGracePeriod }),
    },
  };
}
