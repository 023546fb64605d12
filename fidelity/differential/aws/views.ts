import type * as ec2 from '@aws-sdk/client-ec2';
import type * as sqs from '@aws-sdk/client-sqs';
import type { Operation } from './script.ts';

/** The compared parts of an answer, and the values that later steps can reference. */
export interface View {
  readonly body: unknown;
  /** The id of the created resource. */
  readonly made?: string | undefined;
  /** Receipts of messages, sorted by body. */
  readonly receipts?: readonly string[];
}

/** Reads an answer of the SDK's output type. */
export function view(operation: Operation, output: object): View {
  return VIEWS[operation](output as never);
}

const VIEWS: Readonly<Record<Operation, (output: never) => View>> = {
  RunInstances: ({ Instances = [] }: ec2.Reservation) => ({ body: Instances.map(launched), made: Instances[0]?.InstanceId }),
  TerminateInstances: ({ TerminatingInstances = [] }: ec2.TerminateInstancesResult) => ({
    body: TerminatingInstances.map(({ InstanceId, PreviousState }) => ({ InstanceId, PreviousState })),
  }),
  DescribeInstances: ({ Reservations = [], NextToken }: ec2.DescribeInstancesResult) => ({
    body: {
      Reservations: Reservations.map(({ Instances = [] }) => Instances.map(listed)),
      hasMore: NextToken !== undefined,
    },
  }),
  CreateTags: () => ({ body: {} }),
  DeleteTags: () => ({ body: {} }),
  DescribeTags: ({ Tags = [] }: ec2.DescribeTagsResult) => ({ body: ownTags(Tags) }),
  CreateLaunchTemplate: ({ LaunchTemplate }: ec2.CreateLaunchTemplateResult) => ({
    body: template(LaunchTemplate),
    made: LaunchTemplate?.LaunchTemplateId,
  }),
  CreateLaunchTemplateVersion: ({ LaunchTemplateVersion }: ec2.CreateLaunchTemplateVersionResult) => ({
    body: version(LaunchTemplateVersion),
  }),
  DescribeLaunchTemplateVersions: ({ LaunchTemplateVersions = [] }: ec2.DescribeLaunchTemplateVersionsResult) => ({
    body: LaunchTemplateVersions.map(version),
  }),
  DescribeLaunchTemplates: ({ LaunchTemplates = [] }: ec2.DescribeLaunchTemplatesResult) => ({ body: LaunchTemplates.map(template) }),
  DeleteLaunchTemplate: ({ LaunchTemplate }: ec2.DeleteLaunchTemplateResult) => ({
    body: { LaunchTemplateId: LaunchTemplate?.LaunchTemplateId, LaunchTemplateName: LaunchTemplate?.LaunchTemplateName },
  }),
  DescribeSubnets: ({ Subnets = [] }: ec2.DescribeSubnetsResult) => ({
    body: Subnets.map((subnet) => ({
      SubnetId: subnet.SubnetId,
      VpcId: subnet.VpcId,
      AvailabilityZone: subnet.AvailabilityZone,
      CidrBlock: subnet.CidrBlock,
      State: subnet.State,
      DefaultForAz: subnet.DefaultForAz,
      MapPublicIpOnLaunch: subnet.MapPublicIpOnLaunch,
      Tags: subnet.Tags,
    })),
  }),
  GetQueueUrl: ({ QueueUrl }: sqs.GetQueueUrlResult) => ({ body: { QueueUrl } }),
  SendMessage: ({ MessageId, MD5OfMessageBody }: sqs.SendMessageResult) => ({ body: { MessageId, MD5OfMessageBody } }),
  ReceiveMessage: ({ Messages = [] }: sqs.ReceiveMessageResult) => {
    const sorted = [...Messages].sort((a, b) => ((a.Body ?? '') < (b.Body ?? '') ? -1 : 1));
    return {
      body: sorted.map(({ MessageId, Body, MD5OfBody, Attributes }) => ({
        MessageId,
        Body,
        MD5OfBody,
        ApproximateReceiveCount: Attributes?.ApproximateReceiveCount,
      })),
      receipts: sorted.map(({ ReceiptHandle = '' }) => ReceiptHandle),
    };
  },
  DeleteMessage: () => ({ body: {} }),
  DeleteMessageBatch: ({ Successful = [], Failed = [] }: sqs.DeleteMessageBatchResult) => ({
    body: { Successful, Failed: Failed.map(({ Id, Code, SenderFault }) => ({ Id, Code, SenderFault })) },
  }),
};

/** The properties of an instance that never change. */
function launched(one: ec2.Instance): object {
  return {
    InstanceId: one.InstanceId,
    ImageId: one.ImageId,
    InstanceType: one.InstanceType,
    InstanceLifecycle: one.InstanceLifecycle,
    AmiLaunchIndex: one.AmiLaunchIndex,
    AvailabilityZone: one.Placement?.AvailabilityZone,
    Tenancy: one.Placement?.Tenancy,
    // A terminated instance has no network any more, but LocalStack still shows it.
    ...(one.State?.Name === 'terminated'
      ? {}
      : { SubnetId: one.SubnetId, VpcId: one.VpcId, hasPrivateIp: one.PrivateIpAddress !== undefined }),
    Monitoring: one.Monitoring?.State,
    KeyName: one.KeyName,
    ClientToken: one.ClientToken,
    Tags: ownTags(one.Tags),
  };
}

/** With its state, which is not transitional. */
function listed(one: ec2.Instance): object {
  return { ...launched(one), State: one.State, StateReason: one.StateReason?.Code ?? '' };
}

function template(one: ec2.LaunchTemplate | undefined): object {
  return {
    LaunchTemplateId: one?.LaunchTemplateId,
    LaunchTemplateName: one?.LaunchTemplateName,
    DefaultVersionNumber: one?.DefaultVersionNumber,
    LatestVersionNumber: one?.LatestVersionNumber,
    Tags: ownTags(one?.Tags),
  };
}

function version(one: ec2.LaunchTemplateVersion | undefined): object {
  const data = one?.LaunchTemplateData;
  return {
    LaunchTemplateId: one?.LaunchTemplateId,
    LaunchTemplateName: one?.LaunchTemplateName,
    VersionNumber: one?.VersionNumber,
    VersionDescription: one?.VersionDescription,
    DefaultVersion: one?.DefaultVersion,
    LaunchTemplateData: {
      ...data,
      // LocalStack also shows the tags of the template itself here.
      TagSpecifications: data?.TagSpecifications?.filter(({ ResourceType }) => ResourceType !== 'launch-template') ?? [],
    },
  };
}

/** Without the tags that EC2, but not LocalStack, adds to instances from a template. */
function ownTags<T extends ec2.Tag>(tags: readonly T[] = []): T[] {
  return tags.filter(({ Key = '' }) => !Key.startsWith('aws:ec2launchtemplate:'));
}
