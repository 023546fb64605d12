import { expect, test } from '@playwright/test';
import type { CreateFleetCommandOutput } from '@aws-sdk/client-ec2';
import { Ec2Error } from '../../clients/ec2-client.ts';
import { formatOffering } from '../../model/catalogue.ts';
import type { Offering } from '../../model/catalogue.ts';
import { STANDARD } from '../periods.ts';
import type { FleetRequest } from './attempt.ts';
import { readFleetOutcome, readRefusal } from './fleet-outcome.ts';

const ASKED: readonly Offering[] = ['large', 'xlarge'].flatMap((size) =>
  ['a', 'b'].map((zone) => ({ instanceType: `m5.${size}`, zone, capacityType: 'spot' as const })),
);

const REQUEST = {
  LaunchTemplateConfigs: [{ Overrides: ASKED.map(({ instanceType, zone }) => ({ InstanceType: instanceType, AvailabilityZone: zone })) }],
  TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'spot' },
} as unknown as FleetRequest;

function answer(code: string, named: { InstanceType?: string; AvailabilityZone?: string }, ids: string[] = []): CreateFleetCommandOutput {
  const Errors = [{ ErrorCode: code, LaunchTemplateAndOverrides: { Overrides: named } }];
  return { Errors, Instances: ids.length === 0 ? [] : [{ InstanceIds: ids }] } as unknown as CreateFleetCommandOutput;
}

function masksOf(output: CreateFleetCommandOutput): Record<string, number> {
  const masks: Record<string, number> = {};
  for (const { what, ttlMs } of readFleetOutcome(REQUEST, output, STANDARD).masks) {
    const { capacityType = '*', instanceType = what.quota ?? '*', zone = '*' } = what;
    const key = `${capacityType}:${instanceType}:${zone}`;
    masks[key] = Math.max(ttlMs, masks[key] ?? 0);
  }
  return masks;
}

const one = { InstanceType: 'm5.large', AvailabilityZone: 'a' };
const doubted = Object.fromEntries(ASKED.map((offering) => [formatOffering(offering), STANDARD.doubtedOfferingMs]));

const CASES: readonly { name: string; output: CreateFleetCommandOutput; masks: Record<string, number>; onlyCapacity: boolean }[] = [
  {
    name: 'one named pool and no instance: it is masked for long, the other requested ones for a while',
    output: answer('InsufficientInstanceCapacity', one),
    masks: { ...doubted, 'spot:m5.large:a': STANDARD.unavailableOfferingMs },
    onlyCapacity: true,
  },
  {
    name: 'no named pool and no instance: all requested ones are masked for a while',
    output: answer('UnfulfillableCapacity', {}),
    masks: doubted,
    onlyCapacity: true,
  },
  {
    name: 'an instance and an error: only the named pool is masked',
    output: answer('InsufficientInstanceCapacity', one, ['i-1']),
    masks: { 'spot:m5.large:a': STANDARD.unavailableOfferingMs },
    onlyCapacity: true,
  },
  {
    name: 'an unnamed error with an instance masks nothing',
    output: answer('UnfulfillableCapacity', {}, ['i-1']),
    masks: {},
    onlyCapacity: true,
  },
  {
    name: 'a subnet without addresses masks its whole zone',
    output: answer('InsufficientFreeAddressesInSubnet', one, ['i-1']),
    masks: { '*:*:a': STANDARD.unavailableOfferingMs },
    onlyCapacity: true,
  },
  {
    name: 'a quota masks all types that use it, in every zone',
    output: answer('VcpuLimitExceeded', one, ['i-1']),
    masks: { 'spot:standard:*': STANDARD.unavailableOfferingMs },
    onlyCapacity: true,
  },
  {
    name: 'the limit of spot instances masks all of spot',
    output: answer('MaxSpotInstanceCountExceeded', {}, ['i-1']),
    masks: { 'spot:*:*': STANDARD.unavailableOfferingMs },
    onlyCapacity: true,
  },
  {
    name: 'an invalid pool is masked, but not the others',
    output: answer('InvalidParameterValue', one),
    masks: { 'spot:m5.large:a': STANDARD.unavailableOfferingMs },
    onlyCapacity: false,
  },
  {
    name: 'throttling inside a fleet says nothing about capacity',
    output: answer('RequestLimitExceeded', one),
    masks: {},
    onlyCapacity: false,
  },
];
for (const { name, output, masks, onlyCapacity } of CASES) {
  test(name, () => {
    expect(masksOf(output)).toEqual(masks);
    expect(readFleetOutcome(REQUEST, output, STANDARD).onlyCapacity).toBe(onlyCapacity);
  });
}

for (const { name, output, lacking, launched } of [
  { name: 'all that was requested', output: answer('InsufficientInstanceCapacity', one), lacking: ASKED, launched: [] },
  { name: 'all that was requested, though no error names any', output: answer('UnfulfillableCapacity', {}), lacking: ASKED, launched: [] },
  {
    name: 'what an error beside an instance names',
    output: answer('InsufficientInstanceCapacity', one, ['i-1']),
    lacking: [ASKED[0]],
    launched: [],
  },
  { name: 'nothing if a quota is used up', output: answer('VcpuLimitExceeded', one), lacking: [], launched: [] },
  {
    name: 'nothing of what was launched',
    output: {
      Instances: [
        { InstanceIds: ['i-1'], InstanceType: 'm5.xlarge', LaunchTemplateAndOverrides: { Overrides: { AvailabilityZone: 'b' } } },
      ],
    } as unknown as CreateFleetCommandOutput,
    lacking: [],
    launched: [ASKED[3]],
  },
]) {
  test(`EC2 has nothing left of ${name}`, () => {
    expect(readFleetOutcome(REQUEST, output, STANDARD)).toMatchObject({ lacking, launched });
  });
}

for (const [code, status, refusal] of [
  ['ECONNRESET', 0, 'again'],
  ['InternalError', 500, 'again'],
  ['RequestLimitExceeded', 503, 'again'],
  ['UnauthorizedOperation', 403, 'again'],
  ['IdempotentParameterMismatch', 400, 'lost'],
  ['IdempotentInstanceTerminated', 400, 'lost'],
  ['InvalidParameterValue', 400, 'refused'],
  ['InvalidLaunchTemplateName.NotFoundException', 400, 'refused'],
] as const) {
  test(`${code} (${status}) means ${refusal}`, () => {
    expect(readRefusal(new Ec2Error(code, status, ''))).toBe(refusal);
  });
}
