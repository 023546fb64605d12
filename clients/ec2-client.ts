import type {
  CreateFleetCommandInput,
  CreateFleetCommandOutput,
  CreateLaunchTemplateCommandInput,
  CreateTagsCommandInput,
  DescribeInstanceTypesCommandInput,
  DescribeInstancesCommandInput,
  DescribeLaunchTemplatesCommandInput,
  DescribeSpotPriceHistoryCommandInput,
  Instance,
  InstanceTypeInfo,
  InstanceTypeOffering,
  LaunchTemplate,
  SpotPrice,
  DescribeInstanceTypeOfferingsCommandInput,
} from '@aws-sdk/client-ec2';

/** EC2's refusal, or no answer at all. */
export class Ec2Error extends Error {
  /** EC2's code, e.g. `RequestLimitExceeded`; a socket's code when there was no answer. */
  readonly code: string;
  /** HTTP status; 0 when there was no answer: whether the request took effect is unknown. */
  readonly status: number;

  constructor(code: string, status: number, message: string) {
    super(message);
    this.name = 'Ec2Error';
    this.code = code;
    this.status = status;
  }
}

/**
 * EC2 as an autoscaler uses it, by the SDK's commands. Lists are read to their last page (bounded). Throttled and
 * transient failures are retried as the SDK's standard mode does (3 attempts, jittered exponential backoff), but on the
 * clock; `createFleet` is retried only with the same client token, which the caller must set. Rejects with an Ec2Error.
 */
export interface Ec2Client {
  createFleet(input: CreateFleetCommandInput & { ClientToken: string }): Promise<CreateFleetCommandOutput>;
  terminateInstances(ids: readonly string[]): Promise<void>;
  describeInstances(input: DescribeInstancesCommandInput): Promise<Instance[]>;
  /** Leaves out what nothing here reads: EBS, local disks, accelerators other than GPUs, placement groups, boot modes. */
  describeInstanceTypes(input: DescribeInstanceTypesCommandInput): Promise<InstanceTypeInfo[]>;
  describeInstanceTypeOfferings(input: DescribeInstanceTypeOfferingsCommandInput): Promise<InstanceTypeOffering[]>;
  describeSpotPriceHistory(input: DescribeSpotPriceHistoryCommandInput): Promise<SpotPrice[]>;
  describeLaunchTemplates(input: DescribeLaunchTemplatesCommandInput): Promise<LaunchTemplate[]>;
  createLaunchTemplate(input: CreateLaunchTemplateCommandInput): Promise<LaunchTemplate>;
  deleteLaunchTemplate(name: string): Promise<void>;
  createTags(input: CreateTagsCommandInput): Promise<void>;
  /** Frees sockets. */
  destroy(): void;
}
