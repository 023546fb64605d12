import { expect, test } from '@playwright/test';
import type { ClockScope } from '../runtime/clock.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import { WireError, asText } from '../wire/wire.ts';
import type { Wire, WireRequest, WireResponse } from '../wire/wire.ts';
import type { Ec2Client } from './ec2-client.ts';
import { Ec2Error } from './ec2-client.ts';
import { warmUp } from './ec2-sdk.ts';
import { EC2_REQUEST_TIMEOUT_MS, MAX_PAGES, createEc2Client } from './ec2.ts';
import type { AwsClientOptions } from './aws-sdk.ts';

interface Site {
  readonly client: Ec2Client;
  readonly clock: ClockScope;
  readonly seen: { readonly atMs: number; readonly request: WireRequest; readonly form: URLSearchParams }[];
}

/** Runs a body with a client whose requests are all answered by `answer`, 10 ms later. */
async function simulate(
  answer: (form: URLSearchParams, nth: number) => WireResponse | Promise<WireResponse>,
  body: (site: Site) => Promise<void>,
  options: Partial<AwsClientOptions> & { seed?: number } = {},
): Promise<void> {
  await warmUp();
  const random = createRandom(options.seed ?? 1);
  const timeline = createVirtualTimeline({ startMs: 0, random: random.fork('timers') });
  const clock = timeline.scope('target');
  const world = timeline.scope('world');
  const seen: Site['seen'] = [];
  const wire: Wire = async (request) => {
    const form = new URLSearchParams(asText(request.body ?? ''));
    seen.push({ atMs: clock.nowMs(), request, form });
    const nth = seen.length;
    await world.sleep(10);
    return answer(form, nth);
  };
  const client = createEc2Client({ wire, clock, random, region: 'us-west-2', ...options });
  await timeline.run(body({ client, clock, seen }));
  client.destroy();
}

function xml(action: string, content: string, status = 200): WireResponse {
  return {
    status,
    headers: { 'content-type': 'text/xml;charset=UTF-8' },
    body: `<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">${content}</${action}Response>`,
  };
}

function refusal(code: string, status: number, headers: Record<string, string> = {}): WireResponse {
  const body = `<?xml version="1.0"?><Response><Errors><Error><Code>${code}</Code><Message>no: ${code}</Message></Error></Errors><RequestID>r</RequestID></Response>`;
  return { status, headers: { 'content-type': 'text/xml', ...headers }, body };
}

const noInstances = xml('DescribeInstances', '<reservationSet/>');

const FLEET = {
  Type: 'instant',
  ClientToken: 'token-1',
  TargetCapacitySpecification: { TotalTargetCapacity: 1 },
  LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { LaunchTemplateName: 'lt', Version: '1' } }],
} as const;

test('sends a fleet and reads instances and errors side by side', async () => {
  const content = `<fleetId>fleet-1</fleetId>
    <errorSet><item><errorCode>InsufficientInstanceCapacity</errorCode><errorMessage>none</errorMessage></item></errorSet>
    <fleetInstanceSet><item><instanceIds><item>i-1</item></instanceIds><instanceType>m5.large</instanceType></item></fleetInstanceSet>`;
  await simulate(
    () => xml('CreateFleet', content),
    async ({ client, seen }) => {
      const fleet = await client.createFleet({ ...FLEET, LaunchTemplateConfigs: [...FLEET.LaunchTemplateConfigs] });
      expect(fleet.FleetId).toBe('fleet-1');
      expect(fleet.Errors?.map((error) => error.ErrorCode)).toEqual(['InsufficientInstanceCapacity']);
      expect(fleet.Instances?.[0]).toMatchObject({ InstanceIds: ['i-1'], InstanceType: 'm5.large' });
      const { request, form } = seen[0] ?? { form: new URLSearchParams() };
      expect(request).toMatchObject({ method: 'POST', path: '/' });
      expect(request?.headers['authorization']).toBeUndefined();
      expect(Object.fromEntries(form)).toEqual({
        Action: 'CreateFleet',
        Version: '2016-11-15',
        ClientToken: 'token-1',
        Type: 'instant',
        'TargetCapacitySpecification.TotalTargetCapacity': '1',
        'LaunchTemplateConfigs.1.LaunchTemplateSpecification.LaunchTemplateName': 'lt',
        'LaunchTemplateConfigs.1.LaunchTemplateSpecification.Version': '1',
      });
    },
  );
});

