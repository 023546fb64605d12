import type { InstanceType, Offering, Pool } from '../model/catalogue.ts';
import type { Catalogue } from '../model/instance-catalogue.ts';
import { matchesLabels, nodeAlternatives, parseRequirements } from '../model/requirements.ts';
import type { Requirements } from '../model/requirements.ts';
import { addResources, podRequests, subtractResources } from '../model/resources.ts';
import type { Resources } from '../model/resources.ts';
import type { Labels } from '../model/selector.ts';
import { REPELLING, untolerated } from '../model/taints.ts';
import type { Load } from './load.ts';
import { NODE_POOL_LABEL, isKnownLabel, offeringLabels, suits } from './node-labels.ts';

/** An offering of a pool on which a pod of a load could run. */
export interface Seat {
  readonly pool: Pool;
  readonly type: InstanceType;
  readonly offering: Offering;
  readonly labels: Labels;
}

/** Facts about the world for the computation. */
export interface Market {
  readonly catalogue: Catalogue;
  /** Allocatable resources of a node of this type. */
  readonly allocatable: (type: InstanceType) => Resources;
}

/** What a pool can launch, with the free room on each node. */
export interface Offers {
  readonly pool: Pool;
  readonly stated: Requirements;
  readonly seats: readonly (Seat & { readonly room: Resources; readonly daemons: Resources })[];
}

/** What a pool can launch, and what DaemonSets leave free on each node. */
export function offersOf(pool: Pool, daemons: readonly Load[], { catalogue, allocatable }: Market): Offers {
  const stated = parseRequirements(pool.requirements);
  const decided = new Map([...stated].filter(([key]) => isKnownLabel(key)));
  const tolerant = daemons.filter(({ template }) => untolerated(pool.taints, template.spec.tolerations, REPELLING) === undefined);
  const shares = tolerant.map(({ template }) => ({ alternatives: nodeAlternatives(template.spec), requests: podRequests(template.spec) }));
  const seats: Offers['seats'][number][] = [];
  for (const type of catalogue.types.values()) {
    const whole = allocatable(type);
    for (const capacityType of type.usageClasses) {
      for (const zone of type.zones) {
        const offering = { instanceType: type.type, zone, capacityType };
        const labels = { ...pool.labels, ...offeringLabels(type, offering, catalogue.region), [NODE_POOL_LABEL]: pool.name };
        if (!matchesLabels(decided, labels)) continue;
        const daemonsHere = shares
          .filter(({ alternatives }) => alternatives.some((one) => suits(one, labels, stated)))
          .reduce<Resources>((sum, { requests }) => addResources(sum, requests), {});
        seats.push({ pool, type, offering, labels, daemons: daemonsHere, room: subtractResources(whole, daemonsHere) });
      }
    }
  }
  return { pool, stated, seats };
}
