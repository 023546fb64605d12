import type { CapacityType } from '../../model/catalogue.ts';
import type { NodeClaim } from '../api.ts';
import { OFFERINGS_PER_LAUNCH } from '../constants.ts';
import type { Context } from '../context.ts';
import { chooseKeeping, describeShortfall, findShortfall, minimumsOf } from '../scheduling/minimum-values.ts';
import type { MinimumValues } from '../scheduling/minimum-values.ts';
import type { FleetRequest } from './attempt.ts';
import type { ClaimOffering } from './claim-offerings.ts';
import { buildFleetRequest } from './fleet-request.ts';

/** The next request for a claim, or why there is none. */
export type LaunchPlan = { readonly request: FleetRequest } | { readonly impossible: string };

/**
 * The next request for a claim: the cheapest of its offerings that are not known to lack capacity, spot as long as there is any,
 * then on demand, and with the minimum number of values that its pool requires. Creates the launch templates that it needs.
 */
export async function planFleetRequest(context: Context, claim: NodeClaim): Promise<LaunchPlan> {
  const { cluster, state, templates, unavailable } = context;
  const className = claim.spec.nodeClassRef.name;
  const nodeClass = state.classes.get(className);
  if (nodeClass === undefined) throw new Error(`EC2NodeClass ${className} does not exist`);

  const free = context.claimOfferings.of(claim).filter(({ offering }) => !unavailable.has(offering));
  if (free.length === 0) return { impossible: 'none of its offerings has capacity now' };
  const minimums = minimumsOf(claim.spec.requirements);
  const choice = choose(ordinary(free, minimums), minimums);
  if (typeof choice === 'string') return { impossible: choice };

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

/** The offerings of one request, which has one capacity type: the first with enough choice; or what is missing. */
function choose(
  free: readonly ClaimOffering[],
  minimums: MinimumValues,
): { readonly capacityType: CapacityType; readonly offerings: readonly ClaimOffering[] } | string {
  let missing = '';
  for (const capacityType of ['spot', 'on-demand'] as const) {
    const cheapest = free
      .filter(({ offering }) => offering.capacityType === capacityType)
      .sort((a, b) => a.offering.usdPerHour - b.offering.usdPerHour || (a.type.name < b.type.name ? -1 : 1));
    if (cheapest.length === 0) continue;
    const offerings = chooseKeeping(minimums, cheapest, OFFERINGS_PER_LAUNCH, ({ labels }) => [labels]);
    const short = findShortfall(minimums, offerings);
    if (short === undefined) return { capacityType, offerings };
    missing = describeShortfall(short);
  }
  return missing;
}
