import type { NodeClaim } from '../api.ts';
import { OFFERINGS_PER_LAUNCH } from '../constants.ts';
import type { Context } from '../context.ts';
import type { FleetRequest } from './attempt.ts';
import { buildFleetRequest } from './fleet-request.ts';

/**
 * The next request for a claim: the cheapest of the offerings that it may become and that are not known to be without
 * capacity, spot as long as there is any, then on demand. Creates the launch templates that it needs.
 * @returns undefined when there is no such offering
 */
export async function planFleetRequest(context: Context, claim: NodeClaim): Promise<FleetRequest | undefined> {
  const { cluster, state, templates, unavailable } = context;
  const className = claim.spec.nodeClassRef.name;
  const nodeClass = state.classes.get(className);
  if (nodeClass === undefined) throw new Error(`EC2NodeClass ${className} does not exist`);

  const free = context.claimOfferings.of(claim).filter(({ offering }) => !unavailable.has(offering));
  const capacityType = free.some(({ offering }) => offering.capacityType === 'spot') ? 'spot' : 'on-demand';
  const chosen = free
    .filter(({ offering }) => offering.capacityType === capacityType)
    .sort((a, b) => a.offering.usdPerHour - b.offering.usdPerHour || (a.type.name < b.type.name ? -1 : 1))
    .slice(0, OFFERINGS_PER_LAUNCH);
  if (chosen.length === 0) return undefined;

  const groups = [];
  for (const [architecture, members] of Map.groupBy(chosen, ({ type }) => type.architecture)) {
    const templateName = await templates.ensure(nodeClass, claim, architecture);
    groups.push({ templateName, offerings: members.map(({ offering }) => offering) });
  }
  return buildFleetRequest(cluster, claim, capacityType, groups);
}
