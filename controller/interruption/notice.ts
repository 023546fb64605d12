import { z } from 'zod';

/** EventBridge's events about instances, by Karpenter's names of message types. */
export type NoticeKind =
  | 'spot_interrupted'
  | 'rebalance_recommendation'
  | 'scheduled_change'
  | 'instance_stopping'
  | 'instance_terminated'
  | 'capacity_reservation_interrupted'
  | 'no_op';

export interface Notice {
  readonly kind: NoticeKind;
  readonly instanceIds: readonly string[];
  /** The time of the event according to EventBridge, in ms since the epoch. */
  readonly atMs: number;
}

const envelopeSchema = z.object({
  source: z.string(),
  'detail-type': z.string(),
  time: z.string().transform((text, context) => {
    const ms = Date.parse(text);
    if (!Number.isNaN(ms)) return ms;
    context.addIssue({ code: 'custom', message: 'is not a time' });
    return z.NEVER;
  }),
  detail: z.record(z.string(), z.unknown()),
});

const instanceSchema = z.object({ 'instance-id': z.string().min(1) });
const stateSchema = instanceSchema.extend({ state: z.string() });
const healthSchema = z.object({
  service: z.string(),
  eventTypeCategory: z.string(),
  affectedEntities: z.array(z.object({ entityValue: z.string() })).default([]),
});

const ENDING_STATES: Readonly<Record<string, NoticeKind>> = {
  stopping: 'instance_stopping',
  stopped: 'instance_stopping',
  'shutting-down': 'instance_terminated',
  terminated: 'instance_terminated',
};

/**
 * Parses an EventBridge event. Irrelevant events are `no_op`.
 * Source: Karpenter's AWS provider, `pkg/controllers/interruption/messages`; EC2 User Guide, "Spot Instance
 * interruption notices", "Events from AWS services".
 * @throws Error for anything but an event, or if the event lacks what its type requires
 */
export function readNotice(body: string): Notice {
  const { source, 'detail-type': type, time: atMs, detail } = read(envelopeSchema, JSON.parse(body));
  const about = (kind: NoticeKind): Notice => ({ kind, instanceIds: [read(instanceSchema, detail)['instance-id']], atMs });
  switch (`${source} ${type}`) {
    case 'aws.ec2 EC2 Spot Instance Interruption Warning':
      return about('spot_interrupted');
    case 'aws.ec2 EC2 Instance Rebalance Recommendation':
      return about('rebalance_recommendation');
    case 'aws.ec2 EC2 Capacity Reservation Instance Interruption Warning':
      return about('capacity_reservation_interrupted');
    case 'aws.ec2 EC2 Instance State-change Notification':
      return about(ENDING_STATES[read(stateSchema, detail).state] ?? 'no_op');
    case 'aws.health AWS Health Event': {
      const { service, eventTypeCategory, affectedEntities } = read(healthSchema, detail);
      const isScheduled = service === 'EC2' && eventTypeCategory === 'scheduledChange';
      return {
        kind: isScheduled ? 'scheduled_change' : 'no_op',
        instanceIds: affectedEntities.map(({ entityValue }) => entityValue),
        atMs,
      };
    }
    default:
      return { kind: 'no_op', instanceIds: [], atMs };
  }
}

function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
  return parsed.data;
}
