import { expect, test } from '@playwright/test';
import { createSqsClient } from '../../clients/sqs.ts';
import type { SqsClient } from '../../clients/sqs-client.ts';
import { createEc2Client } from '../../clients/ec2.ts';
import type { Ec2Client } from '../../clients/ec2-client.ts';
import type { NewEvent } from '../../history/events.ts';
import type { Principal } from '../../model/operation.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import type { Backend } from '../../wire/backend.ts';
import { readText } from '../../wire/wire.ts';
import type { Wire } from '../../wire/wire.ts';
import type { QueuePort, SpotPort } from '../ports.ts';
import { FakeInstances } from '../testing/fake-instances.ts';
import { createInterruptions } from './interruptions.ts';
import { AwsServices } from './services.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
const REGION = 'us-east-1';

interface Site {
  readonly clock: Clock;
  readonly instances: FakeInstances;
  readonly spot: SpotPort;
  readonly queue: QueuePort;
  readonly backend: Backend;
  readonly events: readonly NewEvent[];
  /** Message bodies that a principal received within a time, deleted on reception. */
  receive(forMs: number, principal?: Principal): Promise<{ body: string; atMs: number }[]>;
}

/** Runs a body with the interruption queue of a cluster whose instances the test creates. */
async function withQueue(body: (site: Site) => Promise<void>, seed = 1): Promise<void> {
  const random = createRandom(seed);
  const timeline = createVirtualTimeline({ startMs: START_MS, random: random.fork('timers') });
  const clock = timeline.scope('test');
  const instances = new FakeInstances(() => clock.nowMs());
  const events: NewEvent[] = [];
  const recorder = { record: (event: NewEvent) => events.push(event) };
  const parts = { clock: timeline.scope('sqs'), random: random.fork('sqs'), recorder, instances };
  const { backend, queueUrl, ports } = createInterruptions({ ...parts, cluster: { name: 'test', region: REGION } });
  const receive: Site['receive'] = async (forMs, principal = 'target') => {
    const client = sqsOf(backend, clock, principal);
    const endMs = clock.nowMs() + forMs;
    const received: { body: string; atMs: number }[] = [];
    while (clock.nowMs() < endMs) {
      const waitSeconds = Math.min(20, Math.max(1, Math.ceil((endMs - clock.nowMs()) / 1_000)));
      const messages = await client.receive({ queueUrl, max: 10, waitSeconds });
      received.push(...messages.map((message) => ({ body: message.body, atMs: clock.nowMs() - START_MS })));
      await client.deleteBatch(
        queueUrl,
        messages.map(({ receiptHandle }) => receiptHandle),
      );
    }
    return received;
  };
  await timeline.run(body({ clock, instances, ...ports, backend, events, receive }));
}

function sqsOf(backend: Backend, clock: Clock, principal: Principal): SqsClient {
  let span = 0;
  const wire: Wire = (request) => backend.handle(request, backend.describe(request), { principal, incarnation: 1, span: (span += 1) });
  return createSqsClient({ wire, clock, random: createRandom('client'), region: REGION });
}

interface Body {
  readonly 'detail-type': string;
  readonly detail: Readonly<Record<string, unknown>>;
}
const parse = ({ body }: { readonly body: string }): Body => JSON.parse(body) as Body;
const typeOf = (message: { readonly body: string }): string => parse(message)['detail-type'];
const WARNING = 'EC2 Spot Instance Interruption Warning';
const REBALANCE = 'EC2 Instance Rebalance Recommendation';
const NOTICE_MS = 120_000;
const ALL = { selector: {}, moment: 'running', noticeMs: NOTICE_MS, fired: () => undefined } as const;

/** A running spot instance whose state change has already been received. */
async function runSpot({ instances, receive }: Site, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) instances.set(id, { capacityType: 'spot' });
  await receive(3_000, 'scenario');
}

