import { expect, test } from '@playwright/test';
import { createCache } from '../clients/cache.ts';
import { createEc2Client } from '../clients/ec2.ts';
import type { Ec2Client } from '../clients/ec2-client.ts';
import { createKubeClient } from '../clients/kube.ts';
import { RESOURCES } from '../clients/resources.ts';
import { createSqsClient } from '../clients/sqs.ts';
import type { NewEvent } from '../history/events.ts';
import type { Node, Pod } from '../model/kube.ts';
import type { Clock } from '../runtime/clock.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import { createEmbeddedWorld } from '../world/embedded.ts';
import type { Heal } from '../world/ports.ts';
import type { World } from '../world/world.ts';
import { CASES } from './testing/cases.ts';
import { faults } from './catalogue.ts';
import type { FaultSpec } from './fault.ts';

/** The tenant's launches per minute, all at once: more than the small quotas and buckets of the cases allow. */
const FLEETS = [
  { capacity: 'spot', type: 'm6i.large' },
  { capacity: 'on-demand', type: 'm6i.large' },
  // With a GPU.
  { capacity: 'on-demand', type: 'g4dn.xlarge' },
] as const;
const ZONE = 'us-east-1a';
const TICK_MS = 10_000;
const MINUTE_TICKS = 60_000 / TICK_MS;
const LIFE_MS = 180_000;
/** Longer than any delay of the cases. */
const AFTER_MINUTES = 5;
/** Within this time the tenant triggers every fault of the cases. */
const FIRING_MINUTES = 10;
/** When a healthy node is Ready at the latest. */
const BOOT_MS = 120_000;

type Event = NewEvent & { readonly t: number };

/** The operator's pod that the tenant lists, watches, writes and tries to evict. */
const POD = { name: 'web', namespace: 'default' };

/**
 * A tenant of an embedded world that launches and terminates instances, reads the queue, lists, watches and writes pods and
 * tries to evict them, and ignores all errors.
 */
class Tenant {
  readonly #world: World;
  readonly #clock: Clock;
  readonly #tick: () => void;
  readonly #leaving = new AbortController();
  #ticks = 0;

  constructor(world: World) {
    this.#world = world;
    const scope = world.timeline.scope('target');
    this.#clock = scope;
    const { kube, aws } = world.open('target', 1, scope);
    const { region, interruptionQueueUrl: queueUrl = '' } = world.cluster;
    const parts = { wire: aws, clock: scope, random: createRandom('tenant'), region, maxAttempts: 1 };
    const ec2 = createEc2Client(parts);
    const sqs = createSqsClient(parts);
    const client = createKubeClient({ wire: kube, clock: scope });
    const runtime = { clock: scope, random: createRandom('cache'), log: () => undefined, signal: this.#leaving.signal };
    createCache({ ...runtime, wire: kube }, RESOURCES.pods);
    const pod = { type: RESOURCES.pods, ...POD };
    const drain = async (): Promise<void> => {
      const messages = await sqs.receive({ queueUrl, max: 10, waitSeconds: 0 });
      await sqs.deleteBatch(
        queueUrl,
        messages.map(({ receiptHandle }) => receiptHandle),
      );
    };
    this.#tick = () => {
      const { instances } = world.ports;
      const old = instances.list().filter(({ state, launchedAtMs }) => state === 'running' && scope.nowMs() - launchedAtMs > LIFE_MS);
      void ignore(client.list(RESOURCES.pods));
      void ignore(client.patch(pod, { metadata: { annotations: { tick: String(this.#ticks) } } }));
      // The uid is another pod's, so the pod stays.
      void ignore(client.evict(POD.namespace, POD.name, { uid: '00000000-0000-4000-8000-000000000000' }));
      void ignore(ec2.createLaunchTemplate({ LaunchTemplateName: 'own', LaunchTemplateData: { InstanceType: 'm6i.large' } }));
      void ignore(ec2.describeInstances({}));
      for (let reader = 0; reader < 3; reader += 1) void ignore(drain());
      if (old.length > 0) void ignore(ec2.terminateInstances(old.map(({ id }) => id)));
      if (this.#ticks % MINUTE_TICKS === 0)
        for (const [index, fleet] of FLEETS.entries()) void ignore(launch(world, ec2, fleet, `${this.#ticks}-${index}`));
      this.#ticks += 1;
    };
  }

  /** Runs until the condition holds, for at most this many minutes. */
  async act(minutes: number, until: () => boolean = () => false): Promise<void> {
    const endMs = this.#clock.nowMs() + minutes * 60_000;
    while (this.#world.timeline.nowMs() < endMs && !until()) {
      this.#tick();
      await this.#world.timeline.scope('pace').sleep(TICK_MS);
    }
  }

  /** Stops all reads in progress. */
  leave(): void {
    this.#leaving.abort(new Error('the tenant stops'));
  }
}

async function ignore(work: Promise<unknown>): Promise<void> {
  await work.catch(() => undefined);
}

async function launch({ cluster }: World, ec2: Ec2Client, { capacity, type }: (typeof FLEETS)[number], token: string): Promise<void> {
  await ec2.createFleet({
    Type: 'instant',
    ClientToken: token,
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: 'nodes', Version: '$Latest' },
        Overrides: [{ InstanceType: type, AvailabilityZone: ZONE, SubnetId: cluster.subnets[ZONE] }],
      },
    ],
    TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: capacity },
  });
}

/** Creates what the tenant needs, as an operator that no fault affects. */
async function prepare(world: World): Promise<void> {
  const scope = world.timeline.scope('operator');
  const { aws } = world.open('scenario', 1, scope);
  const ec2 = createEc2Client({ wire: aws, clock: scope, random: createRandom('operator'), region: world.cluster.region });
  const config = { apiVersion: 'node.eks.aws/v1alpha1', kind: 'NodeConfig', spec: { cluster: { name: world.cluster.name } } };
  const UserData = Buffer.from(JSON.stringify(config)).toString('base64');
  const { securityGroupId, imageIds } = world.cluster;
  const data = { ImageId: imageIds.x86_64, SecurityGroupIds: [securityGroupId], UserData };
  await ec2.createLaunchTemplate({ LaunchTemplateName: 'nodes', LaunchTemplateData: data });
  const spread = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' } as const;
  await world.port('scenario').create<Pod>('pods', {
    metadata: { ...POD, labels: { app: 'web' } },
    spec: {
      containers: [{ name: 'main', image: 'web' }],
      nodeSelector: { 'kubernetes.io/os': 'plan9' },
      topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: { app: 'web' } } }],
    },
  });
}

