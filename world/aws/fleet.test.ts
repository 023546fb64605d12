import {
  CreateLaunchTemplateCommand,
  DeleteLaunchTemplateCommand,
  DescribeInstancesCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { CreateFleetCommandOutput } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { loadCatalogue } from '../../model/instance-catalogue.ts';
import { createRandom } from '../../runtime/random.ts';
import type { FleetErrorNaming } from '../ports.ts';
import { CLUSTER, errorsOf, fleet, idsOf, instancesOf, makeTemplate, refusal, withEc2 } from './testing/ec2.ts';
import type { Bench, FleetSpec } from './testing/ec2.ts';
import type { InstanceStore } from './instance-store.ts';
import { MemoryStore } from './memory-store.ts';
import { addressesExhausted, subnetsOf } from './network.ts';

const [A, B, C] = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

test('a fleet of one launches one instance with everything that was requested', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const tags = [{ Key: 'claim', Value: 'a' }];
    const output = await bench.send(
      fleet({ token: 'token-1', zones: ['us-east-1b'], more: { TagSpecifications: [{ ResourceType: 'instance', Tags: tags }] } }),
    );
    const [id = ''] = idsOf(output);
    expect(id).toMatch(/^i-0[0-9a-f]{16}$/);
    expect(output.FleetId).toMatch(/^fleet-[0-9a-f-]{36}$/);
    expect(output.Errors).toEqual([]);
    expect(output.Instances).toEqual([
      {
        LaunchTemplateAndOverrides: {
          LaunchTemplateSpecification: { LaunchTemplateId: expect.stringMatching(/^lt-0[0-9a-f]{16}$/), Version: '1' },
          Overrides: { InstanceType: 'm6i.large', AvailabilityZone: 'us-east-1b', SubnetId: CLUSTER.subnets['us-east-1b'] },
        },
        Lifecycle: 'spot',
        InstanceIds: [id],
        InstanceType: 'm6i.large',
      },
    ]);
    expect(bench.effect()).toEqual({ kind: 'applied', ids: [id] });
    expect(bench.events).toEqual([
      {
        type: 'instance',
        instance: id,
        to: 'pending',
        instanceType: 'm6i.large',
        zone: 'us-east-1b',
        capacityType: 'spot',
        usdPerHour: expect.any(Number),
        span: 1,
        token: 'token-1',
        arch: 'amd64',
        vcpu: 2,
        memoryMiB: 8_192,
        tags: {
          claim: 'a',
          'aws:ec2:fleet-id': output.FleetId,
          'aws:ec2launchtemplate:id': expect.any(String),
          'aws:ec2launchtemplate:version': '1',
        },
      },
    ]);
    expect(bench.ports.instances.get(id)).toMatchObject({ userData: 'node labels: ä', privateIp: '10.0.16.4', state: 'pending' });

    await bench.clock.sleep(8_000);
    const [instance] = instancesOf(await bench.send(new DescribeInstancesCommand({ InstanceIds: [id] })));
    expect(instance).toMatchObject({
      State: { Code: 16, Name: 'running' },
      PrivateIpAddress: '10.0.16.4',
      PrivateDnsName: 'ip-10-0-16-4.ec2.internal',
      Placement: { AvailabilityZone: 'us-east-1b' },
      InstanceLifecycle: 'spot',
      ClientToken: 'token-1',
      Architecture: 'x86_64',
    });
  });
});

