import * as ec2 from '@aws-sdk/client-ec2';
import * as sqs from '@aws-sdk/client-sqs';
import type { Ec2Commands, SqsCommands } from '../../../clients/aws-commands.ts';
import type { Operation } from './script.ts';

/** One account of a cloud, as used by a script. */
export interface Cloud {
  readonly ec2: Ec2Commands;
  readonly sqs: SqsCommands;
  /** Ids and URLs by their names in scripts: `vpc`, `subnet us-east-1a`, `queue`. */
  readonly given: ReadonlyMap<string, string>;
  /** Waits until the effects of a call are complete. */
  settle(): Promise<void>;
}

type Send = (cloud: Cloud, input: never) => Promise<object>;

/** Sends one call. @throws Ec2Error or SqsError */
export function send(operation: Operation, cloud: Cloud, input: object): Promise<object> {
  return SENDERS[operation](cloud, input as never);
}

const SENDERS: Readonly<Record<Operation, Send>> = {
  RunInstances: ({ ec2: to }, input) => to.send(new ec2.RunInstancesCommand(input)),
  TerminateInstances: ({ ec2: to }, input) => to.send(new ec2.TerminateInstancesCommand(input)),
  DescribeInstances: ({ ec2: to }, input) => to.send(new ec2.DescribeInstancesCommand(input)),
  CreateTags: ({ ec2: to }, input) => to.send(new ec2.CreateTagsCommand(input)),
  DeleteTags: ({ ec2: to }, input) => to.send(new ec2.DeleteTagsCommand(input)),
  DescribeTags: ({ ec2: to }, input) => to.send(new ec2.DescribeTagsCommand(input)),
  CreateLaunchTemplate: ({ ec2: to }, input) => to.send(new ec2.CreateLaunchTemplateCommand(input)),
  CreateLaunchTemplateVersion: ({ ec2: to }, input) => to.send(new ec2.CreateLaunchTemplateVersionCommand(input)),
  DescribeLaunchTemplateVersions: ({ ec2: to }, input) => to.send(new ec2.DescribeLaunchTemplateVersionsCommand(input)),
  DescribeLaunchTemplates: ({ ec2: to }, input) => to.send(new ec2.DescribeLaunchTemplatesCommand(input)),
  DeleteLaunchTemplate: ({ ec2: to }, input) => to.send(new ec2.DeleteLaunchTemplateCommand(input)),
  DescribeSubnets: ({ ec2: to }, input) => to.send(new ec2.DescribeSubnetsCommand(input)),
  GetQueueUrl: ({ sqs: to }, input) => to.send(new sqs.GetQueueUrlCommand(input)),
  SendMessage: ({ sqs: to }, input) => to.send(new sqs.SendMessageCommand(input)),
  ReceiveMessage: ({ sqs: to }, input) => to.send(new sqs.ReceiveMessageCommand(input)),
  DeleteMessage: ({ sqs: to }, input) => to.send(new sqs.DeleteMessageCommand(input)),
  DeleteMessageBatch: ({ sqs: to }, input) => to.send(new sqs.DeleteMessageBatchCommand(input)),
};
