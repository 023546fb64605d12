import type { CapacityType } from '../../../model/catalogue.ts';
import { LABEL } from '../../../model/kube.ts';
import type { Pod, PodSpec, TopologySpreadConstraint } from '../../../model/kube.ts';
import { subtractResources } from '../../../model/resources.ts';
import type { Resources } from '../../../model/resources.ts';
import { capacityOf, nodeSize } from '../../capacity/allocatable.ts';
import type { NodeType } from '../../capacity/instance-types.ts';
import type { NodeCandidate, PoolOptions } from '../types.ts';

export const ZONES: readonly string[] = ['a', 'b', 'c'];

/** A type with 4 GiB per vCPU in all zones, spot and on demand. */
export function nodeType(name: string, vcpu: number, zones: readonly string[] = ZONES): NodeType {
  const capacity = capacityOf({ vcpu, memoryMiB: vcpu * 4096, networkInterfaces: 4, ipv4PerInterface: 15 });
  const capacityTypes: CapacityType[] = ['spot', 'on-demand'];
  return {
    name,
    architecture: 'x86_64',
    isExotic: false,
    labels: { [LABEL.instanceType]: name, [LABEL.arch]: 'amd64', [LABEL.os]: 'linux' },
    capacity,
    allocatable: nodeSize(capacity).allocatable,
    offerings: zones.flatMap((zone) =>
      capacityTypes.map((capacityType) => ({
        instanceType: name,
        zone,
        capacityType,
        usdPerHour: vcpu * (capacityType === 'spot' ? 0.02 : 0.05),
        labels: {},
      })),
    ),
  };
}

export const TYPES: readonly NodeType[] = [nodeType('small', 2), nodeType('medium', 4), nodeType('large', 16)];

export function pool(
  name: string,
  change: Partial<PoolOptions> & { labels?: Record<string, string>; types?: readonly NodeType[]; overhead?: Resources } = {},
): PoolOptions {
  const { labels, types = TYPES, overhead = {}, ...rest } = change;
  return {
    name,
    weight: 0,
    taints: [],
    options: types.flatMap((type) => {
      const room = subtractResources(type.allocatable, overhead);
      return type.offerings.map((offering) => ({
        type,
        offering,
        usdPerHour: offering.usdPerHour,
        labels: { ...labels, ...type.labels, [LABEL.zone]: offering.zone, [LABEL.capacityType]: offering.capacityType },
        room,
      }));
    }),
    unavailable: [],
    probes: [],
    hostPorts: [],
    open: new Map(),
    minimums: new Map(),
    remaining: {},
    ...rest,
  };
}

export function pod(name: string, cpu: string, spec: Partial<PodSpec> = {}, labels: Record<string, string> = { app: 'web' }): Pod {
  return {
    metadata: { name, namespace: 'default', uid: name, labels },
    spec: { containers: [{ name: 'main', resources: { requests: { cpu } } }], ...spec },
  };
}

export function pods(count: number, cpu: string, spec: Partial<PodSpec> = {}, labels?: Record<string, string>): Pod[] {
  return Array.from({ length: count }, (_, index) => pod(`${cpu}-${String(index).padStart(4, '0')}`, cpu, spec, labels));
}

export function zonal(change: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint {
  return {
    maxSkew: 1,
    topologyKey: LABEL.zone,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'web' } },
    ...change,
  };
}

export function node(name: string, zone: string, change: Partial<NodeCandidate> = {}): NodeCandidate {
  return {
    name,
    variants: [{ [LABEL.hostname]: name, [LABEL.zone]: zone, [LABEL.capacityType]: 'spot', [LABEL.instanceType]: 'medium' }],
    taints: [],
    free: { cpu: 4_000, memory: 16 * 1024 ** 3, pods: 50 },
    hostPorts: [],
    accepting: true,
    pods: [],
    ...change,
  };
}