test('a token replays its answer, even an empty one, and refuses a different request', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const first = await bench.send(fleet({ token: 't' }));
    await bench.clock.sleep(3_600_000);
    const { $metadata: _1, ...again } = await bench.send(fleet({ token: 't' }));
    expect(again).toEqual({ FleetId: first.FleetId, Errors: [], Instances: first.Instances });
    expect(bench.effect()).toEqual({ kind: 'none' });
    expect(await refusal(bench.send(fleet({ token: 't', types: ['m5.large'] })))).toBe('400 IdempotentParameterMismatch');
    expect(bench.effect()).toEqual({ kind: 'rejected', code: 'IdempotentParameterMismatch' });

    const heal = bench.ports.capacity.limit({ selector: {}, remaining: 0, naming: 'one', fired: () => undefined });
    expect(idsOf(await bench.send(fleet({ token: 'empty' })))).toEqual([]);
    expect(bench.effect()).toEqual({ kind: 'none' });
    heal();
    expect(idsOf(await bench.send(fleet({ token: 'empty' })))).toEqual([]);
    expect(await refusal(bench.send(fleet({ token: 'empty', capacityType: 'on-demand' })))).toBe('400 IdempotentParameterMismatch');
    expect(bench.ports.instances.list()).toHaveLength(1);

    expect(idsOf(await bench.send(fleet({ token: 'x'.repeat(64) })))).toHaveLength(1);
    expect(await refusal(bench.send(fleet({ token: 'x'.repeat(65) })))).toBe('400 InvalidParameterValue');
    expect(await refusal(bench.send(fleet({ token: 'ä' })))).toBe('400 InvalidParameterValue');
  });
});

test('two concurrent requests with the same token are one launch', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const [one, other] = await Promise.all([bench.send(fleet({ token: 't' })), bench.send(fleet({ token: 't' }))]);
    expect(idsOf(one)).toEqual(idsOf(other));
    expect(bench.ports.instances.list()).toHaveLength(1);
  });
});

test('a refused request leaves its token unused', async () => {
  await withEc2(async (bench) => {
    expect(await refusal(bench.send(fleet({ token: 't' })))).toBe('400 InvalidLaunchTemplateName.NotFoundException');
    await makeTemplate(bench);
    expect(idsOf(await bench.send(fleet({ token: 't' })))).toHaveLength(1);
  });
});

const ICE = 'InsufficientInstanceCapacity m6i.large';

for (const { naming, nowhere, elsewhere } of [
  { naming: 'one', nowhere: [expect.stringMatching(ICE)], elsewhere: [`${ICE} ${A}`] },
  { naming: 'tried', nowhere: [A, B, C].map((zone) => `${ICE} ${zone}`), elsewhere: [`${ICE} ${A}`] },
  { naming: 'all', nowhere: [A, B, C].map((zone) => `${ICE} ${zone}`), elsewhere: [`${ICE} ${A}`, `${ICE} ${C}`] },
  { naming: 'unfulfillable', nowhere: [`UnfulfillableCapacity m6i.large ${A}`], elsewhere: [`UnfulfillableCapacity m6i.large ${A}`] },
] as const satisfies { naming: FleetErrorNaming; nowhere: unknown; elsewhere: unknown }[]) {
  test(`what errors name when capacity is missing: ${naming}`, async () => {
    await withEc2(async (bench) => {
      await makeTemplate(bench);
      const spans: (number | undefined)[] = [];
      const limit = { remaining: 0, naming, fired: (span?: number) => void spans.push(span) };
      const order: FleetSpec = { capacityType: 'on-demand', inOrder: true };
      const heal = bench.ports.capacity.limit({ selector: { capacityTypes: ['on-demand'] }, ...limit });
      const refused = await bench.send(fleet(order));
      expect(idsOf(refused)).toEqual([]);
      expect(errorsOf(refused).sort()).toEqual([...nowhere]);
      heal();

      bench.ports.capacity.limit({ selector: { zones: [A, C] as string[] }, ...limit });
      const diverted = await bench.send(fleet(order));
      expect(diverted.Instances?.[0]?.LaunchTemplateAndOverrides?.Overrides?.AvailabilityZone).toBe(B);
      expect(errorsOf(diverted)).toEqual([...elsewhere]);
      expect(spans).toEqual([1, 2]);

      // No limit applies to this one.
      const untouched = await bench.send(fleet({ ...order, zones: [B] as string[] }));
      expect(errorsOf(untouched)).toEqual([]);
      expect(spans).toEqual([1, 2]);
    });
  });
}

test('a limit leaves its number of instances in each offering, and a terminated instance does not restore it', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const heal = bench.ports.capacity.limit({
      selector: { zones: [A, B] as string[] },
      remaining: 2,
      naming: 'all',
      fired: () => undefined,
    });
    const output = await bench.send(fleet({ count: 10, zones: [A, B] as string[] }));
    expect(idsOf(output)).toHaveLength(4);
    expect(errorsOf(output).sort()).toEqual([`${ICE} ${A}`, `${ICE} ${B}`]);
    await bench.send(new TerminateInstancesCommand({ InstanceIds: idsOf(output) }));
    await bench.clock.sleep(60_000);
    expect(idsOf(await bench.send(fleet({ zones: [A, B] as string[] })))).toEqual([]);
    heal();
    expect(idsOf(await bench.send(fleet({ count: 10, zones: [A, B] as string[] })))).toHaveLength(10);
  });
});

