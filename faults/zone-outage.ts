import { z } from 'zod';
import type { FaultPorts, Heal } from '../world/ports.ts';
import { defineFault } from './fault.ts';

const params = z.strictObject({
  zones: z
    .array(z.string().min(1))
    .min(1)
    .meta({ description: 'the zones that are down', examples: [['us-east-1a']] }),
  instances: z
    .enum(['end', 'lose-contact', 'run-on'])
    .default('end')
    .describe(
      'what happens to instances in the zones: they are terminated, their kubelets lose contact until the heal, or they keep running',
    ),
  describing: z.enum(['works', 'fails']).default('works').describe('whether DescribeInstances, for all zones, fails meanwhile'),
});

type Params = z.infer<typeof params>;

/**
 * A zone is down: it has no capacity left, and its instances are terminated or lose contact. Legal: it happens every few
 * years, and then DescribeInstances without ids may fail altogether.
 */
export const zoneOutage = defineFault({
  name: 'zone-outage',
  summary: 'a zone has no capacity left, and its instances are terminated or lose contact',
  params,
  legal: true,
  visible: true,
  capabilities: ({ instances, describing }) => [
    'capacity.set',
    ...(instances === 'end' ? (['instance.end'] as const) : []),
    ...(instances === 'lose-contact' ? (['boot.delay'] as const) : []),
    ...(describing === 'fails' ? (['wire.aws'] as const) : []),
  ],
  color: '#450a0a',
  fis: [
    'aws:ec2:api-insufficient-instance-capacity-error',
    'aws:ec2:asg-insufficient-instance-capacity-error',
    'aws:ec2:stop-instances',
    'aws:network:disrupt-connectivity',
  ],
  describe: ({ zones, instances, describing }) => {
    const effect = {
      end: 'its instances are terminated',
      'lose-contact': 'its kubelets lose contact',
      'run-on': 'its instances keep running',
    }[instances];
    return `${zones.join(' and ')} is down: no capacity, ${effect}${describing === 'fails' ? ', and DescribeInstances fails' : ''}`;
  },
  inject: async (given, { arm, ports, fired }) => {
    const { zones, describing } = given;
    const heals = [
      await ports.capacity.limit({ selector: { zones }, remaining: 0, naming: 'one', fired: (span) => fired(span) }),
      ...cutOff(given, ports, () => fired()),
      ...(describing === 'works'
        ? []
        : [
            arm({
              trigger: { match: { operations: ['ec2:DescribeInstances'] }, when: { kind: 'always' }, moment: 'before' },
              effect: { kind: 'refuse', refusal: { status: 503, code: 'Unavailable', message: 'The service is unavailable.' } },
              fired: (span) => fired(span),
            }),
          ]),
    ];
    return async () => {
      for (const heal of heals) await heal();
    };
  },
});

/** What happens to the instances in the zones. */
function cutOff({ zones, instances }: Params, { instanceFaults, nodes }: FaultPorts, fired: () => void): Heal[] {
  switch (instances) {
    case 'end':
      return [instanceFaults.endRunning({ selector: { zones }, count: Infinity, how: 'terminated', afterMs: 0, fired })];
    case 'lose-contact':
      return [nodes.arm({ selector: { zones }, problem: { kind: 'dead-kubelet', afterMs: 0 }, fired })];
    case 'run-on':
      return [];
  }
}
