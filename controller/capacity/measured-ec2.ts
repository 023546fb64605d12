import { Ec2Error } from '../../clients/ec2-client.ts';
import type { Ec2Client } from '../../clients/ec2-client.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Metrics } from '../metrics.ts';

/** A client that counts and times its calls. Labels as in Karpenter, except the method, which is EC2's operation here. */
export function measuredEc2(
  ec2: Ec2Client,
  clock: Clock,
  metrics: Pick<Metrics, 'cloudProviderDuration' | 'cloudProviderErrors'>,
): Ec2Client {
  const measured = async <T>(method: string, call: Promise<T>): Promise<T> => {
    const startedMs = clock.nowMs();
    try {
      return await call;
    } catch (error) {
      metrics.cloudProviderErrors.inc({ method, provider: 'aws', error: error instanceof Ec2Error ? error.code : 'Unknown' });
      throw error;
    } finally {
      metrics.cloudProviderDuration.observe((clock.nowMs() - startedMs) / 1_000, { method, provider: 'aws' });
    }
  };
  return {
    createFleet: (input) => measured('CreateFleet', ec2.createFleet(input)),
    terminateInstances: (ids) => measured('TerminateInstances', ec2.terminateInstances(ids)),
    describeInstances: (input) => measured('DescribeInstances', ec2.describeInstances(input)),
    describeInstanceTypes: (input) => measured('DescribeInstanceTypes', ec2.describeInstanceTypes(input)),
    describeInstanceTypeOfferings: (input) => measured('DescribeInstanceTypeOfferings', ec2.describeInstanceTypeOfferings(input)),
    describeSpotPriceHistory: (input) => measured('DescribeSpotPriceHistory', ec2.describeSpotPriceHistory(input)),
    describeLaunchTemplates: (input) => measured('DescribeLaunchTemplates', ec2.describeLaunchTemplates(input)),
    createLaunchTemplate: (input) => measured('CreateLaunchTemplate', ec2.createLaunchTemplate(input)),
    deleteLaunchTemplate: (name) => measured('DeleteLaunchTemplate', ec2.deleteLaunchTemplate(name)),
    createTags: (input) => measured('CreateTags', ec2.createTags(input)),
    destroy: () => ec2.destroy(),
  };
}