/** The cheapest and the deepest of some pools, found through what fleets choose. */
async function choice(bench: Bench, strategy: string): Promise<string> {
  const types = ['m5.large', 'm6i.large', 'm6a.large', 'c5.large', 'c6i.large', 'r5.large', 'r6i.large'];
  const more = { SpotOptions: { AllocationStrategy: strategy as 'lowest-price' } };
  const [instance] = (await bench.send(fleet({ types, more }))).Instances ?? [];
  return `${instance?.InstanceType} ${instance?.LaunchTemplateAndOverrides?.Overrides?.AvailabilityZone}`;
}

test('strategies choose different pools, and price-capacity-optimized does not just take the cheapest', async () => {
  const seen: string[][] = [];
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    await withEc2(
      async (bench) => {
        await makeTemplate(bench);
        seen.push([
          await choice(bench, 'lowest-price'),
          await choice(bench, 'price-capacity-optimized'),
          await choice(bench, 'capacity-optimized'),
          await choice(bench, 'diversified'),
        ]);
      },
      { seed },
    );
  }
  expect(seen.some(([cheapest, both]) => cheapest !== both)).toBe(true);
  expect(seen.some(([cheapest, both]) => cheapest === both)).toBe(true);
  expect(seen.some(([, both, deepest]) => both !== deepest)).toBe(true);
  // Nothing is taken yet, so all are equal: the seed decides.
  expect(new Set(seen.map(([, , , diversified]) => diversified)).size).toBeGreaterThan(3);
});

test('ties are broken differently for each request, but the same way for a seed', async () => {
  const zonesOf = async (seed: number): Promise<string[]> => {
    const zones: string[] = [];
    await withEc2(
      async (bench) => {
        await makeTemplate(bench);
        // On-demand prices are the same in all zones.
        for (let launches = 0; launches < 12; launches += 1) {
          const [instance] = (await bench.send(fleet({ capacityType: 'on-demand' }))).Instances ?? [];
          zones.push(instance?.LaunchTemplateAndOverrides?.Overrides?.AvailabilityZone ?? '');
        }
      },
      { seed },
    );
    return zones;
  };
  const zones = await zonesOf(1);
  expect(new Set(zones)).toEqual(new Set([A, B, C]));
  expect(await zonesOf(1)).toEqual(zones);
});

test('diversified spreads, prioritized obeys priorities, weights count', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const spread = await bench.send(fleet({ count: 6, more: { SpotOptions: { AllocationStrategy: 'diversified' } } }));
    expect(spread.Instances?.map(({ InstanceIds }) => InstanceIds?.length)).toEqual([2, 2, 2]);

    const specification = { LaunchTemplateName: 'nodes', Version: '1' };
    const prioritized = await bench.send(
      fleet({
        capacityType: 'on-demand',
        more: {
          OnDemandOptions: { AllocationStrategy: 'prioritized' },
          LaunchTemplateConfigs: [
            {
              LaunchTemplateSpecification: specification,
              Overrides: [
                { InstanceType: 'm5.large', Priority: 2 },
                { InstanceType: 'm5.2xlarge', Priority: 1 },
              ],
            },
          ],
        },
      }),
    );
    expect(prioritized.Instances?.[0]?.InstanceType).toBe('m5.2xlarge');

    const weighted = await bench.send(
      fleet({
        capacityType: 'on-demand',
        count: 10,
        more: {
          LaunchTemplateConfigs: [
            {
              LaunchTemplateSpecification: specification,
              Overrides: [{ InstanceType: 'm5.2xlarge', AvailabilityZone: A, WeightedCapacity: 4 }],
            },
          ],
        },
      }),
    );
    expect(idsOf(weighted)).toHaveLength(3);
  });
});

