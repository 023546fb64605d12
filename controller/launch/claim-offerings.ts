import { LABEL } from '../../model/kube.ts';
import { matchesLabels, parseRequirements } from '../../model/requirements.ts';
import type { KubeletSettings } from '../../model/node-settings.ts';
import { fits, parseResources } from '../../model/resources.ts';
import type { Labels } from '../../model/selector.ts';
import type { NodeClaim } from '../api.ts';
import { offeringLabels } from '../capacity/instance-types.ts';
import type { InstanceTypes, NodeType, PricedOffering } from '../capacity/instance-types.ts';

/** One offering that a claim allows. */
export interface ClaimOffering {
  readonly type: NodeType;
  readonly offering: PricedOffering;
  /** Labels that its node would have, except its hostname and its pool's labels. */
  readonly labels: Labels;
}

/** All offerings that claims allow, by their requirements and requests. */
export interface ClaimOfferings {
  of(claim: NodeClaim): readonly ClaimOffering[];
}

/** Keys of a claim's requirements that select offerings; the others are its pool's own labels. */
const OFFERING_KEYS: readonly string[] = [LABEL.instanceType, LABEL.zone, LABEL.region, LABEL.capacityType, LABEL.arch, LABEL.os];

/**
 * Cached for each version of a claim and of the instance types, and until the settings change.
 * @param kubeletOf the settings of the nodes of a claim
 */
export function createClaimOfferings(
  instanceTypes: InstanceTypes,
  kubeletOf: (claim: NodeClaim) => KubeletSettings | undefined,
): ClaimOfferings {
  const known = new WeakMap<NodeClaim, { readonly types: readonly NodeType[]; readonly offerings: readonly ClaimOffering[] }>();
  return {
    of: (claim) => {
      const kubelet = kubeletOf(claim);
      // The list is replaced whenever anything in it changes.
      const types = instanceTypes.list(kubelet);
      const cached = known.get(claim);
      if (cached?.types === types) return cached.offerings;
      const offerings = offeringsOfClaim(claim, types, (name) => instanceTypes.get(name, kubelet));
      known.set(claim, { types, offerings });
      return offerings;
    },
  };
}

type TypeByName = (name: string) => NodeType | undefined;

function offeringsOfClaim(claim: NodeClaim, types: readonly NodeType[], typeOf: TypeByName): ClaimOffering[] {
  const requirements = parseRequirements(claim.spec.requirements.filter(({ key }) => OFFERING_KEYS.includes(key)));
  const requests = parseResources(claim.spec.resources?.requests);
  return candidates(claim, types, typeOf).flatMap((type) => {
    if (!fits(requests, type.allocatable)) return [];
    return type.offerings
      .map((offering) => ({ type, offering, labels: offeringLabels(type, offering) }))
      .filter(({ labels }) => matchesLabels(requirements, labels));
  });
}

/** The types that a claim names, or all of them. */
function candidates(claim: NodeClaim, types: readonly NodeType[], typeOf: TypeByName): readonly NodeType[] {
  const named = claim.spec.requirements.find(({ key, operator }) => key === LABEL.instanceType && operator === 'In')?.values;
  if (named === undefined) return types;
  return [...new Set(named)].sort().flatMap((name) => typeOf(name) ?? []);
}
