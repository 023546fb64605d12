import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import type { BoundName } from '../harness/bounds.ts';
import { scenario } from '../harness/scenario.ts';
import type { ActiveFault, Scenario, Trial, UserObject, Workload } from '../harness/scenario.ts';
import type { Capability } from '../history/capabilities.ts';
import type { Truth } from '../history/events.ts';
import { LABEL } from '../model/kube.ts';
import type { Feature } from '../targets/target.ts';
import type { Mix, MixWorkload } from './mix.ts';
import { isBoundTo } from './placement.ts';
import { WORKLOAD_RESOURCES } from './workloads.ts';

/** The suite's name in reports. */
export const MANIFESTS_SUITE = 'manifests';

const LAUNCHES = ['ec2:CreateFleet', 'ec2:RunInstances'];
/** Any mix makes as many: a claim, a template, a fleet, some patches. */
const SIDE_EFFECTS = 8;
const SLOW_KUBELET_MS = 120_000;
/** Taken back at once. */
const INTERRUPTIONS = 2;
/**
 * Where nodes are drained a pod may have to go again before it ran, once for each that ran: nobody can tell of it whether
 * it would have been served. That all are in the end is what the settling shows.
 */
const DRAINED_RATIO = 0.5;

/** The fault library over a user's mix, by export name; scenarios that the mix gives no reason for are left out. */
export function manifestScenarios(mix: Mix): Readonly<Record<string, Scenario>> {
  const { pools } = mix;
  const seats = mix.workloads.flatMap(({ feasibility, kind }) => ('seats' in feasibility && kind !== 'DaemonSet' ? feasibility.seats : []));
  const zones = [...new Set(seats.map(({ offering }) => offering.zone))].sort();
  const hasSpot = pools.some(({ requirements }) =>
    requirements.some(({ key, values }) => key === LABEL.capacityType && values?.includes('spot') === true),
  );
  const hasTaints = pools.some(({ taints, startupTaints }) => taints.length + startupTaints.length > 0);
  const features: readonly Feature[] = [...(hasSpot ? (['spot'] as const) : []), ...(hasTaints ? (['taints'] as const) : [])];
  const define = (
    id: string,
    title: string,
    run: (t: Trial) => Promise<void>,
    more: { readonly capabilities?: readonly Capability[]; readonly features?: readonly Feature[] } = {},
  ): Scenario =>
    scenario({
      id: `${MANIFESTS_SUITE}/${id}`,
      title,
      profile: features.length === 0 ? 'core' : 'extended',
      pools,
      run,
      features: [...features, ...(more.features ?? [])],
      capabilities: more.capabilities ?? [],
    });
  const under = (t: Trial, bound: BoundName): Promise<Placed[]> => placeAndWait(t, mix, bound);

  return {
    faultFree: define('fault-free', 'your mix without faults: all is served, and when it goes nothing of it stays', async (t) => {
      const placed = await place(t, mix, 'provision');
      expectNoLaunches(t, placed);
      await untilServed(t, placed, 'provision');
      for (const { workload, from } of placed) if (from.kind !== 'DaemonSet') await t.remove(workload);
      t.expect.emptied('scale-in');
      await t.untilEmpty('teardown');
    }),
    ...(hasSpot && {
      noSpot: define(
        'no-spot',
        'your mix while no spot capacity is left anywhere: what may run on demand does',
        async (t) => {
          const drought = await t.inject(specify(faults.insufficientCapacity, { capacityTypes: ['spot'], errors: 'all' }), 'may-fire');
          const placed = await place(t, mix, 'fallback', ({ feasibility }) => {
            const isStuck = 'seats' in feasibility && feasibility.seats.every(({ offering }) => offering.capacityType === 'spot');
            return isStuck ? 'its pools have spot capacity only' : undefined;
          });
          await healWhenServed(t, placed, drought.heal);
        },
        { capabilities: ['capacity.set'] },
      ),
    }),
    ...(zones.length > 1 && {
      zoneOutage: define(
        'zone-outage',
        'your mix while a zone, another with each seed, has no capacity: what may go elsewhere does',
        async (t) => {
          const zone = t.random.pick(zones);
          const outage = await t.inject(specify(faults.insufficientCapacity, { zones: [zone], errors: 'all' }), 'may-fire');
          const placed = await place(t, mix, 'fallback', (workload) => {
            const { feasibility } = workload;
            if ('seats' in feasibility && feasibility.seats.every(({ offering }) => offering.zone === zone))
              return `it may run in ${zone} only`;
            return isBoundTo(LABEL.zone, loadOf(workload)) ? `its pods are bound to zones, and ${zone} has no capacity` : undefined;
          });
          await healWhenServed(t, placed, outage.heal);
        },
        { capabilities: ['capacity.set'] },
      ),
    }),
    lostLaunchAnswers: define(
      'lost-launch-answers',
      'your mix while the answers to launches get lost: nothing is launched and forgotten',
      async (t) => {
        const losing = await t.inject(specify(faults.lostAnswer, { operations: LAUNCHES, when: { kind: 'always' } }));
        await outlast(t, mix, losing, 'the answers to launches get lost');
      },
      { capabilities: ['wire.aws'] },
    ),
    throttledLaunches: define(
      'throttled-launches',
      'your mix while EC2 throttles launches: it is no lack of capacity, and nobody hammers',
      async (t) => {
        const throttling = specify(faults.ec2Throttling, { by: 'rate', operations: ['ec2:CreateFleet'], when: { kind: 'always' } });
        await outlast(t, mix, await t.inject(throttling), 'EC2 refuses launches');
      },
      { capabilities: ['wire.aws'] },
    ),
    killedAtSideEffect: define(
      'killed-at-side-effect',
      'your mix, and the autoscaler killed right after one of its first side effects, another with each seed',
      async (t) => {
        const nth = t.random.int(1, SIDE_EFFECTS);
        await t.inject(specify(faults.crash, { operations: ['*'], when: { kind: 'nth', nth }, moment: 'after', applied: true }));
        await under(t, 'recover');
      },
      { capabilities: ['target.kill'] },
    ),
    slowKubelets: define(
      'slow-kubelets',
      'your mix while kubelets take two minutes longer to register: nothing is launched twice',
      async (t) => {
        await t.inject(specify(faults.slowRegistration, { delayMs: SLOW_KUBELET_MS }));
        await under(t, 'registration');
      },
      { capabilities: ['boot.delay'] },
    ),
    ...(hasSpot && {
      spotInterruption: define(
        'spot-interruption',
        'your mix, and two spot instances taken back: their pods leave in time, within their budgets',
        async (t) => {
          const placed = await place(t, mix, 'recover', undefined, DRAINED_RATIO);
          await untilServed(t, placed, 'provision');
          const taken = await t.inject(specify(faults.spotInterruption, { count: INTERRUPTIONS }), 'may-fire');
          await t.untilFired(taken, 'launch-lag');
          // The two minutes of the notice, and the time of the replacements.
          await t.pass('provision', 2);
          await untilServed(t, placed, 'recover');
        },
        { capabilities: ['spot.interrupt'], features: ['interruption'] },
      ),
    }),
    poolsWithdrawn: define(
      'pools-withdrawn',
      'your mix, and its pools withdrawn while it runs: pods leave within their budgets, and all nodes go',
      async (t) => {
        const placed = await place(t, mix, 'provision', undefined, DRAINED_RATIO);
        await untilServed(t, placed, 'provision');
        await t.withdrawPools();
        await t.pass('scale-in');
        for (const { workload } of placed) await t.remove(workload);
        await t.untilEmpty('teardown');
      },
    ),
  };
}

