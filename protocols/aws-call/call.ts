/**
 * What the body of a request to AWS says, where client and world share a process: the world reads this instead. `input` is what the world
 * would read from the body, and the caller keeps no reference to it.
 */
export class AwsCall {
  /** As in IAM. */
  readonly service: 'ec2' | 'sqs';
  /** e.g. `CreateFleet` */
  readonly action: string;
  /** Plain JSON in the shape of the SDK's input type, timestamps as ISO text. */
  readonly input: Record<string, unknown>;

  constructor(service: 'ec2' | 'sqs', action: string, input: Record<string, unknown>) {
    this.service = service;
    this.action = action;
    this.input = input;
  }
}