test('messages have EventBridge’s format', async () => {
  await withQueue(async (site) => {
    const { instances, spot, queue, receive } = site;
    instances.set('i-1', { capacityType: 'spot', tags: { team: 'a' } });
    spot.interrupt({ ...ALL, rebalanceBeforeMs: 0 });
    queue.scheduleChange({ selector: {}, startsInMs: 86_400_000, fired: () => undefined });
    const envelope = { version: '0', id: expect.stringMatching(/^[0-9a-f-]{36}$/), account: '123456789012', time: '2026-01-01T00:00:00Z' };
    const ec2 = { ...envelope, region: 'us-east-1', source: 'aws.ec2' };
    const arn = 'arn:aws:ec2:us-east-1:123456789012:instance/i-1';
    const bodies = (await receive(5_000)).map(({ body }) => JSON.parse(body) as object);
    expect(bodies).toHaveLength(4);
    for (const body of [
      {
        ...ec2,
        'detail-type': 'EC2 Instance State-change Notification',
        resources: [arn],
        detail: { 'instance-id': 'i-1', state: 'running' },
      },
      { ...ec2, 'detail-type': REBALANCE, resources: [arn], detail: { 'instance-id': 'i-1' } },
      {
        ...ec2,
        'detail-type': WARNING,
        resources: ['arn:aws:ec2:us-east-1a:instance/i-1'],
        detail: { 'instance-id': 'i-1', 'instance-action': 'terminate' },
      },
      {
        ...envelope,
        region: 'us-east-1',
        source: 'aws.health',
        'detail-type': 'AWS Health Event',
        resources: ['i-1'],
        detail: expect.objectContaining({
          service: 'EC2',
          eventTypeCategory: 'scheduledChange',
          eventTypeCode: 'AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED',
          startTime: 'Fri, 02 Jan 2026 00:00:00 GMT',
          affectedEntities: [{ entityValue: 'i-1', tags: { team: 'a' } }],
        }) as object,
      },
    ]) {
      expect(bodies).toContainEqual(body);
    }
  });
});

test('every state of every instance is reported', async () => {
  await withQueue(async ({ instances, receive }) => {
    const states = ['pending', 'running', 'shutting-down', 'terminated'] as const;
    for (const state of states) instances.set('i-1', { state });
    const told = (await receive(5_000)).map((message) => parse(message).detail['state']);
    expect(told.sort()).toEqual([...states].sort());
  });
});

test('a warned instance is terminated at the end of its notice, and the history records everything', async () => {
  await withQueue(async (site) => {
    const { instances, spot, receive, clock, events } = site;
    await runSpot(site, 'i-1', 'i-2');
    instances.set('i-3', { capacityType: 'on-demand' });
    const fired: string[] = [];
    const warnedAtMs = clock.nowMs() - START_MS;
    const heal = spot.interrupt({ ...ALL, count: 1, fired: (instance) => fired.push(instance) });
    await heal();
    const [victim = ''] = fired;
    expect(fired).toHaveLength(1);
    expect(['i-1', 'i-2']).toContain(victim);
    const received = (await receive(10_000)).filter((message) => typeOf(message) === WARNING);
    expect(received.map((message) => parse(message).detail['instance-id'])).toEqual([victim]);
    expect(events).toEqual([
      { type: 'notice', instance: victim, kind: 'spot-interruption', to: 'sent', endsInMs: NOTICE_MS },
      { type: 'notice', instance: victim, kind: 'spot-interruption', to: 'queued' },
      { type: 'notice', instance: victim, kind: 'spot-interruption', to: 'received', span: expect.any(Number) as unknown },
    ]);
    await clock.sleep(START_MS + warnedAtMs + NOTICE_MS - 1 - clock.nowMs());
    expect(instances.get(victim)?.state).toBe('running');
    await clock.sleep(2);
    expect(
      instances
        .list()
        .filter(({ state }) => state !== 'running')
        .map(({ id }) => id),
    ).toEqual([victim]);
  });
});

