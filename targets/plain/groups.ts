import { z } from 'zod';
import type { Pool } from '../../model/catalogue.ts';
import { defined } from '../../model/defined.ts';
import { LABEL } from '../../model/kube.ts';
import type { KubeObject } from '../../model/kube.ts';
import { parseRequirements, permits } from '../../model/requirements.ts';

/** A group of nodes that only differ in type and zone: all that `plain` knows about capacity. */
const groupSchema = z.object({
  name: z.string(),
  instanceTypes: z.array(z.string()),
  zones: z.array(z.string()),
  labels: z.record(z.string(), z.string()),
  taints: z.array(
    z.object({ key: z.string(), value: z.string().exactOptional(), effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']) }),
  ),
  /** Maximum number of nodes, vCPUs and MiB of memory; absent for no limit. */
  limits: z.object({ nodes: z.number().exactOptional(), cpu: z.number().exactOptional(), memoryMiB: z.number().exactOptional() }),
});
export type Group = z.infer<typeof groupSchema>;

/** What can be launched for a group: one type in one zone, on demand. */
export interface Offering {
  readonly group: Group;
  readonly instanceType: string;
  readonly zone: string;
}

/** The ConfigMap with the groups. */
export const CONFIG_MAP = { namespace: 'kube-system', name: 'plain-autoscaler' } as const;

/** The types for pools that name none, as an operator of fixed groups would choose them: common families. */
const FAMILIES = ['m6i', 'c6i', 'r6i', 'm6g', 'c6g', 'r6g'] as const;
const SIZES = ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge'] as const;
const DEFAULT_TYPES: readonly string[] = SIZES.flatMap((size) => FAMILIES.map((family) => `${family}.${size}`));

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

/** The configuration is invalid. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

/** One group per pool; none for a pool that allows nothing on demand. */
export function groupsFor(pools: readonly Pool[], zones: readonly string[]): Group[] {
  return pools.flatMap((pool) => {
    const requirements = parseRequirements(pool.requirements);
    const named = pool.requirements.find(({ key, operator }) => key === LABEL.instanceType && operator === 'In')?.values ?? DEFAULT_TYPES;
    const instanceTypes = named.filter(
      (type) => permits(requirements, LABEL.instanceType, type) && permits(requirements, LABEL.arch, architectureOf(type)),
    );
    const allowedZones = zones.filter((zone) => permits(requirements, LABEL.zone, zone));
    if (instanceTypes.length === 0 || allowedZones.length === 0 || !permits(requirements, LABEL.capacityType, 'on-demand')) return [];
    const taints = pool.taints.map(({ key, value, effect }) => ({ key, effect, ...defined({ value }) }));
    return [{ name: pool.name, instanceTypes, zones: allowedZones, labels: { ...pool.labels }, taints, limits: { ...pool.limits } }];
  });
}

/** Type by type in the group's order, and zone by zone. */
export function offeringsOf(group: Group): Offering[] {
  return group.instanceTypes.flatMap((instanceType) => group.zones.map((zone) => ({ group, instanceType, zone })));
}

/** The labels of a node of an offering. */
export function labelsOf({ group, instanceType, zone }: Offering): Record<string, string> {
  return {
    ...group.labels,
    [LABEL.zone]: zone,
    [LABEL.region]: zone.slice(0, -1),
    [LABEL.instanceType]: instanceType,
    [LABEL.arch]: architectureOf(instanceType),
    [LABEL.os]: 'linux',
  };
}

export function toConfigMap(groups: readonly Group[]): ConfigMap & { metadata: { name: string } } {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...CONFIG_MAP }, data: { groups: JSON.stringify(groups) } };
}

/** Without a ConfigMap there are no groups. @throws ConfigError when the groups in the ConfigMap are invalid */
export function fromConfigMap(config: ConfigMap | undefined): Group[] {
  return config === undefined ? [] : parseData(config, 'groups', z.array(groupSchema));
}

/** Parses JSON in a ConfigMap. @throws ConfigError */
export function parseData<T>({ metadata, data }: ConfigMap, key: string, schema: z.ZodType<T>): T {
  const where = `ConfigMap ${metadata.namespace ?? ''}/${metadata.name ?? ''}, ${key}`;
  let value: unknown;
  try {
    value = JSON.parse(data?.[key] ?? '');
  } catch {
    throw new ConfigError(`${where} is not JSON`);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new ConfigError(`${where}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** In Kubernetes' terms. Graviton types have a g after the generation: m6g, c7gn. */
export function architectureOf(instanceType: string): 'amd64' | 'arm64' {
  return /^[a-z]+\d+g/.test(instanceType) ? 'arm64' : 'amd64';
}