test('reads every page of a list, and no more than the limit', async () => {
  const page = (id: string, next: string): WireResponse => {
    const instances = `<item><instancesSet><item><instanceId>${id}</instanceId></item></instancesSet></item>`;
    return xml('DescribeInstances', `<reservationSet>${instances}</reservationSet>${next}`);
  };
  await simulate(
    (form) => (form.get('NextToken') === 'two' ? page('i-2', '') : page('i-1', '<nextToken>two</nextToken>')),
    async ({ client }) => {
      const instances = await client.describeInstances({ MaxResults: 5 });
      expect(instances.map((instance) => instance.InstanceId)).toEqual(['i-1', 'i-2']);
    },
  );
  await simulate(
    () => page('i-1', '<nextToken>more</nextToken>'),
    async ({ client, seen }) => {
      await expect(client.describeInstances({})).rejects.toThrow(`more than ${MAX_PAGES} pages`);
      expect(seen).toHaveLength(MAX_PAGES);
    },
  );
});

interface RetryCase {
  readonly name: string;
  readonly answer: () => WireResponse | Promise<WireResponse>;
  readonly attempts: number;
  readonly error: Partial<Ec2Error>;
  /** Longest pause before the second attempt. */
  readonly pauseMs?: number;
}

const RETRY_CASES: readonly RetryCase[] = [
  {
    name: 'throttling at 503',
    answer: () => refusal('RequestLimitExceeded', 503),
    attempts: 3,
    pauseMs: 1_000,
    error: { code: 'RequestLimitExceeded', status: 503 },
  },
  {
    name: 'throttling at 400',
    answer: () => refusal('Throttling', 400),
    attempts: 3,
    pauseMs: 1_000,
    error: { code: 'Throttling', status: 400 },
  },
  {
    name: 'an internal error',
    answer: () => refusal('InternalError', 500),
    attempts: 3,
    pauseMs: 50,
    error: { code: 'InternalError', status: 500 },
  },
  {
    name: 'no capacity at 500',
    answer: () => refusal('InsufficientInstanceCapacity', 500),
    attempts: 3,
    pauseMs: 50,
    error: { code: 'InsufficientInstanceCapacity', status: 500 },
  },
  {
    name: 'no capacity at 400',
    answer: () => refusal('InsufficientInstanceCapacity', 400),
    attempts: 1,
    error: { code: 'InsufficientInstanceCapacity', status: 400 },
  },
  {
    name: 'a client error',
    answer: () => refusal('InvalidParameterValue', 400),
    attempts: 1,
    error: { code: 'InvalidParameterValue', status: 400, message: 'no: InvalidParameterValue' },
  },
  {
    name: 'a broken connection',
    answer: () => Promise.reject(new WireError('ECONNRESET', 'broken')),
    attempts: 3,
    pauseMs: 50,
    error: { code: 'ECONNRESET', status: 0 },
  },
  {
    name: 'an error page of a proxy',
    answer: () => ({ status: 502, headers: {}, body: '<html><body>Bad gateway' }),
    attempts: 3,
    pauseMs: 50,
    error: { code: 'UnreadableAnswer', status: 502 },
  },
  {
    name: 'an unreadable success',
    answer: () => ({ status: 200, headers: {}, body: 'fine' }),
    attempts: 1,
    error: { code: 'UnreadableAnswer', status: 0 },
  },
];