test('a fleet may be partly spot and partly on-demand', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const target = { TotalTargetCapacity: 5, OnDemandTargetCapacity: 2, DefaultTargetCapacityType: 'spot' as const };
    const output = await bench.send(fleet({ more: { TargetCapacitySpecification: target } }));
    const counts = Object.groupBy(bench.ports.instances.list(), ({ capacityType }) => capacityType);
    expect([counts['on-demand']?.length, counts.spot?.length]).toEqual([2, 3]);
    expect(output.Instances?.map(({ Lifecycle }) => Lifecycle)).toEqual(['on-demand', 'spot']);
  });
});

test('a refused offering is named with its own code, and the next one is tried', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const spans: (number | undefined)[] = [];
    const refusal = { code: 'InvalidParameterValue', message: 'no' };
    const selector = { instanceTypes: ['m5.large'], zones: [A, B] };
    const heal = bench.ports.capacity.refuse({ selector, refusal, fired: (span) => spans.push(span) });
    const request = { types: ['m5.large'], zones: [A, B, C] as string[], count: 2 };
    const output = await bench.send(fleet(request));
    expect(output.Instances?.map(({ LaunchTemplateAndOverrides: one }) => one?.Overrides?.AvailabilityZone)).toEqual([C]);
    expect(new Set(errorsOf(output))).toEqual(new Set([`InvalidParameterValue m5.large ${A}`, `InvalidParameterValue m5.large ${B}`]));
    expect(spans).toHaveLength(1);
    heal();
    expect(errorsOf(await bench.send(fleet(request)))).toEqual([]);
  });
});

test('a root volume has the size of the template, which the image must fit', async () => {
  await withEc2(async (bench) => {
    for (const [name, device, size] of [
      ['large', '/dev/xvda', 100],
      ['other', '/dev/xvdb', 5],
      ['small', '/dev/xvda', 19],
    ] as const) {
      const data = { ImageId: CLUSTER.imageIds.x86_64, BlockDeviceMappings: [{ DeviceName: device, Ebs: { VolumeSize: size } }] };
      await bench.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: name, LaunchTemplateData: data }));
    }
    const launch = (template: string): Promise<CreateFleetCommandOutput> => bench.send(fleet({ template, zones: [A] as string[] }));
    for (const [template, size] of [
      ['large', 100],
      ['other', undefined],
    ] as const) {
      const [id = ''] = idsOf(await launch(template));
      expect(bench.ports.instances.get(id)?.rootVolumeGiB).toBe(size);
    }
    const refused = await launch('small');
    expect(errorsOf(refused)).toEqual([`InvalidBlockDeviceMapping m6i.large ${A}`]);
    expect(refused.Errors?.[0]?.ErrorMessage).toBe("Volume of size 19GB is smaller than snapshot 'snap-00000064', expect size>= 20GB");
    const template = { LaunchTemplateName: 'small' };
    const one = new RunInstancesCommand({ MinCount: 1, MaxCount: 1, InstanceType: 'm6i.large', LaunchTemplate: template });
    expect(await refusal(bench.send(one))).toBe('400 InvalidBlockDeviceMapping');
  });
});

test('an impossible specification is an error; the rest is launched', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const output = await bench.send(fleet({ types: ['vt1.3xlarge', 'm6g.large'], zones: [A, B] as string[] }));
    expect(errorsOf(output)).toEqual([
      `InvalidFleetConfiguration vt1.3xlarge ${B}`,
      `InvalidParameterValue m6g.large ${A}`,
      `InvalidParameterValue m6g.large ${B}`,
    ]);
    expect(output.Instances?.[0]?.InstanceType).toBe('vt1.3xlarge');
    const noSpot = await bench.send(fleet({ types: ['m5.large', 'nosuch.large'], zones: [C] as string[] }));
    expect(errorsOf(noSpot)).toEqual([`InvalidFleetConfiguration nosuch.large ${C}`]);
    await makeTemplate(bench, 'arm', CLUSTER.imageIds.arm64);
    expect(errorsOf(await bench.send(fleet({ types: ['hpc7g.4xlarge'], zones: [C] as string[], template: 'arm' })))).toEqual([
      `Unsupported hpc7g.4xlarge ${C}`,
    ]);
  });
});