/** An applied workload. */
interface Placed {
  readonly workload: Workload;
  readonly from: MixWorkload;
  readonly truth: Truth;
}

/**
 * Applies the mix and expects what can be served to be served within the bound, or, where `stuck` says why it can't be
 * before the heal, after it.
 */
async function place(
  t: Trial,
  mix: Mix,
  bound: BoundName,
  stuck: (workload: MixWorkload) => string | undefined = () => undefined,
  minRatio = 1,
): Promise<Placed[]> {
  await t.apply(mix.companions);
  const placed: Placed[] = [];
  for (const from of mix.workloads) {
    if (from.feasibility.kind === 'untestable') continue;
    const truth = truthOf(from, stuck(from));
    const [workload] = await t.apply([objectOf(from, truth)]);
    if (workload === undefined) continue;
    placed.push({ workload, from, truth });
    if (!isExpected({ from, truth })) continue;
    t.expect.served(workload, truth.kind === 'schedulable' ? bound : 'recover', minRatio);
  }
  return placed;
}

async function placeAndWait(t: Trial, mix: Mix, bound: BoundName): Promise<Placed[]> {
  const placed = await place(t, mix, bound);
  await untilServed(t, placed, bound);
  return placed;
}

/** Lets a fault last for longer than an SDK's own attempts, which would hide it; all is to be served once it is healed. */
async function outlast(t: Trial, mix: Mix, fault: ActiveFault, why: string): Promise<void> {
  const placed = await place(t, mix, 'recover', () => why);
  await t.untilFired(fault, 'provision');
  await t.pass('launch-lag');
  await fault.heal();
  await untilServed(t, placed, 'recover');
}

