import { z } from 'zod';
import { defined } from '../model/defined.ts';
import type { MessagePerturbation } from '../world/ports.ts';
import { defineFault } from './fault.ts';
import { offeringParams, selectorOf } from './offering-params.ts';

const params = z.strictObject({
  instanceTypes: offeringParams.instanceTypes,
  zones: offeringParams.zones,
  count: z.number().int().positive().optional().describe('at most this many instances; by default all that match'),
  moment: z
    .enum(['running', 'before-registration', 'pending'])
    .default('running')
    .describe(
      'running: currently running instances, all at once; before-registration: new instances when they begin to run; pending: new instances when they are launched',
    ),
  noticeMs: z.number().int().nonnegative().default(120_000).describe('time from the warning to the end; EC2 gives two minutes'),
  rebalance: z
    .enum(['none', 'before', 'with'])
    .default('none')
    .describe('whether a rebalance recommendation is sent, and when: rebalanceBeforeMs before the warning, or with it'),
  rebalanceBeforeMs: z.number().int().positive().default(300_000).describe('time from the recommendation to the warning'),
  message: z
    .enum(['once', 'duplicated', 'late', 'lost'])
    .default('once')
    .describe('how the warning is delivered; if it is duplicated, so is the recommendation'),
  lateMs: z
    .number()
    .int()
    .positive()
    .default(150_000)
    .describe('how late a late warning is; by default it arrives after the instance has begun to end'),
});

const COPIES = 2;

/**
 * EC2 reclaims spot instances. Legal: it may at any time, warnings and recommendations are best effort, and messages are
 * delivered at least once.
 */
export const spotInterruption = defineFault({
  name: 'spot-interruption',
  summary: 'spot instances are interrupted after a warning, with or without a rebalance recommendation',
  params,
  legal: true,
  visible: true,
  capabilities: () => ['spot.interrupt'],
  color: '#ea580c',
  fis: ['aws:ec2:send-spot-instance-interruptions'],
  describe: ({ instanceTypes, zones, count, moment, noticeMs, rebalance, rebalanceBeforeMs, message, lateMs }) => {
    const which = `${count ?? 'all'} spot instances of ${instanceTypes?.join(', ') ?? 'every type'} in ${zones?.join(', ') ?? 'every zone'}`;
    const recommendation = {
      none: '',
      with: ', with a rebalance recommendation',
      before: `, a rebalance recommendation ${rebalanceBeforeMs / 1_000} s before`,
    };
    const effect = {
      once: '',
      duplicated: ', the message arrives twice',
      late: `, the message comes ${lateMs / 1_000} s late`,
      lost: ', the message is lost',
    };
    return `${which} are interrupted (${moment}) with ${noticeMs / 1_000} s notice${recommendation[rebalance]}${effect[message]}`;
  },
  inject: ({ instanceTypes, zones, count, moment, noticeMs, rebalance, rebalanceBeforeMs, message, lateMs }, { ports, fired }) => {
    const perturbations: Readonly<Record<typeof message, MessagePerturbation | undefined>> = {
      once: undefined,
      duplicated: { kind: 'duplicate', copies: COPIES },
      late: { kind: 'delay', delayMs: lateMs },
      lost: { kind: 'lose' },
    };
    const perturbation = perturbations[message];
    return ports.spot.interrupt({
      selector: selectorOf({ instanceTypes, zones, capacityTypes: ['spot'] }),
      ...defined({ count }),
      moment,
      noticeMs,
      ...(rebalance === 'none' ? {} : { rebalanceBeforeMs: rebalance === 'with' ? 0 : rebalanceBeforeMs }),
      ...defined({ message: perturbation }),
      fired: (instance) => fired(undefined, instance),
    });
  },
});
