import { expect, test } from '@playwright/test';
import { parseProviderId } from '../../model/provider-id.ts';
import { KARPENTER, nameOf } from '../api.ts';
import { createPendingPod, withBench } from '../testing/bench.ts';
import { readAttempt, writeAttempt } from './attempt.ts';
import type { Bench, Moment } from '../testing/bench.ts';

const MINUTE_MS = 60_000;

/** Every claim records a live instance, and there is no other live one. */
async function expectOneInstanceEach(bench: Bench): Promise<void> {
  const claims = await bench.claims();
  const recorded = claims.map((claim) => parseProviderId(claim.status?.providerID)).sort();
  expect(recorded).toEqual(
    bench.ec2
      .live()
      .map(({ id }) => id)
      .sort(),
  );
}

async function launchOne(bench: Bench): Promise<void> {
  bench.start();
  await createPendingPod(bench.port, 'web');
  await bench.clock.sleep(4 * MINUTE_MS);
}

async function removeAll(bench: Bench): Promise<void> {
  await bench.port.delete({ resource: 'pods', namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 });
  await bench.port.delete({ resource: 'nodepools', name: 'default' });
  await bench.port.delete({ resource: 'ec2nodeclasses', name: 'default' });
  await bench.clock.sleep(12 * MINUTE_MS);
  expect(await bench.claims()).toEqual([]);
  expect(bench.ec2.live()).toEqual([]);
  expect([...bench.ec2.templates]).toEqual([]);
}

test('one pod, one claim, one instance; and all of it is removed', async () => {
  await withBench(1, async (bench) => {
    await launchOne(bench);
    await expectOneInstanceEach(bench);
    expect(bench.ec2.fleets).toHaveLength(1);
    const [claim] = await bench.claims();
    expect(claim?.metadata.labels?.[KARPENTER.nodePool]).toBe('default');
    expect(bench.ec2.instances[0]?.tags).toContainEqual({ Key: KARPENTER.nodeClaim, Value: claim && nameOf(claim) });
    await removeAll(bench);
  });
});

/** The number of mutating requests without any faults. */
async function countRequests(): Promise<number> {
  let count = 0;
  await withBench(1, async (bench) => {
    await launchOne(bench);
    await removeAll(bench);
    count = bench.requests.length;
  });
  return count;
}

for (const what of ['crash', 'lose'] as const) {
  for (const moment of ['before', 'after'] as const satisfies Moment[]) {
    test(`one instance per claim, and none in the end: ${what} ${moment} each request`, async () => {
      const requests = await countRequests();
      expect(requests).toBeGreaterThan(8);
      for (let struck = 1; struck <= requests; struck += 1) {
        await withBench(1, async (bench) => {
          let seen = 0;
          bench.meddle = (_request, when) => {
            if (when !== moment) return undefined;
            seen += 1;
            return seen === struck ? what : undefined;
          };
          await launchOne(bench);
          await expectOneInstanceEach(bench);
          expect(bench.log.join('\n')).not.toContain('IdempotentParameterMismatch');
          expect(bench.ec2.fleets, `strike at request ${struck}`).toHaveLength(1);
          await removeAll(bench);
        });
      }
    });
  }
}

test('responses of CreateFleet lost repeatedly: still one instance', async () => {
  await withBench(2, async (bench) => {
    let lost = 0;
    bench.meddle = (request, moment) => (request === 'CreateFleet' && moment === 'after' && (lost += 1) <= 5 ? 'lose' : undefined);
    await launchOne(bench);
    expect(bench.ec2.instances).toHaveLength(1);
    await expectOneInstanceEach(bench);
  });
});

test('an instance is kept that runs when the launch times out, although no answer ever said so', async () => {
  await withBench(4, async (bench) => {
    bench.meddle = (request, moment) => (request === 'CreateFleet' && moment === 'after' ? 'lose' : undefined);
    await launchOne(bench);
    await bench.clock.sleep(4 * MINUTE_MS);
    expect(bench.log.join('\n')).not.toContain('no instance was launched');
    expect(bench.ec2.instances).toHaveLength(1);
    await expectOneInstanceEach(bench);
  });
});

test('a claim deleted while the response to its launch is lost does not leak its instance', async () => {
  await withBench(3, async (bench) => {
    bench.meddle = (request, moment) => (request === 'CreateFleet' && moment === 'after' ? 'lose' : undefined);
    bench.start();
    await createPendingPod(bench.port, 'web');
    await bench.clock.sleep(1_800);
    expect(bench.ec2.live()).toHaveLength(1);
    const [claim] = await bench.claims();
    await bench.port.delete({ resource: 'pods', namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 });
    await bench.port.delete({ resource: 'nodeclaims', name: claim === undefined ? '' : nameOf(claim) });
    await bench.clock.sleep(2 * MINUTE_MS);
    expect(bench.ec2.live()).toEqual([]);
    expect(await bench.claims()).toEqual([]);
  });
});