for (const { moment, states } of [
  { moment: 'pending', states: ['pending'] },
  { moment: 'before-registration', states: ['pending', 'running'] },
] as const) {
  test(`later instances are interrupted too (${moment}), until healed`, async () => {
    await withQueue(async ({ instances, spot, clock }) => {
      const fired: string[] = [];
      const heal = spot.interrupt({ ...ALL, moment, fired: (instance) => fired.push(`${instance} ${instances.get(instance)?.state}`) });
      for (const id of ['i-1', 'i-2']) for (const state of states) instances.set(id, { state, capacityType: 'spot' });
      instances.set('i-3', { state: states[0], capacityType: 'on-demand' });
      expect(fired).toEqual(['i-1', 'i-2'].map((id) => `${id} ${states.at(-1)}`));
      await heal();
      for (const state of states) instances.set('i-4', { state, capacityType: 'spot' });
      await clock.sleep(NOTICE_MS + 1);
      expect(instances.list().map(({ id, state }) => `${id} ${state}`)).toEqual([
        'i-1 terminated',
        'i-2 terminated',
        `i-3 ${states[0]}`,
        `i-4 ${states.at(-1)}`,
      ]);
    });
  });
}

test('a recommendation comes before the warning, and there is no warning for an instance that is gone by then', async () => {
  await withQueue(async (site) => {
    const { instances, spot, receive } = site;
    await runSpot(site, 'i-1', 'i-2');
    spot.interrupt({ ...ALL, rebalanceBeforeMs: 60_000 });
    const early = await receive(10_000);
    expect(early.map(typeOf)).toEqual([REBALANCE, REBALANCE]);
    instances.set('i-2', { state: 'terminated' });
    const late = (await receive(60_000)).filter((message) => typeOf(message) !== 'EC2 Instance State-change Notification');
    expect(late.map((message) => [typeOf(message), parse(message).detail['instance-id']])).toEqual([[WARNING, 'i-1']]);
  });
});

test('healed between recommendation and warning: no warning, no termination, and the instance can be interrupted later', async () => {
  await withQueue(async (site) => {
    const { instances, spot, receive, clock } = site;
    await runSpot(site, 'i-1');
    const heal = spot.interrupt({ ...ALL, rebalanceBeforeMs: 60_000 });
    expect((await receive(10_000)).map(typeOf)).toEqual([REBALANCE]);
    await heal();
    await clock.sleep(60_000 + NOTICE_MS);
    expect(await receive(1_000)).toEqual([]);
    expect(instances.get('i-1')?.state).toBe('running');
    spot.interrupt(ALL);
    expect((await receive(10_000)).map(typeOf)).toEqual([WARNING]);
  });
});

for (const { of, arm } of [
  {
    of: 'the warning',
    arm: ({ spot }: Site) => spot.interrupt({ ...ALL, message: { kind: 'delay', delayMs: 600_000 } }),
  },
  {
    of: 'any message',
    arm: ({ spot, queue }: Site) => {
      const heal = queue.perturb({ message: { kind: 'delay', delayMs: 600_000 }, fired: () => undefined });
      spot.interrupt(ALL);
      return heal;
    },
  },
]) {
  test(`when the delay of ${of} is healed, it arrives at once`, async () => {
    await withQueue(async (site) => {
      await runSpot(site, 'i-1');
      const heal = arm(site);
      expect(await site.receive(30_000)).toEqual([]);
      await heal();
      expect((await site.receive(3_000)).map(typeOf)).toEqual([WARNING]);
    });
  });
}

