import { z } from 'zod';
import { defined } from '../model/defined.ts';
import { QUOTA_GROUPS } from '../world/ports.ts';
import { defineFault } from './fault.ts';
import { offeringParams } from './offering-params.ts';

const params = z.discriminatedUnion('of', [
  /** vCPUs that may run at once: VcpuLimitExceeded on demand, MaxSpotInstanceCountExceeded for spot. */
  z.strictObject({
    of: z.literal('vcpus'),
    capacityTypes: offeringParams.capacityTypes,
    groups: z.array(z.enum(QUOTA_GROUPS)).min(1).optional().describe('only these groups of instance families; by default all'),
    vcpus: z.number().int().nonnegative().describe('vCPUs that may run at once'),
  }),
  /** On-demand instances of each type that may run at once: InstanceLimitExceeded. */
  z.strictObject({
    of: z.literal('instances'),
    instanceTypes: offeringParams.instanceTypes,
    count: z.number().int().nonnegative().describe('instances of each type that may run at once'),
  }),
  /** No more fleets: MaxFleetCountExceeded, for the whole request. */
  z.strictObject({ of: z.literal('fleets') }),
]);

/** As quoted in runs-on/runs-on#88. */
const MAX_FLEETS = {
  status: 400,
  code: 'MaxFleetCountExceeded',
  message: "You've reached your quota for maximum Fleet Requests for this account.",
} as const;

/**
 * The account's quotas are used up. RunInstances is refused; a fleet's response lists the refusal among its errors. Legal:
 * new accounts have quotas of a few vCPUs.
 */
export const quota = defineFault({
  name: 'quota',
  summary: "the account's quota of vCPUs, of instances of a type, or of fleet requests is low or used up",
  params,
  legal: true,
  withholds: (given) => {
    switch (given.of) {
      case 'vcpus':
        return defined({ capacityTypes: given.capacityTypes });
      case 'instances':
        return { ...defined({ instanceTypes: given.instanceTypes }), capacityTypes: ['on-demand'] };
      case 'fleets':
        return {};
    }
  },
  capabilities: ({ of }) => [of === 'fleets' ? 'wire.aws' : 'capacity.quota'],
  color: '#c2410c',
  describe: (given) => {
    switch (given.of) {
      case 'vcpus':
        return `at most ${given.vcpus} vCPUs of ${given.groups?.join(', ') ?? 'each group of'} instances run ${given.capacityTypes?.join(' and ') ?? 'spot and on-demand'}`;
      case 'instances':
        return `at most ${given.count} on-demand instances of ${given.instanceTypes?.join(', ') ?? 'each type'} run`;
      case 'fleets':
        return 'no more fleets are accepted';
    }
  },
  inject: (given, { arm, ports, fired }) => {
    switch (given.of) {
      case 'vcpus':
        return ports.quota.limitVcpus({
          vcpus: given.vcpus,
          ...defined({ capacityTypes: given.capacityTypes, groups: given.groups }),
          fired: (span) => fired(span),
        });
      case 'instances':
        return ports.quota.limitInstances({
          count: given.count,
          ...defined({ instanceTypes: given.instanceTypes }),
          fired: (span) => fired(span),
        });
      case 'fleets':
        return arm({
          trigger: { match: { operations: ['ec2:CreateFleet'] }, when: { kind: 'always' }, moment: 'before' },
          effect: { kind: 'refuse', refusal: MAX_FLEETS },
          fired: (span) => fired(span),
        });
    }
  },
});