/** Waits for those that can be served meanwhile, heals, and waits for the others. */
async function healWhenServed(t: Trial, placed: readonly Placed[], heal: () => Promise<void>): Promise<void> {
  const isStuck = ({ truth }: Placed): boolean => truth.kind === 'schedulable-after-heal';
  await untilServed(
    t,
    placed.filter((one) => !isStuck(one)),
    'fallback',
  );
  await heal();
  await untilServed(t, placed.filter(isStuck), 'recover');
}

async function untilServed(t: Trial, placed: readonly Placed[], bound: BoundName): Promise<void> {
  await Promise.all(
    placed.filter(isExpected).map(async ({ workload, from }) => {
      // One after the other, each with a time of its own.
      const rounds = from.ordered ? from.replicas : 1;
      for (let round = 0; round < rounds; round += 1) await t.untilServed(workload, bound);
    }),
  );
}

/** Where some may be served or not, nobody can tell for whom a launch was. */
function expectNoLaunches(t: Trial, placed: readonly Placed[]): void {
  if (placed.some(({ from }) => from.feasibility.kind === 'partly')) return;
  for (const { workload, from } of placed) if (from.feasibility.kind === 'unservable') t.expect.noLaunchFor(workload);
}

function isExpected({ from, truth }: Pick<Placed, 'from' | 'truth'>): boolean {
  return from.replicas > 0 && (truth.kind === 'schedulable' || truth.kind === 'schedulable-after-heal');
}

function truthOf({ kind, feasibility }: MixWorkload, stuck: string | undefined): Truth {
  if (kind === 'DaemonSet') return { kind: 'daemon' };
  if (feasibility.kind !== 'servable') return { kind: 'impossible', why: feasibility.why };
  return stuck === undefined ? { kind: 'schedulable' } : { kind: 'schedulable-after-heal', why: stuck };
}

function objectOf({ name, kind, title, replicas, object, feasibility }: MixWorkload, truth: Truth): UserObject {
  const pods = kind === 'DaemonSet' ? 'a pod for each node' : `${replicas} pods`;
  const found = 'why' in feasibility ? `; ${describeFinding(feasibility.kind)}: ${feasibility.why}` : '';
  return { resource: WORKLOAD_RESOURCES[kind] ?? '', object, workload: { name, kind, replicas, truth, note: `${title}, ${pods}${found}` } };
}

/** What a finding means, for terminals and reports. */
export function describeFinding(kind: MixWorkload['feasibility']['kind']): string {
  const words = {
    servable: 'it can be served',
    partly: 'it may not be served in full, even if nothing goes wrong',
    unservable: 'it CAN NOT BE SERVED by these pools, even if nothing goes wrong',
    untestable: 'it can not be tested here',
  };
  return words[kind];
}

function loadOf({ name, namespace, replicas, template, kind }: MixWorkload): Parameters<typeof isBoundTo>[1] {
  return { name, namespace, replicas, template, isDaemon: kind === 'DaemonSet' };
}
