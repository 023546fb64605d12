import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { Ec2Error } from '../../clients/ec2-client.ts';
import { KubeError } from '../../clients/kube-client.ts';
import { parseProviderId } from '../../model/provider-id.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { KARPENTER, nameOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { FLEET_IDLE_MS, FLEET_WRITE_LIMIT_MS } from '../constants.ts';
import { Metrics } from '../metrics.ts';
import { createPendingPod, withBench } from '../testing/bench.ts';
import type { Bench, Moment, Strike } from '../testing/bench.ts';
import { exposeMetrics } from '../gauges.ts';
import { readAttempt, readShared } from './attempt.ts';
import type { Attempt } from './attempt.ts';
import { countOf } from './fleet-request.ts';
import { ownInstance } from './lookup.ts';
import type { LaunchMember } from './lookup.ts';
import { SharedLaunches } from './shared-launches.ts';

const MINUTE_MS = 60_000;
const PODS = ['one', 'two', 'three'] as const;

/** Every claim records a live instance of its own, and there is no other live one. */
async function expectOneInstanceEach(bench: Bench, why = ''): Promise<void> {
  const recorded = (await bench.claims()).map((claim) => parseProviderId(claim.status?.providerID)).sort();
  const live = bench.ec2.live().map(({ id }) => id);
  expect(recorded, why).toEqual(live.sort());
}

/** Three like pods that need a node each: no type of the fake has room for two. */
async function createThree(bench: Bench): Promise<void> {
  bench.start();
  for (const name of PODS) await createPendingPod(bench.port, name, '5');
}

async function launchThree(bench: Bench): Promise<void> {
  await createThree(bench);
  await bench.clock.sleep(5 * MINUTE_MS);
}

async function removeAll(bench: Bench): Promise<void> {
  for (const name of PODS) await bench.port.delete({ resource: 'pods', namespace: 'default', name }, { gracePeriodSeconds: 0 });
  await bench.port.delete({ resource: 'nodepools', name: 'default' });
  await bench.port.delete({ resource: 'ec2nodeclasses', name: 'default' });
  await bench.clock.sleep(12 * MINUTE_MS);
  expect(await bench.claims()).toEqual([]);
  expect(bench.ec2.live()).toEqual([]);
}

test('like launches are one request, and each claim has its own instance', async () => {
  await withBench(1, async (bench) => {
    await launchThree(bench);
    expect(bench.ec2.fleets.map(countOf)).toEqual([3]);
    expect(bench.ec2.requests).toBe(1);
    await expectOneInstanceEach(bench);
    const claims = await bench.claims();
    // By place, whatever the order of the answer.
    const places = claims.map((claim) => [readShared(claim)?.shared.index, parseProviderId(claim.status?.providerID)]).sort();
    expect(places.map(([, id]) => id)).toEqual(bench.ec2.live().map(({ id }) => id));
    for (const { tags } of bench.ec2.live()) expect(tags.map(({ Key }) => Key)).toContain(KARPENTER.launch);
    const metrics = exposeMetrics(bench.context());
    expect(metrics).toContain('karpenter_cloudprovider_batcher_batch_size_sum{batcher="create_fleet"} 3');
    expect(metrics).toContain('karpenter_cloudprovider_batcher_batch_time_seconds_count{batcher="create_fleet"} 1');
    await removeAll(bench);
  });
});

test('a launch alone has the tag of its claim; a launch that differs is not shared', async () => {
  await withBench(2, async (bench) => {
    bench.start();
    await createPendingPod(bench.port, 'one', '5');
    await createPendingPod(bench.port, 'small', '7');
    await createPendingPod(bench.port, 'odd', '3', {});
    await bench.clock.sleep(MINUTE_MS);
    await expectOneInstanceEach(bench);
    for (const fleet of bench.ec2.fleets) {
      const tags = fleet.TagSpecifications?.[0]?.Tags?.map(({ Key }) => Key) ?? [];
      expect(tags.includes(countOf(fleet) === 1 ? KARPENTER.nodeClaim : KARPENTER.launch)).toBe(true);
    }
  });
});

/** The mutating requests of a launch and a removal without faults. */
async function requestsOf(seed: number): Promise<number> {
  let count = 0;
  await withBench(seed, async (bench) => {
    await launchThree(bench);
    await removeAll(bench);
    count = bench.requests.length;
  });
  return count;
}

