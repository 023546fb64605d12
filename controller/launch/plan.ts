import type { CapacityType, Offering } from '../../model/catalogue.ts';
import type { NodeClaim } from '../api.ts';
import type { Markets } from '../capacity/markets.ts';
import { OFFERINGS_PER_LAUNCH, OFFERINGS_PER_PROBE } from '../constants.ts';
import type { Context } from '../context.ts';
import { chooseKeeping, describeShortfall, findShortfall, minimumsOf } from '../scheduling/minimum-values.ts';
import type { MinimumValues } from '../scheduling/minimum-values.ts';
import type { FleetRequest } from './attempt.ts';
import type { ClaimOffering } from './claim-offerings.ts';
import { buildFleetRequest } from './fleet-request.ts';

/** The next request for a claim, without the tag that says for whom it is; or why there is none. */
export type LaunchPlan = { readonly request: FleetRequest } | { readonly impossible: string };

/**
 * The next request for a claim: the cheapest of its offerings that are not known to lack capacity, spot as long as there is any,
 * then on demand, and with the minimum number of values that its pool requires. If all that is left is doubtful, it is a probe of
 * that. Creates the launch templates that it needs.
 */
export async function planFleetRequest(context: Context, claim: NodeClaim): Promise<LaunchPlan> {
  const { cluster, state, templates, unavailable } = context;
  const className = claim.spec.nodeClassRef.name;
  const nodeClass = state.classes.get(className);
  if (nodeClass === undefined) throw new Error(`EC2NodeClass ${className} does not exist`);

  const free = context.claimOfferings.of(claim).filter(({ offering }) => !unavailable.has(offering));
  if (free.length === 0) return { impossible: 'insufficient capacity: none of its offerings has capacity now' };
  const minimums = minimumsOf(claim.spec.requirements);
  const choice = chooseOrProbe(context.markets, ordinary(free, minimums), minimums);
  if (typeof choice === 'string') return { impossible: `insufficient capacity: ${choice}` };

  const groups = [];
  for (const [architecture, members] of Map.groupBy(choice.offerings, ({ type }) => type.architecture)) {
    const templateName = await templates.ensure(nodeClass, claim, architecture);
    groups.push({ templateName, offerings: members.map(({ offering }) => offering) });
  }
  return { request: buildFleetRequest(cluster, claim, choice.capacityType, groups) };
}

/**
 * Bare metal and accelerators only for claims that can't use anything else: they are expensive, scarce and slow to boot.
 * Source: Karpenter's AWS provider, `filterExoticInstanceTypes`, v1.8.
 */
function ordinary(free: readonly ClaimOffering[], minimums: MinimumValues): readonly ClaimOffering[] {
  const plain = free.filter(({ type }) => !type.isExotic);
  const willDo = plain.length > 0 && findShortfall(minimums, plain) === undefined;
  return willDo ? plain : free;
}

/** The offerings of one request, which has one capacity type. */
interface Choice {
  readonly capacityType: CapacityType;
  readonly offerings: readonly ClaimOffering[];
}

/** Those that are not doubtful as long as they are enough, then all, if doubtful markets may be requested now; or why neither. */
function chooseOrProbe(markets: Markets, free: readonly ClaimOffering[], minimums: MinimumValues): Choice | string {
  const sure = free.filter(({ offering }) => !markets.isDoubtful(offering));
  const choice = choose(sure, minimums, OFFERINGS_PER_LAUNCH);
  if (typeof choice !== 'string' || sure.length === free.length) return choice;
  if (markets.probeInMs() > 0) return 'EC2 refused many offerings like those that are left';
  const probe = choose(free, minimums, OFFERINGS_PER_PROBE, (offering) => markets.refusedAtMs(offering));
  if (typeof probe !== 'string') markets.probe();
  return probe;
}

/**
 * The offerings of one request: of the first capacity type with enough choice; or what is missing.
 * @param rankOf what counts before the price, and before spot goes first: lower is better
 */
function choose(
  free: readonly ClaimOffering[],
  minimums: MinimumValues,
  most: number,
  rankOf: (offering: Offering) => number = () => 0,
): Choice | string {
  const ranked = free
    .map((one) => ({ ...one, rank: rankOf(one.offering) }))
    .sort((a, b) => a.rank - b.rank || a.offering.usdPerHour - b.offering.usdPerHour || (a.type.name < b.type.name ? -1 : 1));
  const best = (['spot', 'on-demand'] as const).flatMap((capacityType) => {
    const [first, ...others] = ranked.filter(({ offering }) => offering.capacityType === capacityType);
    return first === undefined ? [] : [{ capacityType, rank: first.rank, offerings: [first, ...others] }];
  });
  let missing = '';
  for (const { capacityType, offerings: all } of best.sort((a, b) => a.rank - b.rank)) {
    const offerings = chooseKeeping(minimums, all, most, ({ labels }) => [labels]);
    const short = findShortfall(minimums, offerings);
    if (short === undefined) return { capacityType, offerings };
    missing = describeShortfall(short);
  }
  return missing;
}
