import type { FleetLaunchTemplateConfigRequest, Tag } from '@aws-sdk/client-ec2';
import type { CapacityType, Offering } from '../../model/catalogue.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import { defined } from '../../model/defined.ts';
import { KARPENTER, clusterTag, nameOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import type { FleetRequest } from './attempt.ts';

/** Offerings that are launched from one launch template. */
interface TemplateGroup {
  readonly templateName: string;
  readonly offerings: readonly Offering[];
}

/**
 * The CreateFleet request for one instance out of some offerings, like Karpenter's: type instant, spot by
 * price-capacity-optimized, on demand by lowest-price. It is the same for all claims that allow the same; `forClaim` and `forClaims`
 * add a tag, which instances have from the start, so that they can be found even if the response is lost.
 */
export function buildFleetRequest(
  cluster: ClusterConfig,
  claim: NodeClaim,
  capacityType: CapacityType,
  groups: readonly TemplateGroup[],
): FleetRequest {
  const tags = instanceTags(cluster, claim);
  return {
    Type: 'instant',
    LaunchTemplateConfigs: groups.map((group) => templateConfig(cluster, group)),
    TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: capacityType },
    ...(capacityType === 'spot'
      ? { SpotOptions: { AllocationStrategy: 'price-capacity-optimized' } }
      : { OnDemandOptions: { AllocationStrategy: 'lowest-price' } }),
    TagSpecifications: [
      { ResourceType: 'instance', Tags: tags },
      { ResourceType: 'volume', Tags: tags },
      { ResourceType: 'fleet', Tags: tags },
    ],
  };
}

/** The request that launches an instance for this claim alone. */
export function forClaim(request: FleetRequest, claim: NodeClaim): FleetRequest {
  return withTag(request, { Key: KARPENTER.nodeClaim, Value: nameOf(claim) });
}

/** The request that launches instances for several claims. Only its answer says which is whose. @param token the client token */
export function forClaims(request: FleetRequest, token: string, count: number): FleetRequest {
  const TargetCapacitySpecification = { ...request.TargetCapacitySpecification, TotalTargetCapacity: count };
  return withTag({ ...request, TargetCapacitySpecification }, { Key: KARPENTER.launch, Value: token });
}

/** A request without its offerings and tags: what a claim keeps of it if another one stores all of it. */
export function withoutOfferings(request: FleetRequest): FleetRequest {
  const { Type, TargetCapacitySpecification } = request;
  return { ...defined({ Type }), LaunchTemplateConfigs: [], TargetCapacitySpecification };
}

/** The number of instances that a request asks for. */
export function countOf(request: FleetRequest): number {
  return request.TargetCapacitySpecification?.TotalTargetCapacity ?? 1;
}

/** The offerings in a request. */
export function offeringsOf(request: FleetRequest): Offering[] {
  const capacityType = request.TargetCapacitySpecification?.DefaultTargetCapacityType === 'spot' ? 'spot' : 'on-demand';
  return (request.LaunchTemplateConfigs ?? []).flatMap((config) =>
    (config.Overrides ?? []).map((override) => ({
      instanceType: override.InstanceType ?? '',
      zone: override.AvailabilityZone ?? '',
      capacityType,
    })),
  );
}

function withTag(request: FleetRequest, tag: Tag): FleetRequest {
  const specifications = request.TagSpecifications ?? [];
  return { ...request, TagSpecifications: specifications.map((one) => ({ ...one, Tags: [...(one.Tags ?? []), tag] })) };
}

function templateConfig(cluster: ClusterConfig, { templateName, offerings }: TemplateGroup): FleetLaunchTemplateConfigRequest {
  return {
    LaunchTemplateSpecification: { LaunchTemplateName: templateName, Version: '$Latest' },
    Overrides: offerings.map(({ instanceType, zone }) => ({
      // The names come from EC2 itself; the SDK's list may be older.
      InstanceType: instanceType as NonNullable<FleetLaunchTemplateConfigRequest['Overrides']>[number]['InstanceType'],
      SubnetId: cluster.subnets[zone],
      AvailabilityZone: zone,
    })),
  };
}

function instanceTags(cluster: ClusterConfig, claim: NodeClaim): Tag[] {
  return [
    { Key: clusterTag(cluster.name), Value: 'owned' },
    { Key: KARPENTER.clusterTag, Value: cluster.name },
    { Key: KARPENTER.nodePool, Value: claim.metadata.labels?.[KARPENTER.nodePool] ?? '' },
    { Key: KARPENTER.nodeClass, Value: claim.spec.nodeClassRef.name },
  ];
}
