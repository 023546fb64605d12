import { reading } from '../operation.ts';
import type { Ec2Operation } from '../operation.ts';
import { createFleet } from './create-fleet.ts';
import { describeAvailabilityZones } from './describe-availability-zones.ts';
import { describeImages } from './describe-images.ts';
import { describeInstanceTypeOfferings } from './describe-instance-type-offerings.ts';
import { describeInstanceTypes } from './describe-instance-types.ts';
import { describeInstances } from './describe-instances.ts';
import { describeSecurityGroups } from './describe-security-groups.ts';
import { describeSpotPriceHistory } from './describe-spot-price-history.ts';
import { describeSubnets } from './describe-subnets.ts';
import { createLaunchTemplate, deleteLaunchTemplate, describeLaunchTemplateVersions, describeLaunchTemplates } from './launch-templates.ts';
import { createTags, deleteTags } from './tags.ts';
import { terminateInstances } from './terminate-instances.ts';

/** Every EC2 operation of the world, by its action. Another one is a file and a line here. */
export const EC2_OPERATIONS: Readonly<Record<string, Ec2Operation>> = {
  CreateFleet: { run: createFleet, idempotent: true },
  CreateLaunchTemplate: { run: createLaunchTemplate, idempotent: true },
  CreateTags: { run: createTags },
  DeleteLaunchTemplate: { run: deleteLaunchTemplate },
  DeleteTags: { run: deleteTags },
  DescribeAvailabilityZones: reading(describeAvailabilityZones),
  DescribeImages: reading(describeImages),
  DescribeInstanceTypeOfferings: reading(describeInstanceTypeOfferings),
  DescribeInstanceTypes: reading(describeInstanceTypes),
  DescribeInstances: reading(describeInstances),
  DescribeLaunchTemplateVersions: reading(describeLaunchTemplateVersions),
  DescribeLaunchTemplates: reading(describeLaunchTemplates),
  DescribeSecurityGroups: reading(describeSecurityGroups),
  DescribeSpotPriceHistory: reading(describeSpotPriceHistory),
  DescribeSubnets: reading(describeSubnets),
  TerminateInstances: { run: terminateInstances },
};
