import { expect, test } from '@playwright/test';
import type { CapacityType, OfferingSelector, Pool } from '../model/catalogue.ts';
import { loadCatalogue } from '../model/instance-catalogue.ts';
import { LABEL } from '../model/kube.ts';
import type { FleetErrorNaming, Heal } from '../world/ports.ts';
import { STANDARD } from './periods.ts';
import { ANY_POOL, asking, withEmbedded } from './testing/embedded.ts';
import type { Embedded } from './testing/embedded.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const NAMINGS = ['one', 'tried', 'all', 'unfulfillable'] as const satisfies FleetErrorNaming[];

/** A pool of any types, or of these. */
function pool(name: string, capacityTypes: CapacityType[], weight: number, types?: string[]): Pool {
  const requirements: Pool['requirements'] = [
    { key: LABEL.capacityType, operator: 'In', values: capacityTypes },
    ...(types === undefined ? [] : [{ key: LABEL.instanceType, operator: 'In' as const, values: types }]),
  ];
  return { ...ANY_POOL, name, weight, requirements };
}

const BY_WEIGHT = [pool('spot', ['spot'], 50), pool('on-demand', ['on-demand'], 1)];

/** Each of these has room for the pods. */
const NINETY_SEVEN = [
  ...['c', 'm', 'r'].flatMap((letter) =>
    ['5', '5a', '5d', '5n', '6a', '6i', '7a', '7i'].flatMap((generation) =>
      ['large', 'xlarge', '2xlarge', '4xlarge'].map((size) => `${letter}${generation}.${size}`),
    ),
  ),
  'r7a.8xlarge',
];

/** Takes away the capacity of the selected offerings. */
async function drain({ world }: Embedded, selector: OfferingSelector, naming: FleetErrorNaming): Promise<Heal> {
  return world.ports.capacity.limit({ selector, remaining: 0, naming, fired: () => undefined });
}

/** The number of CreateFleet requests for a capacity type so far. */
function requestsFor({ events }: Embedded, capacityType: CapacityType): number {
  return events.filter((event) => {
    if (event.type !== 'request.start' || event.operation !== 'ec2:CreateFleet') return false;
    const input = event.input as { TargetCapacitySpecification: { DefaultTargetCapacityType: string } };
    return input.TargetCapacitySpecification.DefaultTargetCapacityType === capacityType;
  }).length;
}

/** How many instances have been launched. */
function launched({ world }: Embedded, capacityType: CapacityType): number {
  return world.ports.instances.list().filter((instance) => instance.capacityType === capacityType).length;
}

function apart(name: string) {
  const labelSelector = { matchLabels: { app: name } };
  return {
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: LABEL.hostname, labelSelector }] } },
  };
}

async function untilRunning(embedded: Embedded, pods: number, limitMs: number): Promise<void> {
  await embedded.until(`${pods} pods run`, limitMs, async () => (await embedded.running()).length === pods);
}

for (const naming of NAMINGS) {
  for (const { what, pools } of [
    { what: 'the next pool', pools: BY_WEIGHT },
    { what: 'on demand in the same pool', pools: [pool('both', ['spot', 'on-demand'], 0)] },
  ]) {
    test(`with spot gone everywhere, pods are on ${what} within 15 s and 5 vain requests; errors name: ${naming}`, async () => {
      await withEmbedded(1, pools, async (embedded) => {
        await drain(embedded, { capacityTypes: ['spot'] }, naming);
        await embedded.deploy('web', 6, asking('1'));
        await embedded.deploy('db', 3, { ...asking('2'), ...apart('db') });
        await embedded.until('three on-demand instances', 15 * SECOND_MS, async () => launched(embedded, 'on-demand') >= 3);
        await untilRunning(embedded, 9, MINUTE_MS);
        expect(requestsFor(embedded, 'spot')).toBeLessThanOrEqual(5);
      });
    });
  }
}

test('pods that come while spot is gone cost no further vain request, and once it is back, spot is used again within 3 minutes', async () => {
  await withEmbedded(2, BY_WEIGHT, async (embedded) => {
    const heal = await drain(embedded, { capacityTypes: ['spot'] }, 'one');
    await embedded.deploy('first', 1, asking('1'));
    await untilRunning(embedded, 1, MINUTE_MS);
    const before = requestsFor(embedded, 'spot');
    for (const name of ['second', 'third']) {
      await embedded.deploy(name, 1, asking('30'));
      await embedded.clock.sleep(MINUTE_MS);
    }
    expect(requestsFor(embedded, 'spot')).toBe(before);
    expect(await embedded.running()).toHaveLength(3);
    await heal();
    await embedded.clock.sleep(STANDARD.unavailableOfferingMs);
    await embedded.deploy('later', 1, asking('30'));
    await untilRunning(embedded, 4, MINUTE_MS);
    expect(launched(embedded, 'spot')).toBeGreaterThan(0);
  });
});

for (const naming of NAMINGS) {
  test(`one of 97 types has capacity: its pod runs within a minute; errors name: ${naming}`, async () => {
    await withEmbedded(3, [pool('spot', ['spot'], 0, NINETY_SEVEN)], async (embedded) => {
      await drain(embedded, { instanceTypes: NINETY_SEVEN.slice(0, -1) }, naming);
      await embedded.deploy('web', 1, asking('1'));
      await untilRunning(embedded, 1, MINUTE_MS);
      expect(requestsFor(embedded, 'spot')).toBeLessThanOrEqual(5);
    });
  });
}

for (const naming of ['one', 'tried'] as const) {
  test(`only the dearest of all types has capacity: every class of pods gets it within five minutes; errors name: ${naming}`, async () => {
    const spot = [...loadCatalogue().types.values()].filter(
      ({ architecture, usageClasses }) => architecture === 'x86_64' && usageClasses.includes('spot'),
    );
    const [dearest] = spot.sort((a, b) => b.onDemandUsdPerHour - a.onDemandUsdPerHour);
    await withEmbedded(4, [pool('spot', ['spot'], 0)], async (embedded) => {
      await drain(embedded, { instanceTypes: spot.filter((type) => type !== dearest).map(({ type }) => type) }, naming);
      const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
      for (const zone of zones) await embedded.deploy(zone, 1, { ...asking('1'), nodeSelector: { [LABEL.zone]: zone } });
      await untilRunning(embedded, zones.length, 5 * MINUTE_MS);
    });
  });
}

test('while no spot capacity is left for pods that need it, requests stay rare, and they are served soon after it is back', async () => {
  await withEmbedded(5, [pool('spot', ['spot'], 0)], async (embedded) => {
    const heal = await drain(embedded, {}, 'one');
    await embedded.deploy('db', 6, { ...asking('1'), ...apart('db') });
    let before = 0;
    for (let minute = 0; minute < 20; minute += 1) {
      await embedded.clock.sleep(MINUTE_MS);
      const sent = requestsFor(embedded, 'spot');
      expect(sent - before).toBeLessThanOrEqual(20);
      // It is never given up.
      expect(sent).toBeGreaterThan(before);
      before = sent;
    }
    await heal();
    await untilRunning(embedded, 6, 2 * MINUTE_MS);
  });
});

test('where limits are tight, a probe leaves room for other pods', async () => {
  await withEmbedded(6, [{ ...pool('spot', ['spot'], 0), limits: { cpu: 100 } }], async (embedded) => {
    const heal = await drain(embedded, {}, 'all');
    await embedded.deploy('db', 6, { ...asking('1'), ...apart('db') });
    await embedded.clock.sleep(5 * MINUTE_MS);
    await heal();
    await untilRunning(embedded, 6, 3 * MINUTE_MS);
  });
});
