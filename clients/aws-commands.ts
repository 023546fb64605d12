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

/** Any command of EC2, for what autoscalers never ask. Each is tried once: not all may be repeated. Rejects with an Ec2Error. */
export interface Ec2Commands {
  readonly send: EC2Client['send'];
  /** Frees sockets. */
  destroy(): void;
}

/** Any command of SQS. Each is tried once. Rejects with an SqsError. */
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
  // The client's overloads can't be said of a wrapper; this one passes everything on.
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
