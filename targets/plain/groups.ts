import { z } from 'zod';
import type { Pool } from '../../model/catalogue.ts';
import { LABEL } from '../../model/kube.ts';
import type { KubeObject, Taint } from '../../model/kube.ts';
import { allows, parseRequirements } from '../../model/requirements.ts';
import type { Requirements } from '../../model/requirements.ts';

/** A group of like instances, fixed in type and zone: all that `plain` knows of capacity. */
const groupSchema = z.object({
  name: z.string(),
  instanceType: z.string(),
  zone: z.string(),
  maxSize: z.number().int().positive(),
  labels: z.record(z.string(), z.string()),
  taints: z.array(
    z.object({ key: z.string(), value: z.string().optional(), effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']) }),
  ),
});
export type Group = z.infer<typeof groupSchema>;

/** Where the groups are configured. */
export const CONFIG_MAP = { namespace: 'kube-system', name: 'plain-autoscaler' } as const;

/** A group never grows beyond this size when its pool names no limit. */
const DEFAULT_MAX_SIZE = 100;
/** The types of pools that name none: the first that suits. */
const DEFAULT_TYPES: readonly string[] = ['m6i.xlarge', 'm6g.xlarge'];

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

/** One group a zone for each pool, of the first type that the pool allows; none for a pool that allows none, or no on-demand capacity. */
export function groupsFor(pools: readonly Pool[], zones: readonly string[]): Group[] {
  return pools.flatMap((pool) => {
    const requirements = parseRequirements(pool.requirements);
    const named = pool.requirements.find(({ key, operator }) => key === LABEL.instanceType && operator === 'In')?.values ?? DEFAULT_TYPES;
    const instanceType = named.find(
      (type) => isAllowed(requirements, LABEL.instanceType, type) && isAllowed(requirements, LABEL.arch, architectureOf(type)),
    );
    if (instanceType === undefined || !isAllowed(requirements, LABEL.capacityType, 'on-demand')) return [];
    const allowed = zones.filter((zone) => isAllowed(requirements, LABEL.zone, zone));
    return allowed.map((zone) => ({
      name: `${pool.name}-${zone}`,
      instanceType,
      zone,
      maxSize: pool.limits?.nodes ?? DEFAULT_MAX_SIZE,
      labels: { ...pool.labels },
      taints: pool.taints.map((taint: Taint) => ({
        key: taint.key,
        effect: taint.effect,
        ...(taint.value === undefined ? {} : { value: taint.value }),
      })),
    }));
  });
}

export function toConfigMap(groups: readonly Group[]): ConfigMap & { metadata: { name: string } } {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...CONFIG_MAP }, data: { groups: JSON.stringify(groups) } };
}

/** @throws Error when the ConfigMap holds no groups as they should be */
export function fromConfigMap(config: ConfigMap | undefined): Group[] {
  if (config?.data?.['groups'] === undefined) return [];
  const parsed = z.array(groupSchema).safeParse(JSON.parse(config.data['groups']));
  if (!parsed.success) throw new Error(`ConfigMap ${CONFIG_MAP.namespace}/${CONFIG_MAP.name}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** As Kubernetes names it. Graviton types have a g after the generation: m6g, c7gn. */
export function architectureOf(instanceType: string): 'amd64' | 'arm64' {
  return /^[a-z]+\d+g/.test(instanceType) ? 'arm64' : 'amd64';
}

function isAllowed(requirements: Requirements, key: string, value: string): boolean {
  const set = requirements.get(key);
  return set === undefined || allows(set, value);
}
