import type { InstanceType, Offering, Pool } from '../model/catalogue.ts';
import type { Catalogue } from '../model/instance-catalogue.ts';
import { NODE_POOL_LABEL } from '../model/kube.ts';
import { allows, nodeAlternatives, parseRequirements } from '../model/requirements.ts';
import type { Requirements } from '../model/requirements.ts';
import { addResources, podRequests, subtractResources } from '../model/resources.ts';
import type { Resources } from '../model/resources.ts';
import type { Labels } from '../model/selector.ts';
import { REPELLING, untolerated } from '../model/taints.ts';
import type { Load } from './load.ts';
import type { PoolNodes } from './pool-nodes.ts';
import { isKnownLabel, offeringLabels, suits } from './node-labels.ts';

/** An offering of a pool on which a pod of a load could run. */
export interface Seat {
  readonly pool: Pool;
  readonly type: InstanceType;
  readonly offering: Offering;
  readonly labels: Labels;
  /** What DaemonSets leave free on an empty node. */
  readonly room: Resources;
}

/** Facts about the world for the computation. */
export interface Market {
  readonly catalogue: Catalogue;
  readonly nodesOf: (pool: Pool) => PoolNodes;
  /** Whether an offering is for sale; by default all are. */
  readonly isForSale?: (offering: Offering) => boolean;
}

/** What a pool can launch, with the free room on each node. */
export interface Offers {
  readonly pool: Pool;
  readonly stated: Requirements;
  /** Why it has no seats, unless its requirements say so. */
  readonly problem?: string;
  readonly seats: readonly (Seat & { readonly daemons: Resources })[];
}

/** What a pool can launch, and what DaemonSets leave free on each node. */
export function offersOf(pool: Pool, daemons: readonly Load[], { catalogue, nodesOf, isForSale = () => true }: Market): Offers {
  const stated = parseRequirements(pool.requirements);
  const { allocatable, problem } = nodesOf(pool);
  if (problem !== undefined) return { pool, stated, problem, seats: [] };
  const decided = [...stated].filter(([key]) => isKnownLabel(key));
  const isAllowed = (known: Labels): boolean =>
    decided.every(([key, set]) => allows(set, key === NODE_POOL_LABEL ? pool.name : key in known ? known[key] : pool.labels[key]));
  const tolerant = daemons.filter(({ template }) => untolerated(pool.taints, template.spec.tolerations, REPELLING) === undefined);
  const shares = tolerant.map(({ template }) => ({ alternatives: nodeAlternatives(template.spec), requests: podRequests(template.spec) }));
  const seats: Offers['seats'][number][] = [];
  for (const { type, offered } of offeredIn(catalogue)) {
    let whole: Resources | undefined;
    for (const { offering, labels: known } of offered) {
      // Before the labels are put together: most offerings are none of the pool's.
      if (!isAllowed(known) || !isForSale(offering)) continue;
      const labels = { ...pool.labels, ...known, [NODE_POOL_LABEL]: pool.name };
      whole ??= allocatable(type);
      const here = shares.filter(({ alternatives }) => alternatives.some((one) => suits(one, labels, stated)));
      const daemonsHere = here.reduce<Resources>((sum, { requests }) => addResources(sum, requests), {});
      seats.push({
        pool,
        type,
        offering,
        labels,
        daemons: daemonsHere,
        room: here.length === 0 ? whole : subtractResources(whole, daemonsHere),
      });
    }
  }
  return { pool, stated, seats };
}

/** Everything that can be bought, with the labels of such a node. */
type Offered = readonly {
  readonly type: InstanceType;
  readonly offered: readonly { readonly offering: Offering; readonly labels: Labels }[];
}[];

/** A catalogue never changes, and generated scenarios ask for it many times. */
const kept = new WeakMap<Catalogue, Offered>();

function offeredIn(catalogue: Catalogue): Offered {
  const known = kept.get(catalogue);
  if (known !== undefined) return known;
  const made = [...catalogue.types.values()].map((type) => ({
    type,
    offered: type.usageClasses.flatMap((capacityType) =>
      type.zones.map((zone) => {
        const offering = { instanceType: type.type, zone, capacityType };
        return { offering, labels: offeringLabels(type, offering, catalogue.region) };
      }),
    ),
  }));
  kept.set(catalogue, made);
  return made;
}
