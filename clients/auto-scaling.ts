import {
  AutoScalingClient as SdkClient,
  CreateAutoScalingGroupCommand,
  CreateOrUpdateTagsCommand,
  DeleteAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  PutLifecycleHookCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import type {
  AutoScalingGroup,
  CreateAutoScalingGroupType,
  PutLifecycleHookType,
  Tag,
  UpdateAutoScalingGroupType,
} from '@aws-sdk/client-auto-scaling';
import { defined } from '../model/defined.ts';
import type { Clock } from '../runtime/clock.ts';
import { failureOf, toServiceError } from './aws-errors.ts';
import { UNSIGNED, sdkConfig, withoutLog } from './aws-sdk.ts';
import type { AwsClientOptions, SdkOptions } from './aws-sdk.ts';
import { MAX_PAGES } from './ec2.ts';
import { RETRY, StandardRetry } from './retry.ts';

/** How long one attempt may take. */
const REQUEST_TIMEOUT_MS = 60_000;

/** A refusal of EC2 Auto Scaling, or no answer at all. */
export class AutoScalingError extends Error {
  /** Its code, e.g. `AlreadyExists`; a socket's code when there was no answer. */
  readonly code: string;
  /** HTTP status; 0 when there was no answer: whether the request took effect is unknown. */
  readonly status: number;

  constructor(code: string, status: number, message: string) {
    super(message);
    this.name = 'AutoScalingError';
    this.code = code;
    this.status = status;
  }
}

/** EC2 Auto Scaling as the operator of a cluster uses it. Retries as the SDK's standard mode does. Rejects with an AutoScalingError. */
export interface AutoScalingClient {
  createGroup(input: CreateAutoScalingGroupType): Promise<void>;
  updateGroup(input: UpdateAutoScalingGroupType): Promise<void>;
  /** With its instances. */
  deleteGroup(name: string): Promise<void>;
  /** The groups that have all of these tags. */
  groupsWith(tags: Readonly<Record<string, string>>): Promise<AutoScalingGroup[]>;
  /** Adds tags to groups, or changes them. */
  tag(tags: readonly Tag[]): Promise<void>;
  /** Adds a lifecycle hook to a group, or changes it. */
  putHook(input: PutLifecycleHookType): Promise<void>;
  /** Frees sockets. */
  destroy(): void;
}

/** An EC2 Auto Scaling client over a wire: the SDK's. */
export function createAutoScalingClient(options: AwsClientOptions): AutoScalingClient {
  return new CommandsAutoScalingClient(createSdkClient({ ...options, timeoutMs: options.timeoutMs ?? REQUEST_TIMEOUT_MS }), options);
}

function createSdkClient(options: SdkOptions): SdkClient {
  const { region, credentials, endpoint = `https://autoscaling.${region}.amazonaws.com` } = options;
  return withoutLog(new SdkClient({ ...sdkConfig(options), endpoint, ...(credentials === undefined ? UNSIGNED : { credentials }) }));
}

class CommandsAutoScalingClient implements AutoScalingClient {
  readonly #clock: Clock;
  readonly #retry: StandardRetry;
  readonly #sdk: SdkClient;

  constructor(sdk: SdkClient, { clock, random, maxAttempts = RETRY.maxAttempts }: AwsClientOptions) {
    this.#clock = clock;
    this.#retry = new StandardRetry(clock, random.fork('autoscaling retries'), maxAttempts);
    this.#sdk = sdk;
  }

  async createGroup(input: CreateAutoScalingGroupType): Promise<void> {
    await this.#call('CreateAutoScalingGroup', () => this.#sdk.send(new CreateAutoScalingGroupCommand(input)));
  }

  async updateGroup(input: UpdateAutoScalingGroupType): Promise<void> {
    await this.#call('UpdateAutoScalingGroup', () => this.#sdk.send(new UpdateAutoScalingGroupCommand(input)));
  }

  async deleteGroup(name: string): Promise<void> {
    const input = { AutoScalingGroupName: name, ForceDelete: true };
    await this.#call('DeleteAutoScalingGroup', () => this.#sdk.send(new DeleteAutoScalingGroupCommand(input)));
  }

  async groupsWith(tags: Readonly<Record<string, string>>): Promise<AutoScalingGroup[]> {
    const Filters = Object.entries(tags).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
    const groups: AutoScalingGroup[] = [];
    let token: string | undefined;
    for (let pages = 1; ; pages += 1) {
      const input = { Filters, MaxRecords: 100, ...defined({ NextToken: token }) };
      const answer = await this.#call('DescribeAutoScalingGroups', () => this.#sdk.send(new DescribeAutoScalingGroupsCommand(input)));
      groups.push(...(answer.AutoScalingGroups ?? []));
      token = answer.NextToken;
      if (token === undefined || token === '') return groups;
      if (pages >= MAX_PAGES) throw new AutoScalingError('UnreadableAnswer', 0, `a list has more than ${MAX_PAGES} pages`);
    }
  }

  async tag(tags: readonly Tag[]): Promise<void> {
    await this.#call('CreateOrUpdateTags', () => this.#sdk.send(new CreateOrUpdateTagsCommand({ Tags: [...tags] })));
  }

  async putHook(input: PutLifecycleHookType): Promise<void> {
    await this.#call('PutLifecycleHook', () => this.#sdk.send(new PutLifecycleHookCommand(input)));
  }

  destroy(): void {
    this.#sdk.destroy();
  }

  /** Each attempt is a call of its own: the clock may advance in the pauses between them. */
  async #call<T>(operation: string, attempt: () => Promise<T>): Promise<T> {
    try {
      return await this.#retry.run(() => this.#clock.call(`autoscaling: ${operation}`, attempt), failureOf);
    } catch (error) {
      throw toServiceError(error, (code, status, message) => new AutoScalingError(code, status, message));
    }
  }
}