for (const { name, spec, code } of [
  { name: 'a fleet of type maintain', spec: { more: { Type: 'maintain' } }, code: 'UnsupportedOperation' },
  { name: 'no target', spec: { more: { TargetCapacitySpecification: undefined } }, code: 'MissingParameter' },
  { name: 'a target of zero', spec: { count: 0 }, code: 'InvalidParameterValue' },
  { name: 'no templates', spec: { more: { LaunchTemplateConfigs: [] } }, code: 'MissingParameter' },
  { name: 'more than 300 specifications', spec: { types: Array.from({ length: 101 }, () => 'm5.large') }, code: 'InvalidParameterValue' },
  {
    name: 'an unknown strategy',
    spec: { more: { SpotOptions: { AllocationStrategy: 'best' as 'diversified' } } },
    code: 'InvalidParameterValue',
  },
  { name: 'a deleted template', spec: { template: 'gone' }, code: 'InvalidLaunchTemplateName.NotFoundException' },
  {
    name: 'a tag of AWS',
    spec: { more: { TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'aws:x', Value: '' }] }] } },
    code: 'InvalidParameterValue',
  },
  { name: 'a dry run', spec: { more: { DryRun: true } }, code: 'DryRunOperation' },
] as const satisfies { name: string; spec: FleetSpec; code: string }[]) {
  test(`refuses ${name}`, async () => {
    await withEc2(async (bench) => {
      await makeTemplate(bench);
      expect(await refusal(bench.send(fleet(spec)))).toBe(`${code === 'DryRunOperation' ? 412 : 400} ${code}`);
      expect(bench.events).toEqual([]);
    });
  });
}

test('a template deleted before the launch is not found', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    await bench.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName: 'nodes' }));
    expect(await refusal(bench.send(fleet()))).toBe('400 InvalidLaunchTemplateName.NotFoundException');
  });
});

test('a full subnet fails, and another zone is used', async () => {
  const subnets = subnetsOf(CLUSTER);
  const inner = new MemoryStore(createRandom(1), subnets);
  const full = CLUSTER.subnets['us-east-1a'];
  const store: InstanceStore = {
    launch: (spec) => inner.launch(spec),
    terminate: (id) => inner.terminate(id),
    freeAddresses: (subnetId) => (subnetId === full ? 0 : inner.freeAddresses(subnetId)),
    holdAddresses: (subnetId, count) => inner.holdAddresses(subnetId, count),
  };
  await withEc2(
    async (bench) => {
      await makeTemplate(bench);
      const output = await bench.send(fleet({ capacityType: 'on-demand', inOrder: true }));
      expect(errorsOf(output)).toEqual([`InsufficientFreeAddressesInSubnet m6i.large ${A}`]);
      expect(bench.ports.instances.list().map(({ zone }) => zone)).toEqual([B]);
    },
    { store },
  );
});

test('a launch that the store refuses is an error and leaves the pool unchanged', async () => {
  const inner = new MemoryStore(createRandom(1), subnetsOf(CLUSTER));
  let refused = 0;
  const store: InstanceStore = {
    launch: (spec) => {
      refused += 1;
      return refused <= 2 ? Promise.reject(addressesExhausted(spec.subnetId)) : inner.launch(spec);
    },
    terminate: (id) => inner.terminate(id),
    freeAddresses: (subnetId) => inner.freeAddresses(subnetId),
    holdAddresses: (subnetId, count) => inner.holdAddresses(subnetId, count),
  };
  await withEc2(
    async (bench) => {
      await makeTemplate(bench);
      bench.ports.capacity.limit({ selector: {}, remaining: 3, naming: 'all', fired: () => undefined });
      const zones = ['us-east-1a'];
      const output = await bench.send(fleet({ zones, count: 3 }));
      expect(idsOf(output)).toHaveLength(1);
      expect(errorsOf(output)).toEqual(Array(2).fill(`InsufficientFreeAddressesInSubnet m6i.large ${A}`));
      expect(idsOf(await bench.send(fleet({ zones, count: 3 })))).toHaveLength(2);
    },
    { store },
  );
});

