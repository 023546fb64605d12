import { LABEL } from '../../model/kube.ts';
import { offeringLabels } from '../capacity/instance-types.ts';
import type { PricedOffering } from '../capacity/instance-types.ts';
import { CONSOLIDATED_AT_ONCE, SPOT_TYPES_MIN } from '../constants.ts';
import type { Context } from '../context.ts';
import { findShortfall, minimumsOf } from '../scheduling/minimum-values.ts';
import type { PlannedNode } from '../scheduling/types.ts';
import type { Candidate } from './candidates.ts';
import type { Rehousing } from './rehousing.ts';

/** Nodes that can be removed, and what has to be launched first: nothing, or one cheaper node. */
export interface Consolidation {
  readonly candidates: readonly Candidate[];
  readonly replacements: readonly PlannedNode[];
}

/** Finds nodes that the cluster does not need, or that one cheaper node can replace. Read-only. */
export interface Consolidator {
  /** @returns undefined if they can't all be removed together */
  all(candidates: readonly Candidate[]): Consolidation | undefined;
  /** The largest number of the first candidates that can be removed together, at least two. */
  several(candidates: readonly Candidate[]): Consolidation | undefined;
  /** The first that can be removed. */
  one(candidates: readonly Candidate[]): Consolidation | undefined;
}

/** Restricts a replacement to what is cheaper than the nodes that it replaces; undefined if nothing is. */
export type Cheaper = (launch: PlannedNode, candidates: readonly Candidate[]) => PlannedNode | undefined;

/** Source: Karpenter, `pkg/controllers/disruption/{consolidation,multinodeconsolidation,singlenodeconsolidation}.go`, v1.8. */
export function createConsolidator(rehousing: Rehousing, cheaper: Cheaper): Consolidator {
  const all = (candidates: readonly Candidate[]): Consolidation | undefined => {
    const launches = rehousing.without(candidates, 'placed');
    if (launches === undefined || launches.length > 1) return undefined;
    const [launch] = launches;
    if (launch === undefined) return { candidates, replacements: [] };
    const replacement = cheaper(launch, candidates);
    return replacement === undefined ? undefined : { candidates, replacements: [replacement] };
  };
  return {
    all,
    several: (candidates) => {
      const most = candidates.slice(0, CONSOLIDATED_AT_ONCE);
      if (most.length < 2) return undefined;
      // Try all of them first: only together may they justify one larger node, which bisection would miss.
      let best = all(most);
      if (best !== undefined) return best;
      let low = 2;
      let high = most.length - 1;
      while (low <= high) {
        const middle = Math.floor((low + high) / 2);
        const found = all(most.slice(0, middle));
        best = found ?? best;
        if (found === undefined) high = middle - 1;
        else low = middle + 1;
      }
      return best;
    },
    one: (candidates) => {
      for (const candidate of candidates) {
        const found = all([candidate]);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/**
 * On-demand prices are estimated from vCPUs and memory. Those of common families may differ from that by a sixth either way: c5n costs
 * more than m5a, although it has less memory. A node that is replaced by a more expensive one is replaced again, without end.
 */
const ESTIMATE_MARGIN = 0.7;
const FAMILY = 'karpenter.k8s.aws/instance-family';

/**
 * Restricts a planned replacement to types that are certainly cheaper: whichever one EC2 chooses costs less. If spot is possible it
 * uses spot only, so that no on-demand node replaces a cheaper one. A single spot node is replaced by another spot node only with
 * a choice of many types: SPOT_TYPES_MIN of them, or more if its pool's minimum values need it. Several nodes are not replaced by
 * one of the same type as the cheapest of them: keeping that one would be enough.
 */
export function createCheaper({
  instanceTypes,
  unavailable,
  markets,
}: Pick<Context, 'instanceTypes' | 'unavailable' | 'markets'>): Cheaper {
  return (launch, candidates) => {
    const valuesOf = (key: string): readonly string[] => launch.requirements.find((one) => one.key === key)?.values ?? [];
    const names = valuesOf(LABEL.instanceType);
    const zones = valuesOf(LABEL.zone);
    const paid = valuesOf(LABEL.capacityType);
    const offerings = names.flatMap((name) => instanceTypes.get(name)?.offerings ?? []);
    const hasCapacity = (one: PricedOffering): boolean => !unavailable.has(one) && !markets.isDoubtful(one);
    const possible = offerings.filter((one) => zones.includes(one.zone) && paid.includes(one.capacityType) && hasCapacity(one));
    const capacityType = possible.some((one) => one.capacityType === 'spot') ? 'spot' : 'on-demand';
    const ceiling = Math.min(
      candidates.reduce((sum, { usdPerHour }) => sum + usdPerHour, 0),
      ...(candidates.length > 1 ? candidates.filter((one) => names.includes(one.instanceType)).map(({ usdPerHour }) => usdPerHour) : []),
    );
    if (!Number.isFinite(ceiling)) return undefined;
    const byType = Map.groupBy(
      possible.filter((one) => one.capacityType === capacityType),
      ({ instanceType }) => instanceType,
    );
    // On-demand prices of a family grow with its sizes.
    const familyOf = (name: string): string | undefined => instanceTypes.get(name)?.labels[FAMILY];
    const families = new Set(candidates.map((one) => familyOf(one.instanceType)));
    const isLike = candidates.every((one) => one.capacityType === capacityType);
    const isKnown = (name: string): boolean => isLike && (capacityType === 'spot' || (families.size === 1 && families.has(familyOf(name))));
    const cheaper = [...byType]
      .map(([name, offerings]) => ({ name, offerings, usd: dearest(offerings) }))
      .filter(({ name, usd }) => usd < ceiling * (isKnown(name) ? 1 : ESTIMATE_MARGIN))
      .sort((a, b) => a.usd - b.usd || (a.name < b.name ? -1 : 1));
    const isSpotToSpot = capacityType === 'spot' && candidates.every((one) => one.capacityType === 'spot');
    if (isSpotToSpot && candidates.length === 1 && cheaper.length < SPOT_TYPES_MIN) return undefined;
    const minimums = minimumsOf(launch.requirements);
    const isEnough = (types: typeof cheaper): boolean => {
      const labels = types.flatMap(({ name, offerings: ofType }) => {
        const type = instanceTypes.get(name);
        return type === undefined ? [] : ofType.map((offering) => ({ labels: offeringLabels(type, offering) }));
      });
      return types.length > 0 && findShortfall(minimums, labels) === undefined;
    };
    let chosen = cheaper;
    if (isSpotToSpot && candidates.length === 1) {
      let count = SPOT_TYPES_MIN;
      while (count < cheaper.length && !isEnough(cheaper.slice(0, count))) count += 1;
      chosen = cheaper.slice(0, count);
    }
    if (!isEnough(chosen)) return undefined;
    const narrowed = new Map<string, string[]>([
      [LABEL.instanceType, chosen.map(({ name }) => name).sort()],
      [LABEL.capacityType, [capacityType]],
    ]);
    return { ...launch, requirements: launch.requirements.map((one) => ({ ...one, values: narrowed.get(one.key) ?? one.values })) };
  };
}

function dearest(offerings: readonly PricedOffering[]): number {
  return Math.max(...offerings.map(({ usdPerHour }) => usdPerHour));
}