for (const what of ['crash', 'lose'] as const) {
  for (const moment of ['before', 'after'] as const satisfies Moment[]) {
    test(`one instance per claim, and none in the end: ${what} ${moment} each request`, async () => {
      const requests = await requestsOf(1);
      for (let struck = 1; struck <= requests; struck += 1) {
        await withBench(1, async (bench) => {
          let seen = 0;
          bench.meddle = (_request, when) => {
            if (when !== moment) return undefined;
            seen += 1;
            return seen === struck ? what : undefined;
          };
          await launchThree(bench);
          const why = `strike at request ${struck}`;
          await expectOneInstanceEach(bench, why);
          expect(await bench.claims(), why).toHaveLength(3);
          // Nothing was launched for nothing, and no launch waited to see what had become of another.
          expect(bench.ec2.instances, why).toHaveLength(3);
          expect(bench.log.join('\n'), why).not.toContain('IdempotentParameterMismatch');
          for (const { launchedAtMs } of bench.ec2.instances)
            expect(launchedAtMs - (bench.ec2.instances[0]?.launchedAtMs ?? 0), why).toBeLessThan(15_000);
          await removeAll(bench);
        });
      }
    });
  }
}

test('random strikes: one instance per claim, and none in the end', async () => {
  const strikes = fc.array(
    fc.record({
      at: fc.integer({ min: 1, max: 40 }),
      moment: fc.constantFrom<Moment>('before', 'after'),
      what: fc.constantFrom<Strike>('crash', 'lose'),
    }),
    { minLength: 2, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(strikes, fc.integer({ min: 1, max: 1_000 }), async (chosen, seed) => {
      await withBench(seed, async (bench) => {
        const seen = { before: 0, after: 0 };
        bench.meddle = (_request, when) => {
          seen[when] += 1;
          return chosen.find(({ at, moment }) => at === seen[when] && moment === when)?.what;
        };
        await launchThree(bench);
        await bench.clock.sleep(5 * MINUTE_MS);
        await expectOneInstanceEach(bench);
        expect(bench.ec2.live()).toHaveLength(3);
        await removeAll(bench);
      });
    }),
    { numRuns: 40 },
  );
});

test('a write that took effect, and conflicts with itself when it is repeated after a Retry-After', async () => {
  for (let struck = 5; struck <= 16; struck += 1) {
    await withBench(1, async (bench) => {
      let seen = 0;
      bench.meddle = (_request, moment) => (moment === 'after' && (seen += 1) === struck ? 'busy' : undefined);
      await launchThree(bench);
      const why = `answer ${struck}`;
      await expectOneInstanceEach(bench, why);
      expect(bench.ec2.instances, why).toHaveLength(3);
    });
  }
});

test('one answer lost again and again: one request at a time for all, and its answer for each', async () => {
  await withBench(3, async (bench) => {
    let lost = 0;
    bench.meddle = (request, moment) => (request === 'CreateFleet' && moment === 'after' && (lost += 1) <= 5 ? 'lose' : undefined);
    await launchThree(bench);
    expect(bench.ec2.requests).toBe(6);
    expect(bench.ec2.instances).toHaveLength(3);
    await expectOneInstanceEach(bench);
  });
});

test('throttled: the claims repeat one request together', async () => {
  await withBench(4, async (bench) => {
    let refused = 0;
    bench.ec2.refuse = () => ((refused += 1) <= 4 ? new Ec2Error('RequestLimitExceeded', 503, 'too many') : undefined);
    await launchThree(bench);
    expect(bench.ec2.requests).toBe(5);
    expect(bench.ec2.fleets.map(countOf)).toEqual([3]);
    await expectOneInstanceEach(bench);
  });
});

test('refused: each claim stores that, and they launch after the backoff', async () => {
  await withBench(5, async (bench) => {
    let refused = 0;
    bench.ec2.refuse = () => ((refused += 1) <= 1 ? new Ec2Error('InvalidParameterValue', 400, 'no') : undefined);
    await createThree(bench);
    await bench.clock.sleep(1_800);
    expect((await bench.claims()).map((claim) => readAttempt(claim)?.state)).toEqual(['closed', 'closed', 'closed']);
    await bench.clock.sleep(MINUTE_MS);
    expect(bench.ec2.instances).toHaveLength(3);
    await expectOneInstanceEach(bench);
  });
});

for (const what of ['crash', 'lose'] as const) {
  for (const moment of ['before', 'after'] as const satisfies Moment[]) {
    test(`refused once: nothing is launched that no claim waits for, ${what} ${moment} each request`, async () => {
      for (let struck = 4; struck <= 24; struck += 1) {
        await withBench(5, async (bench) => {
          let refused = 0;
          bench.ec2.refuse = () => ((refused += 1) <= 1 ? new Ec2Error('InvalidParameterValue', 400, 'no') : undefined);
          let seen = 0;
          bench.meddle = (_request, when) => {
            if (when !== moment) return undefined;
            seen += 1;
            return seen === struck ? what : undefined;
          };
          await launchThree(bench);
          const why = `strike at request ${struck}`;
          expect(bench.ec2.instances, why).toHaveLength(3);
          await expectOneInstanceEach(bench, why);
        });
      }
    });
  }
}

test('a token that EC2 says was used for something else: the instances are found by their tag', async () => {
  await withBench(6, async (bench) => {
    let answers = 0;
    bench.meddle = (request, moment) => (request === 'CreateFleet' && moment === 'after' && (answers += 1) === 1 ? 'lose' : undefined);
    bench.ec2.refuse = () => (answers === 1 ? new Ec2Error('IdempotentParameterMismatch', 400, 'used') : undefined);
    await launchThree(bench);
    expect(bench.ec2.instances).toHaveLength(3);
    await expectOneInstanceEach(bench);
  });
});

test('EC2 has capacity for two of three: the first ones get it, the third goes on', async () => {
  await withBench(7, async (bench) => {
    let left = 2;
    bench.ec2.hasCapacity = ({ capacityType }) => (capacityType === 'spot' ? (left -= 1) >= 0 : true);
    await launchThree(bench);
    expect(bench.ec2.fleets.map(countOf)).toEqual([3, 1]);
    expect(bench.ec2.instances.map(({ offering }) => offering.capacityType).sort()).toEqual(['on-demand', 'spot', 'spot']);
    await expectOneInstanceEach(bench);
    await removeAll(bench);
  });
});

/** Deletes the claim in this place, once there is one: its pod still needs a node. */
async function deleteOne(bench: Bench, index: number): Promise<void> {
  const claims = await bench.claims();
  const claim = claims.find((one) => readShared(one)?.shared.index === index) ?? claims[index];
  if (claim !== undefined) await bench.port.delete({ resource: 'nodeclaims', name: nameOf(claim) });
}

for (const index of [0, 1, 2]) {
  test(`claim ${index} of a shared launch is deleted, before or after any request`, async () => {
    const requests = await requestsOf(8);
    for (let struck = 4; struck <= requests; struck += 1) {
      for (const struckMoment of ['before', 'after'] as const) {
        await withBench(8, async (bench) => {
          const seen = { before: 0, after: 0 };
          const deletions: Promise<void>[] = [];
          bench.meddle = (_request, moment) => {
            seen[moment] += 1;
            if (seen[moment] === struck && moment === struckMoment) deletions.push(deleteOne(bench, index));
            return undefined;
          };
          await launchThree(bench);
          await Promise.all(deletions);
          const why = `${struckMoment} request ${struck}`;
          await expectOneInstanceEach(bench, why);
          expect(bench.ec2.live(), why).toHaveLength(3);
          expect(bench.ec2.instances.length, why).toBeLessThanOrEqual(4);
          await removeAll(bench);
        });
      }
    }
  });

  test(`claim ${index} is deleted while every answer is lost: its instance ends, the others keep theirs`, async () => {
    await withBench(9, async (bench) => {
      let isLost = true;
      bench.meddle = (request, moment) => (request === 'CreateFleet' && moment === 'after' && isLost ? 'lose' : undefined);
      await createThree(bench);
      await bench.clock.sleep(1_800);
      expect(bench.ec2.live()).toHaveLength(3);
      const before = bench.ec2.live().map(({ id }) => id);
      await deleteOne(bench, index);
      await bench.clock.sleep(20_000);
      expect(bench.ec2.instances.filter(({ endedAtMs }) => endedAtMs !== undefined).map(({ id }) => id)).toEqual([before[index]]);
      isLost = false;
      await bench.clock.sleep(5 * MINUTE_MS);
      await expectOneInstanceEach(bench);
      const kept = before.filter((_, at) => at !== index);
      expect(bench.ec2.live().map(({ id }) => id)).toEqual(expect.arrayContaining(kept));
      await removeAll(bench);
    });
  });
}

for (const index of [0, 1]) {
  test(`claim ${index} is deleted while EC2 throttles: its part of a later launch ends with it`, async () => {
    await withBench(10, async (bench) => {
      let isThrottled = true;
      bench.ec2.refuse = () => (isThrottled ? new Ec2Error('RequestLimitExceeded', 503, 'too many') : undefined);
      await createThree(bench);
      await bench.clock.sleep(5_000);
      await deleteOne(bench, index);
      for (let second = 0; second < 100; second += 1) await bench.clock.sleep(1_000);
      isThrottled = false;
      await bench.clock.sleep(4 * MINUTE_MS);
      expect(bench.log.filter((line) => line.includes('collecting'))).toEqual([]);
      await expectOneInstanceEach(bench);
      expect(bench.ec2.live()).toHaveLength(3);
      await removeAll(bench);
    });
  });
}

/** Stores the attempts of three claims, each in its own way. @returns what was stored, or why not, and when in ms */
async function store(...ways: readonly ((clock: Clock) => Promise<NodeClaim>)[]): Promise<{ results: unknown[]; atMs: number[] }> {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('launcher');
  const atMs: number[] = [];
  const results = await timeline.run(
    clock.call('store', async () => {
      const launches = new SharedLaunches(clock, new Metrics());
      const storing = ways.map(async (write, index) => {
        const stored = await launches.store({ claim: claimNamed(`claim-${index}`), number: 1, request: REQUEST }, () => write(clock));
        atMs[index] = clock.nowMs();
        return stored.attempt;
      });
      return clock.park(Promise.allSettled(storing));
    }),
  );
  return { results: results.map((one): unknown => (one.status === 'fulfilled' ? one.value : one.reason)), atMs };
}

const REQUEST = { LaunchTemplateConfigs: [], TargetCapacitySpecification: { TotalTargetCapacity: 1 }, TagSpecifications: [] };

function claimNamed(name: string): NodeClaim {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  return { metadata: { name, uid: `uid of ${name}`, resourceVersion: '7' }, spec: { requirements: [], nodeClassRef } };
}

const works = (): Promise<NodeClaim> => Promise.resolve(claimNamed('written'));
const fails = (error: Error) => (): Promise<NodeClaim> => Promise.reject(error);
const takes =
  (ms: number) =>
  (clock: Clock): Promise<NodeClaim> =>
    clock.sleep(ms).then(works);
const conflict = new KubeError(409, 'Conflict', 'somebody else changed it');

test('a claim that can not store its attempt is left out, and one that takes long too', async () => {
  const { results, atMs } = await store(works, fails(conflict), takes(2 * FLEET_WRITE_LIMIT_MS), works);
  const leading = results[0] as Attempt;
  expect(leading.shared).toMatchObject({ index: 0, size: 4, absent: [1, 2] });
  expect(countOf(leading.request)).toBe(2);
  expect(results[1]).toBe(conflict);
  expect(atMs[3], 'the others do not wait for it').toBe(FLEET_IDLE_MS + FLEET_WRITE_LIMIT_MS);
  expect(atMs[2]).toBe(FLEET_IDLE_MS + 2 * FLEET_WRITE_LIMIT_MS);
});

test('if the leader can not store the request, nothing is sent and nobody waits; if that is unknown, they have to look', async () => {
  const refused = await store(fails(new KubeError(404, 'NotFound', 'it is gone')), works, works);
  expect(refused.results.slice(1).map((one) => (one as Attempt).state)).toEqual(['closed', 'closed']);
  // The conflict may be with the same write, if the client repeated it after a Retry-After.
  for (const error of [new Error('the connection broke'), conflict]) {
    const unknown = await store(fails(error), works, works);
    expect(unknown.results.slice(1).map((one) => (one as Attempt).state)).toEqual(['open', 'open']);
  }
});

test('whoever looks finds the instance that the answer gives, or none', () => {
  const sharedLaunch = fc.integer({ min: 1, max: 6 }).chain((size) =>
    fc.record({
      size: fc.constant(size),
      absent: fc.subarray(Array.from({ length: size - 1 }, (_, index) => index + 1)),
      missing: fc.integer({ min: 0, max: size }),
      listed: fc.subarray(Array.from({ length: size }, (_, index) => index)),
      recorded: fc.subarray(Array.from({ length: size }, (_, index) => index)),
      gone: fc.subarray(Array.from({ length: size }, (_, index) => index)),
    }),
  );
  fc.assert(
    fc.property(sharedLaunch, ({ size, absent, missing, listed, recorded, gone }) => {
      const present = Array.from({ length: size }, (_, index) => index).filter((index) => !absent.includes(index));
      const launched = Array.from({ length: Math.max(0, present.length - missing) }, (_, at) => `i-${at}`);
      const answerFor = (index: number): string | undefined => (absent.includes(index) ? undefined : launched[present.indexOf(index)]);
      const leader = { name: 'claim-0', uid: 'uid of claim-0', version: '7' };
      const all = Array.from({ length: size }, (_, index): LaunchMember => {
        const shared = { token: 'token', size, index, leader, ...(index === 0 ? { absent } : {}) };
        return {
          claim: claimNamed(`claim-${index}`),
          shared,
          stage: 'open',
          instanceId: recorded.includes(index) ? answerFor(index) : undefined,
        };
      });
      const members = all.filter(({ shared }) => !gone.includes(shared.index));
      for (const { shared } of members) {
        const visible = launched.filter((_, at) => listed.includes(at));
        expect([undefined, answerFor(shared.index)]).toContain(ownInstance(shared, members, visible, false));
        expect([undefined, answerFor(shared.index)]).toContain(ownInstance(shared, members, launched, true));
        if (!gone.includes(0)) expect(ownInstance(shared, members, launched, true)).toBe(answerFor(shared.index));
      }
    }),
  );
});
