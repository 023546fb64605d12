import { LABEL } from '../../model/kube.ts';
import { matchesLabels, parseRequirements } from '../../model/requirements.ts';
import type { Requirements } from '../../model/requirements.ts';
import { fits, parseResources } from '../../model/resources.ts';
import type { NodeClaim } from '../api.ts';
import type { NodeType, PricedOffering } from '../capacity/instance-types.ts';
import { OFFERINGS_PER_LAUNCH } from '../constants.ts';
import type { Context } from '../context.ts';
import type { FleetRequest } from './attempt.ts';
import { buildFleetRequest } from './fleet-request.ts';

/** Keys of a claim's requirements that say what it may become; the others are its pool's own labels. */
const OFFERING_KEYS: readonly string[] = [LABEL.instanceType, LABEL.zone, LABEL.region, LABEL.capacityType, LABEL.arch, LABEL.os];

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

  const free = offeringsOfClaim(context, claim).filter(({ offering }) => !unavailable.has(offering));
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

/** Everything that a claim may become, by its requirements and requests. */
export function offeringsOfClaim(
  { cluster, instanceTypes }: Pick<Context, 'cluster' | 'instanceTypes'>,
  claim: NodeClaim,
): { readonly type: NodeType; readonly offering: PricedOffering }[] {
  const stated = claim.spec.requirements.filter(({ key }) => OFFERING_KEYS.includes(key));
  const requirements: Requirements = parseRequirements(stated);
  const requests = parseResources(claim.spec.resources?.requests);
  return instanceTypes.list().flatMap((type) => {
    if (!fits(requests, type.allocatable)) return [];
    return type.offerings
      .filter((offering) => matchesLabels(requirements, offeringLabels(type, offering, cluster.region)))
      .map((offering) => ({ type, offering }));
  });
}

/** The labels of a node that became this, without its pool's. */
export function offeringLabels(type: NodeType, offering: PricedOffering, region: string): Record<string, string> {
  return {
    ...type.labels,
    [LABEL.region]: region,
    [LABEL.zone]: offering.zone,
    [LABEL.capacityType]: offering.capacityType,
  };
}
