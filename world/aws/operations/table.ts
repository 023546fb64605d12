import { reading } from '../operation.ts';
import type { Ec2Operation } from '../operation.ts';
import { createFleet } from './create-fleet.ts';
import { describeAccountAttributes } from './describe-account-attributes.ts';
import { describeAvailabilityZones } from './describe-availability-zones.ts';
import { describeImages } from './describe-images.ts';
import { describeInstanceAttribute } from './describe-instance-attribute.ts';
import { describeInstanceTypeOfferings } from './describe-instance-type-offerings.ts';
import { describeInstanceTypes } from './describe-instance-types.ts';
import { describeInstanceStatus } from './describe-instance-status.ts';
import { describeInstances } from './describe-instances.ts';
import { describeNetworkInterfaces } from './describe-network-interfaces.ts';
import { describeRegions } from './describe-regions.ts';
import { describeRouteTables } from './describe-route-tables.ts';
import { describeSecurityGroups } from './describe-security-groups.ts';
import { describeSpotInstanceRequests } from './describe-spot-instance-requests.ts';
import { describeSpotPriceHistory } from './describe-spot-price-history.ts';
import { describeSubnets } from './describe-subnets.ts';
import { describeTags } from './describe-tags.ts';
import { describeVolumes } from './describe-volumes.ts';
import { describeVpcs } from './describe-vpcs.ts';
import { EMPTY_LISTS } from './empty-lists.ts';
import { deleteFleets, describeFleets } from './fleets.ts';
import { getConsoleOutput } from './get-console-output.ts';
import { getInstanceTypesFromInstanceRequirements } from './get-instance-types-from-instance-requirements.ts';
import { getSpotPlacementScores } from './get-spot-placement-scores.ts';
import {
  createLaunchTemplate,
  createLaunchTemplateVersion,
  deleteLaunchTemplate,
  describeLaunchTemplateVersions,
  describeLaunchTemplates,
  modifyLaunchTemplate,
} from './launch-templates.ts';
import { modifyInstanceAttribute } from './modify-instance-attribute.ts';
import { modifyInstanceMetadataOptions } from './modify-instance-metadata-options.ts';
import { rebootInstances } from './reboot-instances.ts';
import { RUN_IDEMPOTENCY, runInstances } from './run-instances.ts';
import { startInstances, stopInstances } from './stop-instances.ts';
import { createTags, deleteTags } from './tags.ts';
import { terminateInstances } from './terminate-instances.ts';

/** Every EC2 operation of the world, by its action. To add one, add a file and a line here. */
export const EC2_OPERATIONS: Readonly<Record<string, Ec2Operation>> = {
  ...EMPTY_LISTS,
  CreateFleet: { run: createFleet, idempotent: {} },
  CreateLaunchTemplate: { run: createLaunchTemplate, idempotent: {} },
  CreateLaunchTemplateVersion: { run: createLaunchTemplateVersion, idempotent: {} },
  CreateTags: { run: createTags },
  DeleteFleets: { run: deleteFleets },
  DeleteLaunchTemplate: { run: deleteLaunchTemplate },
  DeleteTags: { run: deleteTags },
  DescribeAccountAttributes: reading(describeAccountAttributes),
  DescribeAvailabilityZones: reading(describeAvailabilityZones),
  DescribeFleets: reading(describeFleets),
  DescribeImages: reading(describeImages),
  DescribeInstanceAttribute: reading(describeInstanceAttribute),
  DescribeInstanceStatus: reading(describeInstanceStatus),
  DescribeInstanceTypeOfferings: reading(describeInstanceTypeOfferings),
  DescribeInstanceTypes: reading(describeInstanceTypes),
  DescribeInstances: reading(describeInstances),
  DescribeLaunchTemplateVersions: reading(describeLaunchTemplateVersions),
  DescribeLaunchTemplates: reading(describeLaunchTemplates),
  DescribeNetworkInterfaces: reading(describeNetworkInterfaces),
  DescribeRegions: reading(describeRegions),
  DescribeRouteTables: reading(describeRouteTables),
  DescribeSecurityGroups: reading(describeSecurityGroups),
  DescribeSpotInstanceRequests: reading(describeSpotInstanceRequests),
  DescribeSpotPriceHistory: reading(describeSpotPriceHistory),
  DescribeSubnets: reading(describeSubnets),
  DescribeTags: reading(describeTags),
  DescribeVolumes: reading(describeVolumes),
  DescribeVpcs: reading(describeVpcs),
  GetConsoleOutput: reading(getConsoleOutput),
  GetInstanceTypesFromInstanceRequirements: reading(getInstanceTypesFromInstanceRequirements),
  GetSpotPlacementScores: reading(getSpotPlacementScores),
  ModifyInstanceAttribute: { run: modifyInstanceAttribute },
  ModifyInstanceMetadataOptions: { run: modifyInstanceMetadataOptions },
  ModifyLaunchTemplate: { run: modifyLaunchTemplate, idempotent: {} },
  RebootInstances: { run: rebootInstances },
  RunInstances: { run: runInstances, idempotent: RUN_IDEMPOTENCY },
  StartInstances: { run: startInstances },
  StopInstances: { run: stopInstances },
  TerminateInstances: { run: terminateInstances },
};
