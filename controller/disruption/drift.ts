import { createHash } from 'node:crypto';
import { defined } from '../../model/defined.ts';
import { ofFrozen } from '../../model/of-frozen.ts';
import { matchesLabels, parseRequirements } from '../../model/requirements.ts';
import { KARPENTER } from '../api.ts';
import type { EC2NodeClass, NodeClaim, NodePool } from '../api.ts';
import { isDecided } from '../provisioning/pool-spec.ts';

/** How a claim differs from what its pool would create now. */
export type DriftReason = 'NodePoolDrifted' | 'RequirementsDrifted' | 'NodeClassDrifted';

/**
 * Annotations with hashes of what a claim was created from, without requirements: a node that still satisfies them has not
 * drifted. Source: Karpenter, `NodePool.Hash` and the AWS provider's `EC2NodeClass.Hash`, v1.8.
 */
export function templateHashes(pool: NodePool, nodeClass: EC2NodeClass | undefined): Record<string, string> {
  return {
    [KARPENTER.poolHash]: templateHash(pool.spec.template),
    ...defined({ [KARPENTER.classHash]: nodeClass && classHash(nodeClass.spec) }),
  };
}

/** Whether a claim was created from another version of its class. Unknown values are not drift. */
export function hasClassDrifted(claim: NodeClaim, nodeClass: EC2NodeClass | undefined): boolean {
  const hash = claim.metadata.annotations?.[KARPENTER.classHash];
  return hash !== undefined && nodeClass !== undefined && hash !== classHash(nodeClass.spec);
}

/**
 * Whether a launched claim has drifted from its pool or class. Unknown values (a claim without the annotation, a class or a
 * label that could not be read) are not drift: otherwise a failed read would replace every node.
 */
export function driftOf(claim: NodeClaim, pool: NodePool, nodeClass: EC2NodeClass | undefined): DriftReason | undefined {
  const { annotations = {}, labels = {} } = claim.metadata;
  const { [KARPENTER.poolHash]: created } = annotations;
  if (created !== undefined && created !== templateHash(pool.spec.template)) return 'NodePoolDrifted';
  const known = pool.spec.template.spec.requirements.filter(({ key }) => key in labels || !isDecided(key));
  if (!matchesLabels(parseRequirements(known), labels)) return 'RequirementsDrifted';
  return hasClassDrifted(claim, nodeClass) ? 'NodeClassDrifted' : undefined;
}

// Each sweep compares all claims with the same few pools and classes.
const templateHash = ofFrozen(({ metadata, spec }: NodePool['spec']['template']) =>
  hashOf([metadata, { ...spec, requirements: undefined }]),
);
const classHash = ofFrozen((spec: EC2NodeClass['spec']) => hashOf(spec));

function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')
    .slice(0, 20);
}

/** Servers may reorder an object's keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}
