import type { EC2Client } from '@aws-sdk/client-ec2';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { AwsClientOptions } from './aws-sdk.ts';
import { toServiceError } from './aws-errors.ts';
import { EC2_REQUEST_TIMEOUT_MS } from './ec2.ts';
import { toEc2Error } from './ec2-errors.ts';
import { createSdkClient } from './ec2-sdk.ts';
import { SQS_REQUEST_TIMEOUT_MS, createSqsSdkClient } from './sqs.ts';
import { SqsError } from './sqs-client.ts';

type CommandsOptions = Omit<AwsClientOptions, 'random' | 'maxAttempts'>;

/** Any command of EC2, also those that autoscalers never use. Not retried: not all are safe to repeat. Rejects with an Ec2Error. */
export interface Ec2Commands {
  readonly send: EC2Client['send'];
  /** Frees sockets. */
  destroy(): void;
}

/** Any command of SQS. Not retried. Rejects with an SqsError. */
export interface SqsCommands {
  readonly send: SQSClient['send'];
  /** Frees sockets. */
  destroy(): void;
}

export function createEc2Commands(options: CommandsOptions): Ec2Commands {
  const { clock, timeoutMs = EC2_REQUEST_TIMEOUT_MS } = options;
  const sdk = createSdkClient({ ...options, timeoutMs });
  const send = async (command: Parameters<EC2Client['send']>[0]): Promise<unknown> => {
    try {
      return await clock.call(`ec2: ${nameOf(command)}`, () => sdk.send(command));
    } catch (error) {
      throw toEc2Error(error);
    }
  };
  // A wrapper can't be given the client's overloads; this one passes everything on.
  return { send: send as EC2Client['send'], destroy: () => sdk.destroy() };
}

export function createSqsCommands(options: CommandsOptions): SqsCommands {
  const { clock, timeoutMs = SQS_REQUEST_TIMEOUT_MS } = options;
  const sdk = createSqsSdkClient({ ...options, timeoutMs });
  const send = async (command: Parameters<SQSClient['send']>[0]): Promise<unknown> => {
    try {
      return await clock.call(`sqs: ${nameOf(command)}`, () => sdk.send(command));
    } catch (error) {
      throw toServiceError(error, (code, status, message) => new SqsError(code, status, message));
    }
  };
  return { send: send as SQSClient['send'], destroy: () => sdk.destroy() };
}

function nameOf(command: object): string {
  return command.constructor.name.replace(/Command$/, '');
}