test('spot falls back to on-demand in the same claim, in one round', async () => {
  await withBench(4, async (bench) => {
    bench.ec2.hasCapacity = ({ capacityType }) => capacityType === 'on-demand';
    await launchOne(bench);
    await expectOneInstanceEach(bench);
    expect(bench.ec2.fleets).toHaveLength(2);
    expect(bench.ec2.instances.map(({ offering }) => offering.capacityType)).toEqual(['on-demand']);
  });
});

test('without capacity the claim is deleted with an Event for the pod, and succeeds once there is capacity', async () => {
  await withBench(5, async (bench) => {
    bench.ec2.hasCapacity = () => false;
    await launchOne(bench);
    expect(bench.ec2.live()).toEqual([]);
    const events = await bench.port.list('events', { namespace: 'default' });
    expect(JSON.stringify(events)).toContain('insufficient capacity');
    expect(bench.ec2.fleets.length).toBeLessThan(20);
    bench.ec2.hasCapacity = () => true;
    await bench.clock.sleep(4 * MINUTE_MS);
    expect(bench.ec2.live()).toHaveLength(1);
    await expectOneInstanceEach(bench);
  });
});

test('a backoff that was written while the clock was ahead does not delay the launch', async () => {
  await withBench(8, async (bench) => {
    let isLost = true;
    bench.meddle = (request, moment) => (request === 'CreateFleet' && moment === 'before' && isLost ? 'lose' : undefined);
    bench.start();
    await createPendingPod(bench.port, 'web');
    await bench.clock.sleep(MINUTE_MS);
    const [claim] = await bench.claims();
    const attempt = claim && readAttempt(claim);
    if (claim === undefined || attempt === undefined) throw new Error('no launch was attempted');
    const refused = writeAttempt({ ...attempt, state: 'closed', refusals: 1, nextFromMs: bench.clock.nowMs() + 60 * MINUTE_MS });
    await bench.port.patch({ resource: 'nodeclaims', name: nameOf(claim) }, { metadata: { annotations: refused } });
    isLost = false;
    await bench.clock.sleep(MINUTE_MS);
    await expectOneInstanceEach(bench);
    expect(bench.ec2.live()).toHaveLength(1);
  });
});

test('a deleted launch template is created again', async () => {
  await withBench(6, async (bench) => {
    await launchOne(bench);
    bench.ec2.templates.clear();
    await createPendingPod(bench.port, 'big', '7');
    await bench.clock.sleep(MINUTE_MS);
    expect(bench.ec2.live()).toHaveLength(2);
    await expectOneInstanceEach(bench);
  });
});

test('a node that never registers: the claim is deleted after 15 minutes and its instance terminated', async () => {
  await withBench(7, async (bench) => {
    await launchOne(bench);
    const [first] = await bench.claims();
    await bench.clock.sleep(13 * MINUTE_MS);
    expect(bench.log.some((line) => line.includes('did not register'))).toBe(true);
    const [second] = await bench.claims();
    expect(second && nameOf(second)).not.toBe(first && nameOf(first));
    await expectOneInstanceEach(bench);
  });
});

test("an instance without a claim is collected, and so is a claim's second one", async () => {
  await withBench(8, async (bench) => {
    await launchOne(bench);
    const [kept] = bench.ec2.instances;
    if (kept === undefined) throw new Error('nothing was launched');
    bench.ec2.instances.push({ ...kept, id: 'i-0000000000000beef', launchedAtMs: bench.clock.nowMs() });
    const orphan = kept.tags.map((tag) => (tag.Key === KARPENTER.nodeClaim ? { ...tag, Value: 'gone' } : tag));
    bench.ec2.instances.push({ ...kept, id: 'i-0000000000000dead', launchedAtMs: bench.clock.nowMs(), tags: orphan });
    await bench.clock.sleep(5 * MINUTE_MS);
    expect(bench.ec2.live().map(({ id }) => id)).toEqual([kept.id]);
  });
});

test('a claim whose instance was terminated externally is deleted and replaced', async () => {
  await withBench(9, async (bench) => {
    await launchOne(bench);
    const [first] = bench.ec2.instances;
    bench.ec2.terminate([first?.id ?? '']);
    await bench.clock.sleep(3 * MINUTE_MS);
    expect(bench.ec2.live()).toHaveLength(1);
    await expectOneInstanceEach(bench);
  });
});