interface Outcome {
  readonly events: readonly Event[];
  readonly firings: number;
  readonly healMs: number;
  readonly firingsAtHeal: number;
  /** Instances that should be Ready nodes but are not. */
  readonly sick: readonly string[];
  readonly apiMs: number;
}

/** The parts of a trial with faults. */
interface TrialParts {
  readonly world: World;
  readonly tenant: Tenant;
  readonly events: readonly Event[];
  /** Injects a fault and counts how often it fires. */
  inject(fault: FaultSpec): Promise<{ firings(): number; heal: Heal }>;
}

/** Runs a tenant in a world, with injected faults. */
async function withTenant<T>(act: (stage: TrialParts) => Promise<T>): Promise<T> {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom('timeline') });
  const events: Event[] = [];
  const failures: Error[] = [];
  const world = createEmbeddedWorld({
    timeline,
    random: createRandom('world'),
    recorder: { record: (event) => events.push({ ...event, t: timeline.nowMs() }) },
    onKill: () => undefined,
    onFailure: (error) => failures.push(error),
    onFlood: () => undefined,
  });
  const inject: TrialParts['inject'] = async (fault) => {
    let firings = 0;
    const heal = await fault.inject({ arm: world.arm, ports: world.ports, cluster: world.cluster, fired: () => (firings += 1) });
    return { firings: () => firings, heal };
  };
  const trial = async (): Promise<T> => {
    await world.start();
    await prepare(world);
    const tenant = new Tenant(world);
    await tenant.act(2);
    const result = await act({ world, tenant, events, inject });
    tenant.leave();
    await world.stop();
    return result;
  };
  const result = await timeline.run(trial());
  expect(failures).toEqual([]);
  return result;
}

/** Injects a fault beside a tenant, heals it as soon as it has fired, and lets the tenant continue. */
function injectAndHeal(fault: FaultSpec): Promise<Outcome> {
  return withTenant(async ({ world, tenant, events, inject }) => {
    const { firings, heal } = await inject(fault);
    await tenant.act(FIRING_MINUTES, () => firings() > 0);
    const healMs = world.timeline.nowMs();
    const firingsAtHeal = firings();
    await heal();
    await tenant.act(AFTER_MINUTES);
    return {
      events: [...events],
      firings: firings(),
      firingsAtHeal,
      healMs,
      sick: await sickNodesOf(world),
      apiMs: world.allowances.apiMs,
    };
  });
}

