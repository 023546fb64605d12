import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { InputCopier } from '../protocols/aws-call/input-copier.ts';
import type { Clock } from '../runtime/clock.ts';
import { never } from '../runtime/clock.ts';
import { DirectClient } from './aws-direct.ts';
import type { DirectService } from './aws-direct.ts';
import { UNSIGNED, sdkConfig, withoutLog } from './aws-sdk.ts';
import type { SdkOptions } from './aws-sdk.ts';
import { Ec2Protocol } from './ec2-reader.ts';

export type { AwsCredentials } from './aws-sdk.ts';

/** The SDK's own client over a wire. In virtual time, call `warmUp` once in the process before. */
export function createSdkClient(options: SdkOptions): EC2Client {
  const { region, credentials, endpoint = `https://ec2.${region}.amazonaws.com` } = options;
  return withoutLog(
    new EC2Client({
      ...sdkConfig(options),
      endpoint,
      protocol: Ec2Protocol,
      ...(credentials === undefined ? UNSIGNED : { credentials }),
    }),
  );
}

/** What sends the SDK's commands. */
export type Ec2Sender = Pick<EC2Client, 'send' | 'destroy'>;

/** The options of the SDK's protocol, as far as they matter for forms. */
const FORMS = { defaultNamespace: 'com.amazonaws.ec2', xmlNamespace: '', version: '2016-11-15' };
/** Shared by all clients, as what it has compiled is the same. */
const COPIER = new InputCopier('form');
const HEADERS = { 'content-type': 'application/x-www-form-urlencoded' };

/** Sends the same commands without the SDK's client, which only lends its configuration. */
export function createDirectEc2(options: Omit<SdkOptions, 'credentials'>, { config }: EC2Client): Ec2Sender {
  const service = {
    name: 'ec2',
    copier: COPIER,
    headersOf: () => HEADERS,
    // A serializer that has thrown keeps what it had written.
    write: (action, schema, input) => new Ec2Protocol(FORMS).write(action, schema, input),
  } satisfies DirectService;
  const direct = new DirectClient({ ...options, service, config });
  // It can't be given the client's overloads, but sends every command.
  return direct as Ec2Sender;
}

/**
 * Makes one throw-away call on a wire in memory. The first SDK call of a process loads modules for some hundred turns of the
 * event loop, which a virtual clock would take for a stall. Later calls, also of other clients, need one turn.
 */
export async function warmUp(): Promise<void> {
  const answer =
    '<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><reservationSet/></DescribeInstancesResponse>';
  const client = createSdkClient({
    wire: () => Promise.resolve({ status: 200, headers: { 'content-type': 'text/xml' }, body: answer }),
    clock: TIMELESS,
    region: 'us-east-1',
    timeoutMs: 1_000,
  });
  await client.send(new DescribeInstancesCommand({}));
  client.destroy();
}

/** A clock for one call that waits for nothing. */
const TIMELESS: Clock = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  sleep: () => never(),
  after: () => () => undefined,
  call: (_label, work) => work(),
  park: (wait) => wait,
  hold: (work) => work,
};