for (const { name, answer, attempts, error, pauseMs } of RETRY_CASES) {
  test(`${name}: ${attempts} attempts, all with the same body`, async () => {
    await simulate(answer, async ({ client, seen }) => {
      const rejection = await client
        .createLaunchTemplate({ LaunchTemplateName: 'x', LaunchTemplateData: {} })
        .catch((reason: unknown) => reason);
      expect(rejection).toBeInstanceOf(Ec2Error);
      expect(rejection).toMatchObject(error);
      expect(seen).toHaveLength(attempts);
      expect(new Set(seen.map(({ request }) => request.body)).size).toBe(1);
      if (pauseMs !== undefined) expect((seen[1]?.atMs ?? 0) - 10).toBeLessThanOrEqual(pauseMs);
    });
  });
}

test('waits for the time in Retry-After, up to a limit', async () => {
  for (const [headers, leastMs] of [
    [{ 'retry-after': '3' }, 3_000],
    [{ 'x-amz-retry-after': '1500' }, 1_500],
    [{ 'retry-after': '900' }, 5_000],
  ] as const) {
    await simulate(
      (_form, nth) => (nth === 1 ? refusal('RequestLimitExceeded', 503, headers) : noInstances),
      async ({ client, seen }) => {
        await client.describeInstances({});
        const pauseMs = (seen[1]?.atMs ?? 0) - 10;
        expect(pauseMs).toBeGreaterThanOrEqual(leastMs);
        expect(pauseMs).toBeLessThanOrEqual(6_000);
      },
    );
  }
});

test('stops retrying when the bucket of retries is empty', async () => {
  await simulate(
    () => refusal('InternalError', 500),
    async ({ client, seen }) => {
      for (let call = 0; call < 50; call += 1) await client.describeInstances({}).catch(() => undefined);
      // 500 tokens, 14 per retry: 35 retries after the 50 first attempts.
      expect(seen).toHaveLength(50 + 35);
    },
  );
});

test('times out an attempt', async () => {
  await simulate(
    () => new Promise(() => undefined),
    async ({ client, clock }) => {
      await expect(client.terminateInstances(['i-1'])).rejects.toMatchObject({ code: 'ETIMEDOUT', status: 0 });
      expect(clock.nowMs()).toBe(EC2_REQUEST_TIMEOUT_MS);
    },
    { maxAttempts: 1 },
  );
});

test('an error that is not from EC2 or the wire is passed on unchanged, and not retried', async () => {
  await simulate(
    () => Promise.reject(new TypeError('a bug')),
    async ({ client, seen }) => {
      await expect(client.describeInstances({})).rejects.toThrow(TypeError);
      expect(seen).toHaveLength(1);
    },
  );
});

test('signs with the SDK’s own signer when it has credentials', async () => {
  await simulate(
    () => noInstances,
    async ({ client, seen }) => {
      await client.describeInstances({});
      const headers = seen[0]?.request.headers;
      expect(headers?.['authorization']).toMatch(/^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/us-west-2\/ec2\/aws4_request/);
      expect(headers?.['host']).toBe('localhost:4566');
    },
    { credentials: { accessKeyId: 'AKID', secretAccessKey: 'secret' }, endpoint: 'http://localhost:4566' },
  );
});

test('many calls at once, with retries, complete in virtual time, and the same seed gives the same run', async () => {
  const run = async (seed: number): Promise<string[]> => {
    const notes: string[] = [];
    await simulate(
      (_form, nth) => (nth % 3 === 0 ? refusal('RequestLimitExceeded', 503) : noInstances),
      async ({ client, seen }) => {
        const calls = Array.from({ length: 300 }, async (_, index) => {
          await client.describeInstances({ InstanceIds: [`i-${index}`] }).then(
            () => notes.push(`done ${index}`),
            () => notes.push(`failed ${index}`),
          );
        });
        await Promise.all(calls);
        notes.push(...seen.map(({ atMs, form }) => `${atMs} ${form.get('InstanceId.1')}`));
      },
      { seed },
    );
    return notes;
  };
  const first = await run(7);
  expect(await run(7)).toEqual(first);
  expect(await run(8)).not.toEqual(first);
});