async function sickNodesOf({ timeline, ports, port }: World): Promise<string[]> {
  const nodes = await port('observer').list<Node>('nodes');
  const ready = nodes.filter(({ status }) => status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true);
  const names = new Set(ready.map(({ metadata }) => metadata.name));
  const due = ports.instances.list().filter(({ state, launchedAtMs }) => state === 'running' && timeline.nowMs() - launchedAtMs > BOOT_MS);
  return due.filter(({ privateDnsName }) => !names.has(privateDnsName)).map(({ id }) => id);
}

/** Effects after the heal that only the fault can have caused. */
function leftoversOf({ events, healMs, apiMs }: Outcome): string[] {
  const warned = new Set(
    events.flatMap((event) => (event.type === 'notice' && event.to === 'sent' && event.t <= healMs ? [event.instance] : [])),
  );
  const starts = new Map<number, number>();
  const leftovers: string[] = [];
  for (const event of events) {
    const isLater = event.t > healMs;
    const say = (what: string): unknown => isLater && leftovers.push(`${what} ${(event.t - healMs) / 1_000} s after the heal`);
    if (event.type === 'request.start') starts.set(event.span, event.t);
    if (event.type === 'request.end') {
      const tookMs = event.t - Math.max(starts.get(event.span) ?? 0, healMs);
      if (tookMs > apiMs) say(`the answer to a request came ${tookMs / 1_000} s late,`);
    }
    if (event.type === 'notice' && event.to === 'sent') say(`${event.kind} of ${event.instance}`);
    if (event.type === 'notice' && event.to === 'received' && event.t > healMs + 2 * TICK_MS)
      say(`${event.kind} of ${event.instance} was received`);
    if (event.type !== 'instance') continue;
    if (event.to !== 'shutting-down' && event.to !== 'stopping') continue;
    if (event.span === undefined && !warned.has(event.instance)) say(`${event.instance} ended by no request`);
  }
  return leftovers;
}

const SPECS: readonly { readonly name: string; readonly fault: FaultSpec }[] = [
  ...Object.entries(CASES).map(([name, { good }]) => ({ name, fault: good })),
  { name: 'addressExhaustion counting reuse', fault: faults.addressExhaustion({ zones: [ZONE], remaining: 0, counts: 'reuse' }) },
  { name: 'cloudController slow', fault: faults.cloudController({ what: 'slow', delayMs: 60_000 }) },
  {
    name: 'spotInterruption recommended before',
    fault: faults.spotInterruption({ rebalance: 'before', rebalanceBeforeMs: 60_000 }),
  },
  { name: 'spotInterruption with a late message', fault: faults.spotInterruption({ message: 'late' }) },
  {
    name: 'spotInterruption of future instances',
    fault: faults.spotInterruption({ moment: 'pending', rebalance: 'before', rebalanceBeforeMs: 60_000 }),
  },
  { name: 'instanceEnd later', fault: faults.instanceEnd({ count: 3, afterMs: 20_000 }) },
];

for (const { name, fault } of SPECS) {
  test(`${name}: when healed as soon as it has fired, nothing stays armed`, async () => {
    const outcome = await injectAndHeal(fault);
    expect(outcome.firingsAtHeal).toBeGreaterThan(0);
    expect(outcome.firings).toBe(outcome.firingsAtHeal);
    expect(leftoversOf(outcome)).toEqual([]);
    expect(outcome.sick).toEqual([]);
  });

  test(`${name}: the same seed gives the same bytes`, { tag: '@long' }, async () => {
    const [once, again] = [await injectAndHeal(fault), await injectAndHeal(fault)];
    expect(again.events.map((event) => JSON.stringify(event))).toEqual(once.events.map((event) => JSON.stringify(event)));
  });
}

/** Hits requests of the tenant every few seconds without hindering anything. */
const HARMLESS = faults.slowAnswer({
  operations: ['list pods', 'ec2:DescribeInstances'],
  when: { kind: 'always' },
  delayMs: 200,
});

for (const [name, { good }] of Object.entries(CASES)) {
  test(`${name} beside another fault: each fires, and healing one does not change the other`, { tag: '@long' }, async () => {
    await withTenant(async ({ tenant, inject }) => {
      const fault = await inject(good);
      const companion = await inject(HARMLESS);
      await tenant.act(FIRING_MINUTES, () => fault.firings() > 0 && companion.firings() > 0);
      const atHeal = fault.firings();
      expect({ fault: atHeal > 0, companion: companion.firings() > 0 }).toEqual({ fault: true, companion: true });
      await fault.heal();
      const before = companion.firings();
      await tenant.act(1);
      expect(companion.firings()).toBeGreaterThan(before);
      await companion.heal();
      const atEnd = companion.firings();
      await tenant.act(1);
      expect([fault.firings(), companion.firings()]).toEqual([atHeal, atEnd]);
    });
  });
}
