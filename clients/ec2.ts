import { createHash } from 'node:crypto';
import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  CreateTagsCommand,
  DeleteLaunchTemplateCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplatesCommand,
  DescribeSpotPriceHistoryCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { Clock } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';
import type { AwsClientOptions, CallOptions } from './aws-sdk.ts';
import { Ec2Error } from './ec2-client.ts';
import type { Ec2Client } from './ec2-client.ts';
import { failureOf, toEc2Error } from './ec2-errors.ts';
import { createDirectEc2, createSdkClient } from './ec2-sdk.ts';
import type { Ec2Sender } from './ec2-sdk.ts';
import { RETRY, StandardRetry } from './retry.ts';

/** How long one attempt may take: a fleet that launches at once can take EC2 tens of seconds. */
export const EC2_REQUEST_TIMEOUT_MS = 60_000;
/** A list with more pages than this is taken to be endless. */
export const MAX_PAGES = 1_000;

/**
 * An EC2 client over a wire: the SDK's with credentials. Without, a world in the same process gets its requests as they are. Client
 * tokens are the caller's, or drawn from `random`: the SDK's own would not be reproducible.
 */
export function createEc2Client(options: AwsClientOptions): Ec2Client {
  const { timeoutMs = EC2_REQUEST_TIMEOUT_MS } = options;
  const sdk = createSdkClient({ ...options, timeoutMs });
  return ec2ClientBy(options.credentials === undefined ? createDirectEc2({ ...options, timeoutMs }, sdk) : sdk, options);
}

/** The client whose calls this sender sends. */
export function ec2ClientBy(sender: Ec2Sender, options: CallOptions): Ec2Client {
  return new CommandsEc2Client(sender, options);
}

/** The token of the next page, in the request and in the answer. */
interface Paged {
  NextToken?: string | undefined;
}

/** Calls by the SDK's commands. */
class CommandsEc2Client implements Ec2Client {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #retry: StandardRetry;
  readonly #sender: Ec2Sender;

  constructor(sender: Ec2Sender, { clock, random, maxAttempts = RETRY.maxAttempts }: CallOptions) {
    this.#clock = clock;
    this.#random = random.fork('ec2 tokens');
    this.#retry = new StandardRetry(clock, random.fork('ec2 retries'), maxAttempts);
    this.#sender = sender;
  }

  createFleet(input: Parameters<Ec2Client['createFleet']>[0]): ReturnType<Ec2Client['createFleet']> {
    return this.#call('CreateFleet', () => this.#sender.send(new CreateFleetCommand(input)));
  }

  async terminateInstances(ids: readonly string[]): Promise<void> {
    await this.#call('TerminateInstances', () => this.#sender.send(new TerminateInstancesCommand({ InstanceIds: [...ids] })));
  }

  async describeInstances(input: Parameters<Ec2Client['describeInstances']>[0]): ReturnType<Ec2Client['describeInstances']> {
    const reservations = await this.#list(
      input,
      (page) => this.#call('DescribeInstances', () => this.#sender.send(new DescribeInstancesCommand(page))),
      (page) => page.Reservations,
    );
    return reservations.flatMap((reservation) => reservation.Instances ?? []);
  }

  describeInstanceTypes(input: Parameters<Ec2Client['describeInstanceTypes']>[0]): ReturnType<Ec2Client['describeInstanceTypes']> {
    return this.#list(
      input,
      (page) => this.#call('DescribeInstanceTypes', () => this.#sender.send(new DescribeInstanceTypesCommand(page))),
      (page) => page.InstanceTypes,
    );
  }

  describeInstanceTypeOfferings(
    input: Parameters<Ec2Client['describeInstanceTypeOfferings']>[0],
  ): ReturnType<Ec2Client['describeInstanceTypeOfferings']> {
    return this.#list(
      input,
      (page) => this.#call('DescribeInstanceTypeOfferings', () => this.#sender.send(new DescribeInstanceTypeOfferingsCommand(page))),
      (page) => page.InstanceTypeOfferings,
    );
  }

  describeSpotPriceHistory(input: Parameters<Ec2Client['describeSpotPriceHistory']>[0]): ReturnType<Ec2Client['describeSpotPriceHistory']> {
    return this.#list(
      input,
      (page) => this.#call('DescribeSpotPriceHistory', () => this.#sender.send(new DescribeSpotPriceHistoryCommand(page))),
      (page) => page.SpotPriceHistory,
    );
  }

  describeLaunchTemplates(input: Parameters<Ec2Client['describeLaunchTemplates']>[0]): ReturnType<Ec2Client['describeLaunchTemplates']> {
    return this.#list(
      input,
      (page) => this.#call('DescribeLaunchTemplates', () => this.#sender.send(new DescribeLaunchTemplatesCommand(page))),
      (page) => page.LaunchTemplates,
    );
  }

  async createLaunchTemplate(input: Parameters<Ec2Client['createLaunchTemplate']>[0]): ReturnType<Ec2Client['createLaunchTemplate']> {
    const withToken = { ...input, ClientToken: input.ClientToken ?? this.#token(input) };
    const { LaunchTemplate } = await this.#call('CreateLaunchTemplate', () => {
      return this.#sender.send(new CreateLaunchTemplateCommand(withToken));
    });
    if (LaunchTemplate === undefined) throw new Ec2Error('UnreadableAnswer', 0, 'CreateLaunchTemplate: no template in the answer');
    return LaunchTemplate;
  }

  async deleteLaunchTemplate(name: string): Promise<void> {
    await this.#call('DeleteLaunchTemplate', () => {
      return this.#sender.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName: name }));
    });
  }

  async createTags(input: Parameters<Ec2Client['createTags']>[0]): Promise<void> {
    await this.#call('CreateTags', () => this.#sender.send(new CreateTagsCommand(input)));
  }

  destroy(): void {
    this.#sender.destroy();
  }

  /** A new token for each call, whatever its time and content, also if two clients have the same random stream. */
  #token(input: object): string {
    const source = JSON.stringify([this.#random.hex(32), this.#clock.nowMs(), input]);
    return createHash('sha256').update(source).digest('hex').slice(0, 32);
  }

  /** Each attempt is a call of its own: the clock may advance in the pauses between them. */
  async #call<T>(operation: string, attempt: () => Promise<T>): Promise<T> {
    try {
      return await this.#retry.run(() => this.#clock.call(`ec2: ${operation}`, attempt), failureOf);
    } catch (error) {
      throw toEc2Error(error);
    }
  }

  async #list<Input extends Paged, Output extends Paged, Item>(
    input: Input,
    request: (input: Input) => Promise<Output>,
    itemsOf: (page: Output) => readonly Item[] | undefined,
  ): Promise<Item[]> {
    const items: Item[] = [];
    let page = await request(input);
    for (let pages = 1; ; pages += 1) {
      items.push(...(itemsOf(page) ?? []));
      if (page.NextToken === undefined || page.NextToken === '') return items;
      if (pages >= MAX_PAGES) throw new Ec2Error('UnreadableAnswer', 0, `a list has more than ${MAX_PAGES} pages`);
      page = await request({ ...input, NextToken: page.NextToken });
    }
  }
}
