import { LABEL } from '../../model/kube.ts';
import { offeringLabels } from '../capacity/instance-types.ts';
import type { PricedOffering } from '../capacity/instance-types.ts';
import { CONSOLIDATED_AT_ONCE, SPOT_TYPES_MIN } from '../constants.ts';
import type { Context } from '../context.ts';
import { findShortfall, minimumsOf } from '../scheduling/minimum-values.ts';
import type { PlannedNode } from '../scheduling/types.ts';
import type { Candidate } from './candidates.ts';
import type { Rehousing } from './rehousing.ts';

/** Nodes that can go, and what has to come first: nothing, or one cheaper node. */
export interface Consolidation {
  readonly candidates: readonly Candidate[];
  readonly replacements: readonly PlannedNode[];
}

/** Finds nodes that the cluster can do without, or with one cheaper node in their place. Reads, and changes nothing. */
export interface Consolidator {
  /** @returns undefined if all of them together can't go */
  all(candidates: readonly Candidate[]): Consolidation | undefined;
  /** The largest number of the first candidates that can go together, two at least. */
  several(candidates: readonly Candidate[]): Consolidation | undefined;
  /** The first that can go. */
  one(candidates: readonly Candidate[]): Consolidation | undefined;
}

/** What a replacement may become, if it is to be cheaper than what it replaces; undefined if nothing. */
export type Cheaper = (launch: PlannedNode, candidates: readonly Candidate[]) => PlannedNode | undefined;

/** Source: Karpenter, `pkg/controllers/disruption/{consolidation,multinodeconsolidation,singlenodeconsolidation}.go`, v1.8. */
export function createConsolidator(rehousing: Rehousing, cheaper: Cheaper): Consolidator {
  const all = (candidates: readonly Candidate[]): Consolidation | undefined => {
    const launches = rehousing.without(candidates);
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
      // All of them first: only together may they be worth one larger node, which the search by halves would miss.
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
 * Leaves a planned replacement the types that are certainly cheaper: whatever EC2 chooses of them costs less. Of spot it
 * takes spot only, so that no on-demand node comes in the place of a cheaper one. One spot node is replaced by another
 * only with a choice of many, of which it takes so many, or as many as its pool's minima need. Several nodes are not replaced by one of the same type as the cheapest of them: leaving that
 * one where it is would do.
 */
export function createCheaper({ instanceTypes, unavailable }: Pick<Context, 'instanceTypes' | 'unavailable'>): Cheaper {
  return (launch, candidates) => {
    const valuesOf = (key: string): readonly string[] => launch.requirements.find((one) => one.key === key)?.values ?? [];
    const names = valuesOf(LABEL.instanceType);
    const zones = valuesOf(LABEL.zone);
    const paid = valuesOf(LABEL.capacityType);
    const offerings = names.flatMap((name) => instanceTypes.get(name)?.offerings ?? []);
    const possible = offerings.filter((one) => zones.includes(one.zone) && paid.includes(one.capacityType) && !unavailable.has(one));
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
    const cheaper = [...byType]
      .map(([name, offerings]) => ({ name, offerings, usd: dearest(offerings) }))
      .filter(({ usd }) => usd < ceiling)
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