const order = fc.record({
  capacityType: fc.constantFrom('spot' as const, 'on-demand' as const),
  count: fc.integer({ min: 1, max: 40 }),
  types: fc.subarray(['m5.large', 'm6i.large', 'c5.large', 'r5.large'], { minLength: 1 }),
  zones: fc.subarray([...Object.keys(CLUSTER.subnets)], { minLength: 1 }),
  strategy: fc.constantFrom('lowest-price', 'diversified', 'capacity-optimized', 'price-capacity-optimized'),
  terminate: fc.boolean(),
});

test("capacity is never oversold, and a fleet's answer matches its instances", async () => {
  const remaining = 7;
  await fc.assert(
    fc.asyncProperty(fc.array(order, { minLength: 1, maxLength: 8 }), fc.nat(1_000), async (orders, seed) => {
      await withEc2(
        async (bench) => {
          await makeTemplate(bench);
          bench.ports.capacity.limit({ selector: { zones: ['us-east-1a'] }, remaining, naming: 'all', fired: () => undefined });
          const launched = new Map<string, number>();
          await Promise.all(
            orders.map(async ({ strategy, terminate, ...spec }, at) => {
              const options = spec.capacityType === 'spot' ? { SpotOptions: { AllocationStrategy: strategy as 'lowest-price' } } : {};
              const output = await bench.send(fleet({ ...spec, token: `t${at}`, more: options }));
              const ids = idsOf(output);
              expect(ids.length).toBeLessThanOrEqual(spec.count);
              // Only zone a lacks capacity.
              if (spec.zones.some((zone) => zone !== 'us-east-1a')) expect(ids).toHaveLength(spec.count);
              else if (ids.length < spec.count) expect(output.Errors).not.toEqual([]);
              for (const id of ids) {
                const instance = bench.ports.instances.get(id);
                expect(instance).toMatchObject({ capacityType: spec.capacityType });
                const key = `${instance?.capacityType} ${instance?.instanceType} ${instance?.zone}`;
                launched.set(key, (launched.get(key) ?? 0) + 1);
              }
              if (terminate && ids.length > 0) await bench.send(new TerminateInstancesCommand({ InstanceIds: ids }));
            }),
          );
          for (const [key, count] of launched) if (key.endsWith('us-east-1a')) expect(count).toBeLessThanOrEqual(remaining);
          const addresses = bench.ports.instances.list().map(({ privateIp }) => privateIp);
          expect(new Set(addresses).size).toBe(addresses.length);
        },
        { seed },
      );
    }),
    { numRuns: 15 },
  );
});

test('a pool holds no more than its depth', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const one: FleetSpec = { types: ['m6i.large'], zones: ['us-east-1a'] };
    const output = await bench.send(fleet({ ...one, count: 1_000 }));
    const depth = idsOf(output).length;
    expect(depth).toBeGreaterThanOrEqual(50);
    expect(depth).toBeLessThanOrEqual(400);
    expect(errorsOf(output)).toEqual([`${ICE} ${A}`]);
    expect(idsOf(await bench.send(fleet(one)))).toEqual([]);
    await bench.send(new TerminateInstancesCommand({ InstanceIds: idsOf(output).slice(0, 3) }));
    await bench.clock.sleep(60_000);
    expect(idsOf(await bench.send(fleet({ ...one, count: 5 })))).toHaveLength(3);
  });
});

test('the same seed gives the same bytes, another seed different ones', async () => {
  const bytes = async (seed: number): Promise<string> => {
    let text = '';
    await withEc2(
      async (bench) => {
        await makeTemplate(bench);
        const ids = idsOf(await bench.send(fleet({ types: [...loadCatalogue().types.keys()].slice(0, 40), count: 20, token: 'a' })));
        await bench.clock.sleep(5_000);
        await bench.send(new DescribeInstancesCommand({}));
        await bench.send(new TerminateInstancesCommand({ InstanceIds: ids.slice(0, 10) }));
        await bench.clock.sleep(60_000);
        await bench.send(new DescribeInstancesCommand({}));
        const answers = bench.exchanges.map(({ answer }) => answer);
        text = JSON.stringify([answers, bench.events]);
      },
      { seed },
    );
    return text;
  };
  const [one, again, other] = [await bytes(1), await bytes(1), await bytes(2)];
  expect(again).toBe(one);
  expect(other).not.toBe(one);
});
