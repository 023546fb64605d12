import { z } from 'zod';
import { LABEL } from '../../model/kube.ts';
import { allows, parseRequirements } from '../../model/requirements.ts';
import { KARPENTER, nameOf } from '../api.ts';
import type { NodePool } from '../api.ts';

const taintSchema = z.looseObject({
  key: z.string(),
  value: z.string().optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
});

/** What must be valid in a pool before anything is launched from it. The CRD's schema ensures the rest. */
export const poolSchema = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        requirements: z.array(
          z.looseObject({
            key: z.string(),
            operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']),
            values: z.array(z.string()).optional(),
            minValues: z.number().int().positive().optional(),
          }),
        ),
        taints: z.array(taintSchema).optional(),
        startupTaints: z.array(taintSchema).optional(),
        nodeClassRef: z.looseObject({ name: z.string() }),
      }),
    }),
  }),
});

/** Whether nodes of this pool may use spot capacity. */
export function allowsSpot(pool: NodePool): boolean {
  const parsed = poolSchema.safeParse(pool);
  if (!parsed.success) return false;
  const capacityTypes = parseRequirements(parsed.data.spec.template.spec.requirements).get(LABEL.capacityType);
  return capacityTypes === undefined || allows(capacityTypes, 'spot');
}

/** The labels that each node of a pool has in any case, without those whose value the pool leaves open. */
export function poolLabels(pool: NodePool): Record<string, string> {
  const required = pool.spec.template.spec.requirements.flatMap(({ key, operator, values = [] }) => {
    const [value] = values;
    return operator === 'In' && values.length === 1 && value !== undefined && !isDecided(key) ? [[key, value]] : [];
  });
  return {
    ...(Object.fromEntries(required) as Record<string, string>),
    ...pool.spec.template.metadata?.labels,
    [KARPENTER.nodePool]: nameOf(pool),
    [KARPENTER.nodeClass]: pool.spec.template.spec.nodeClassRef.name,
  };
}

const KNOWN_LABELS: readonly string[] = Object.values(LABEL);

/** Whether the instance type, the zone and the like determine a label's value. */
export function isDecided(key: string): boolean {
  return KNOWN_LABELS.includes(key) || key.startsWith('karpenter.k8s.aws/instance-');
}

/** Whether a pool has a fixed number of nodes, independent of pods. */
export function isStatic(pool: NodePool): boolean {
  return pool.spec.replicas !== undefined;
}