for (const { message, copies, lateMs } of [
  { message: { kind: 'duplicate', copies: 3 }, copies: 3, lateMs: 0 },
  { message: { kind: 'delay', delayMs: 200_000 }, copies: 1, lateMs: 200_000 },
  { message: { kind: 'lose' }, copies: 0, lateMs: 0 },
] as const) {
  test(`perturbs a message in transit: ${message.kind}`, async () => {
    await withQueue(async (site) => {
      const { spot, queue, receive, clock } = site;
      await runSpot(site, 'i-1', 'i-2');
      const perturbed: string[] = [];
      const fired = (kind: string, instance: string): unknown => perturbed.push(`${kind} ${instance}`);
      const heal = queue.perturb({ kinds: ['spot-interruption'], count: 1, message, fired });
      const sinceMs = clock.nowMs() - START_MS;
      spot.interrupt(ALL);
      expect(perturbed).toHaveLength(1);
      const warnings = (await receive(230_000)).filter((received) => typeOf(received) === WARNING);
      const hit = warnings.filter((received) => perturbed[0]?.endsWith(String(parse(received).detail['instance-id'])));
      expect(hit).toHaveLength(copies);
      expect(warnings).toHaveLength(copies + 1);
      for (const { atMs } of hit) expect(atMs - sinceMs).toBeGreaterThanOrEqual(lateMs);
      await heal();
    });
  });
}

for (const { what, check } of [
  { what: 'malformed', check: (body: string) => expect(() => JSON.parse(body) as unknown).toThrow() },
  { what: 'foreign', check: (body: string) => expect(parse({ body }).detail['instance-id']).toMatch(/^i-0[0-9a-f]{16}$/) },
] as const) {
  test(`sends ${what} messages until healed`, async () => {
    await withQueue(async ({ queue, receive }) => {
      const about: string[] = [];
      const heal = queue.put({ what, periodMs: 1_000, fired: (id) => about.push(id) });
      const received = await receive(5_000);
      await heal();
      expect(about.length).toBeGreaterThanOrEqual(5);
      for (const { body } of received) check(body);
      await receive(10_000);
      expect(await receive(10_000)).toEqual([]);
    });
  });
}

test('one wire serves EC2 and SQS, and each is refused in its own format', async () => {
  await withQueue(async ({ backend: sqs, clock }) => {
    const ec2: Backend = {
      ...sqs,
      describe: () => ({ wire: 'aws', name: 'ec2:DescribeInstances', mutating: false }),
      handle: () => {
        const body =
          '<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><reservationSet/></DescribeInstancesResponse>';
        return Promise.resolve({ status: 200, headers: { 'content-type': 'text/xml' }, body, effect: { kind: 'none' } });
      },
      refuse: () => ({ status: 503, headers: {}, body: 'ec2' }),
      describeAnswer: () => ({ note: 'ec2' }),
    };
    const services = new AwsServices({ ec2, sqs });
    const names: string[] = [];
    const wire: Wire = (request) => {
      const operation = services.describe(request);
      names.push(operation.name);
      return services.handle(request, operation, { principal: 'target', incarnation: 1, span: 0 });
    };
    const options = { wire, clock, random: createRandom(1), region: REGION };
    const client: Ec2Client = createEc2Client(options);
    expect(await client.describeInstances({})).toEqual([]);
    const url = await createSqsClient(options).queueUrl('test');
    expect(url).toBe('https://sqs.us-east-1.amazonaws.com/123456789012/test');
    expect(names).toEqual(['ec2:DescribeInstances', 'sqs:GetQueueUrl']);

    const operation = { wire: 'aws', name: 'sqs:ReceiveMessage', mutating: false } as const;
    const refused = services.refuse(operation, { status: 403, code: 'AccessDenied', message: 'no' });
    expect(refused).toMatchObject({ status: 403, headers: { 'x-amzn-query-error': 'AccessDenied;Sender' } });
    expect(services.describeAnswer(operation, { status: 403, body: await readText(refused.body) })).toEqual({
      code: 'AccessDeniedException',
      note: 'no',
    });
    expect(services.refuse({ ...operation, name: 'ec2:CreateFleet' }, { status: 503, code: 'x', message: '' }).body).toBe('ec2');
  });
});
