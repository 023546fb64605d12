import { z } from 'zod';
import { CAPABILITY_NAMES } from './capabilities.ts';
import { DISRUPTION_REASONS } from '../model/disruption-budget.ts';
import { PRINCIPALS } from '../model/operation.ts';

/**
 * The history of one trial: JSON lines, one event each, in chronological order. It contains everything that a check needs, so
 * that a verdict can be recomputed without the scenario's source.
 *
 * A new event type or an optional field keeps the format; anything else raises HISTORY_FORMAT.
 */
export const HISTORY_FORMAT = 1;

/** The harness counts all firings of a fault, but records at most this many. */
export const MAX_FIRINGS_RECORDED = 200;

const id = z.string().min(1);
const count = z.number().int().nonnegative();
/** Any JSON value. A line of a history is parsed from JSON, so checking it again would only double the reading time. */
const json = z.custom<z.core.util.JSONType>((value) => value !== undefined);

const principalSchema = z.enum(PRINCIPALS);
export const capabilitySchema = z.enum(CAPABILITY_NAMES);

/** A named limit with its formula, resolved for this target in this world. */
export const boundSchema = z.object({
  name: id,
  value: z.number(),
  unit: z.enum(['ms', 'count', 'ratio', 'usd']),
  /** The formula with the numbers filled in. */
  formula: z.string(),
  /** Why a conforming autoscaler can always stay within it. */
  reason: z.string(),
  /** Why it may be more than five times what a correct target ever needs. */
  loose: z.string().optional(),
  /** The value is a minimum; otherwise it is a maximum. */
  least: z.literal(true).optional(),
});
export type Bound = z.infer<typeof boundSchema>;

/** What a pod waits for on a new node, in order. */
export const LATENCY_STEPS = ['pending', 'request', 'instance', 'registered', 'ready', 'running'] as const;
export type LatencyStep = (typeof LATENCY_STEPS)[number];

/** The ground truth about a workload's pods, stated by the scenario and never guessed by a check. */
export const truthSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('schedulable') }),
  /**
   * Not all of its pods can be served, and usually none: no offering of any pool is for them. With `mayBeSilent` it is owed nothing, although
   * some may be served, and nobody has to be told why.
   */
  z.object({ kind: z.literal('impossible'), why: z.string(), mayBeSilent: z.literal(true).exactOptional() }),
  /** Can't be served while the faults last, only after the heal. */
  z.object({ kind: z.literal('schedulable-after-heal'), why: z.string() }),
  /** One pod on each node, like a DaemonSet's: no reason to launch or keep a node. */
  z.object({ kind: z.literal('daemon') }),
  /** Something that no correct API would return: it counts neither in the success rate nor in settling. */
  z.object({ kind: z.literal('malformed'), why: z.string(), field: z.string() }),
]);
export type Truth = z.infer<typeof truthSchema>;

/** An expectation is data: stated by the scenario, judged by the check of that name. */
const expectationSchema = z.discriminatedUnion('kind', [
  /** Pods of the workload are Running within the bound after they were created (or after the heal, depending on their truth). */
  z.object({ kind: z.literal('served'), workload: id, bound: id, minRatio: z.number().min(0).max(1) }),
  /** Ends what `served` expects: it still holds for the pods created so far, but later ones need a new expectation. */
  z.object({ kind: z.literal('served-until-now'), workload: id }),
  /** No instance is launched that only these pods could have caused. */
  z.object({ kind: z.literal('no-launch-for'), workload: id }),
  /** For each pod that stays unserved an event, condition or log line says why, within the bound. */
  z.object({ kind: z.literal('explained'), workload: id, bound: id, mentions: z.array(z.string()) }),
  /** From the start of the settling phase the world converges within the bound. */
  z.object({ kind: z.literal('settled'), bound: id }),
  /** Everything launched so far starts to terminate within the bound, because nothing needs it any more. */
  z.object({ kind: z.literal('emptied'), bound: id }),
  /** Nodes of these pools without pods, now or at a moment within the bound, start to terminate within the bound from then. */
  z.object({ kind: z.literal('idle-removed'), bound: id, pools: z.array(id) }),
  /** At most this many are launched in the whole trial: nothing has to be launched twice. */
  z.object({ kind: z.literal('launched-at-most'), instances: count }),
  /** From now on, until another pool is named, this pool allows every launch. */
  z.object({ kind: z.literal('launched-from'), pool: id }),
  /** Within the bound at most this many instances are left, since the pods need no more, and it stays so. */
  z.object({ kind: z.literal('consolidated'), instances: count, bound: id }),
  /** Since settling, nodes whose pods fit on one other node were removed within the bound one after the other, as their pools want. */
  z.object({ kind: z.literal('underused-removed'), bound: id }),
  /** Nothing launched so far is terminated within the bound. */
  z.object({ kind: z.literal('kept'), bound: id }),
  /** No pod of the workload created from now on lacks a node: pods that move already had a new one. */
  z.object({ kind: z.literal('never-without-node'), workload: id }),
  /** The 99th percentile of a latency phase stays within the bound. */
  z.object({ kind: z.literal('latency'), workload: id, from: z.enum(LATENCY_STEPS), to: z.enum(LATENCY_STEPS), bound: id }),
  /** From now on the target does not hold more and more in memory. Only where it says what it holds. */
  z.object({ kind: z.literal('steady-memory') }),
]);
export type Expectation = z.infer<typeof expectationSchema>;

export const constantsSchema = z.record(z.string(), z.number());

const faultSchema = z.object({
  /** Unique in the trial. */
  id,
  /** Name in the catalogue. */
  fault: id,
  /** One sentence with the parameters filled in. */
  description: z.string(),
  params: json,
  legal: z.boolean(),
  /** `false`: no firing keeps the target from its work, so firings don't restart bounds. */
  hinders: z.literal(false).optional(),
  /** What it does to instances and Nodes can be seen on them; older histories lack it. */
  visible: z.literal(true).optional(),
  firing: z.enum(['must-fire', 'may-fire']),
  /** CSS colour of its bands in timelines. */
  color: z.string(),
});

const poolSchema = z.object({
  name: id,
  /** On the labels of the pool's nodes. */
  requirements: z.array(z.object({ key: id, operator: id, values: z.array(z.string()).optional() })),
  weight: count,
  limits: z.object({ cpu: z.number().optional(), memoryMiB: z.number().optional(), nodes: count.optional() }).optional(),
  /** A node of this age is always replaced. */
  expireAfterMs: count.optional(),
  /** Its nodes with pods are never removed to save costs; older histories lack it. */
  keepsUsedNodes: z.literal(true).optional(),
  /** For how long pods must neither come to its nodes nor leave them before these may go to save costs; absent for the target's own time. */
  consolidateAfterMs: z.union([count, z.literal('never')]).optional(),
  /** How many of its nodes may be disrupted voluntarily at once. */
  budgets: z
    .array(
      z.object({
        nodes: id,
        reasons: z.array(z.enum(DISRUPTION_REASONS)).optional(),
        schedule: z.string().optional(),
        durationMs: count.optional(),
      }),
    )
    .optional(),
  /** After draining for this long, a node loses its remaining pods. */
  terminationGracePeriodMs: count.optional(),
  /** By label: the minimum number of values that each launch must offer EC2. */
  minimumValues: z.record(z.string(), count).optional(),
  /** Static capacity: this many nodes, with pods or without. Older histories lack it. */
  replicas: count.optional(),
});

const effectSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('applied'), ids: z.array(z.string()) }),
  z.object({ kind: z.literal('rejected'), code: z.string() }),
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('unobservable') }),
]);

/** An offering as an error of EC2 names it: by zone, subnet or both. */
const refusedOfferingSchema = z.object({
  instanceType: id,
  zone: id.optional(),
  subnet: id.optional(),
  /** Absent if the error doesn't say: then it is what the request named. */
  capacityType: z.enum(['spot', 'on-demand']).optional(),
});

/** CPU and memory, as pods request them and nodes have them. */
const computeSchema = z.object({ cpuMilli: count, memoryMiB: z.number().nonnegative() });

const INSTANCE_STATES = ['pending', 'running', 'shutting-down', 'terminated', 'stopping', 'stopped'] as const;
/** `ended`: its containers exited before it was deleted; the reason is its phase. Older histories lack it. */
const POD_STEPS = ['created', 'unschedulable', 'scheduled', 'running', 'ended', 'terminating', 'gone'] as const;
/**
 * `uncordoned`: new pods may be scheduled again. `opted-out`: somebody marked it as do-not-disrupt; `opted-in`: no more. Older histories lack
 * these.
 */
const NODE_STEPS = ['created', 'ready', 'not-ready', 'cordoned', 'uncordoned', 'opted-out', 'opted-in', 'terminating', 'gone'] as const;
/** The world's own message about an instance, with principal `node`: `message` says what its user data lacks. */
export const NEVER_REGISTERS = 'NeverRegisters';
export const NOTICE_KINDS = ['spot-interruption', 'rebalance', 'scheduled-change'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];
const NOTICE_STEPS = ['sent', 'queued', 'received'] as const;
const CLAIM_STEPS = ['created', 'launched', 'registered', 'initialized', 'terminating', 'gone'] as const;
/**
 * Who must pass a scenario: `core` every target, `extended` targets with the features; `robustness` is about inputs that no
 * correct API would produce; `endurance` is long or large, and only run if it is asked for.
 */
export const PROFILES = ['core', 'extended', 'robustness', 'endurance'] as const;
export type Profile = (typeof PROFILES)[number];

export const PHASES = ['set-up', 'act', 'heal', 'settle', 'remove', 'over'] as const;

/** When an event occurred: its index in the history and its time on the trial's clock. */
const stamp = {
  /** Index in the history, from 0. */
  i: count,
  /** Milliseconds since the start of the trial. */
  t: z.number().nonnegative(),
};

function event<T extends string, S extends z.ZodRawShape>(type: T, shape: S) {
  return z.object({ ...stamp, type: z.literal(type), ...shape });
}

const span = count;

export const eventSchema = z.discriminatedUnion('type', [
  event('trial.begin', {
    format: z.literal(HISTORY_FORMAT),
    scenario: z.object({
      id,
      title: z.string(),
      suite: z.string(),
      /** Older histories lack it. */
      profile: z.enum(PROFILES).optional(),
      requirements: z.array(z.string()),
      /** SHA-256 of the scenario's module source. */
      digest: z.string(),
    }),
    seed: count,
    /** Number of nodes that the user chose for scenarios of variable size; older histories lack it. */
    nodes: count.optional(),
    target: z.object({ name: id, features: z.array(z.string()), constants: constantsSchema }),
    world: z.object({ name: id, capabilities: z.array(capabilitySchema), allowances: constantsSchema }),
    /** Start of the trial's clock, milliseconds since the Unix epoch. */
    startMs: z.number(),
  }),
  event('phase', { phase: z.enum(PHASES) }),
  event('bound', { bound: boundSchema }),
  /** A pool was applied, possibly again after a change: what may be launched for it. Or it was withdrawn. */
  event('pool', { pool: poolSchema, withdrawn: z.literal(true).optional() }),
  event('workload', {
    workload: id,
    namespace: id,
    replicas: count,
    truth: truthSchema,
    /** What happens to its pods when a node is drained; absent if they are evicted. */
    drain: z.enum(['stays', 'opted-out']).optional(),
    /** Its pods have one of the priorities of system-critical pods; absent if not, and in older histories. */
    critical: z.literal(true).optional(),
    /** Grace period of each pod; older histories lack it. */
    graceSeconds: count.optional(),
    /** Of each pod; absent if it requests neither, and in older histories. */
    requests: computeSchema.optional(),
    /** Topology keys of its pods' hard spread constraints; absent if there are none, and in older histories. */
    spreadOver: z.array(id).optional(),
    note: z.string(),
  }),
  event('expectation', { expectation: expectationSchema }),
  /** A PodDisruptionBudget for a workload: how many pods must stay healthy, given either way. */
  event('budget', {
    budget: id,
    workload: id,
    minAvailable: count.optional(),
    maxUnavailable: count.optional(),
  }),

  event('fault.armed', { fault: faultSchema }),
  /** It changed what the target would have seen. `span`: the request, if there is one. */
  event('fault.fired', { fault: id, span: span.optional(), note: z.string().optional() }),
  event('fault.healed', { fault: id }),

  /** As the target sent it. */
  event('request.start', {
    span,
    wire: z.enum(['kube', 'aws']),
    principal: principalSchema,
    incarnation: count,
    operation: id,
    mutating: z.boolean(),
    object: z.string().optional(),
    input: json.optional(),
  }),
  /** What took effect in the backend. */
  event('request.effect', { span, effect: effectSchema }),
  /** What the target learnt. `info`: it doesn't know whether its request took effect. */
  event('request.end', {
    span,
    outcome: z.enum(['ok', 'fail', 'info']),
    status: z.number().int().optional(),
    code: z.string().optional(),
    /** A short summary of the response: counts, ids, error message. */
    note: z.string().optional(),
    /** For a fleet: the offerings without capacity, as far as the errors in the response name them. Older histories lack it. */
    refused: z.array(refusedOfferingSchema).optional(),
  }),
  event('watch.open', { span, principal: principalSchema, incarnation: count, object: z.string(), from: z.string().optional() }),
  /** Events up to this resource version have been delivered. */
  event('watch.mark', { span, revision: z.string(), events: count }),
  event('watch.close', { span, reason: z.string() }),

  event('pod', {
    pod: id,
    uid: id,
    workload: z.string().optional(),
    to: z.enum(POD_STEPS),
    node: z.string().optional(),
    reason: z.string().optional(),
  }),
  event('node', {
    node: id,
    uid: id,
    to: z.enum(NODE_STEPS),
    providerId: z.string().optional(),
    instance: z.string().optional(),
    zone: z.string().optional(),
    reason: z.string().optional(),
    /** With `ready`: what the node has for pods; older histories lack it. */
    allocatable: computeSchema.optional(),
    /** With `ready`: the pool that its label `karpenter.sh/nodepool` names; older histories lack it. */
    pool: z.string().optional(),
  }),
  event('claim', {
    claim: id,
    uid: id,
    to: z.enum(CLAIM_STEPS),
    instance: z.string().optional(),
    node: z.string().optional(),
    reason: z.string().optional(),
  }),
  event('instance', {
    instance: id,
    to: z.enum(INSTANCE_STATES),
    instanceType: id,
    zone: id,
    capacityType: z.enum(['spot', 'on-demand']),
    usdPerHour: z.number(),
    /** Older histories lack these three. */
    arch: z.enum(['amd64', 'arm64']).optional(),
    vcpu: count.optional(),
    memoryMiB: count.optional(),
    /** The request that caused it, if any. */
    span: span.optional(),
    token: z.string().optional(),
    tags: z.record(z.string(), z.string()).optional(),
    reason: z.string().optional(),
    /** The Auto Scaling group that it is in. The span is then the request that changed the group's size, if one did. */
    group: z.string().optional(),
  }),
  /** An Auto Scaling group and its sizes, and the request that created, changed or deleted it. */
  event('group', {
    group: id,
    to: z.enum(['created', 'changed', 'deleted']),
    min: count,
    max: count,
    desired: count,
    span: span.optional(),
  }),
  /** A step of an Auto Scaling group towards its desired capacity, as it reports it itself. */
  event('group-activity', {
    group: id,
    activity: id,
    what: z.enum(['launch', 'terminate']),
    to: z.enum(['started', 'successful', 'failed']),
    instance: z.string().optional(),
    /** With `started`, and with `failed` if that was at once. */
    cause: z.string().optional(),
    /** With `failed`: why. */
    message: z.string().optional(),
  }),
  /** A change of an instance that belongs to someone else; `found`: it existed at the start. No other event mentions it. */
  event('foreign-instance', {
    instance: id,
    to: z.enum(['found', ...INSTANCE_STATES, 'retagged']),
    tags: z.record(z.string(), z.string()),
    /** The request that caused it, if any. */
    span: span.optional(),
  }),
  /** A launch template, and the request that created or deleted it; no span if someone else deleted it. */
  event('launch-template', { template: id, name: id, to: z.enum(['created', 'deleted']), span: span.optional() }),
  /**
   * An advance notice of EC2 about an instance: `sent` by EC2, whether or not the message arrives; `received` by the target,
   * once for each reception.
   */
  event('notice', {
    instance: id,
    kind: z.enum(NOTICE_KINDS),
    to: z.enum(NOTICE_STEPS),
    /** With `sent`: how long the instance will still run; absent if it does not end. */
    endsInMs: count.optional(),
    /** With `received`: the request. Its `request.end` says whether the response arrived. */
    span: span.optional(),
  }),
  /**
   * A log line, a condition of an object that gives a reason, or a Kubernetes Event about it. The world itself reports with
   * `NEVER_REGISTERS` that an instance will not become a node, and why.
   */
  event('said', {
    by: z.enum(['event', 'condition', 'log']),
    /** The object that it is about, `resource/namespace/name`; absent for log lines. */
    about: z.string().optional(),
    level: z.string(),
    reason: z.string(),
    message: z.string(),
    principal: principalSchema.optional(),
  }),

  /** `target`: the name of the one that has replaced the trial's target in an upgrade. */
  event('target.start', { incarnation: count, target: z.string().exactOptional() }),
  event('target.ready', { incarnation: count }),
  event('target.stop', { incarnation: count }),
  /** Killed by a fault (`provoked`), or exited by itself, or killed because it was told to stop and did not (`overdue`). */
  event('target.exit', { incarnation: count, provoked: z.boolean(), reason: z.string(), overdue: z.literal(true).exactOptional() }),
  /** It recovered from an error that would have ended another program. */
  event('target.panic', { incarnation: count, recovered: z.boolean(), message: z.string() }),
  /** Calls and log lines that a dead incarnation still attempted. */
  event('target.dropped', { incarnation: count, calls: count }),

  /**
   * An upgrade is over: how many objects of custom resources are stored, which of them would be refused now, and of which something was
   * lost or altered in it (`why`: where).
   */
  event('upgrade', {
    objects: count,
    invalid: z.array(z.object({ object: z.string(), why: z.string() })),
    altered: z.array(z.object({ object: z.string(), why: z.string() })),
    gone: z.array(z.string()),
  }),

  /** Convergence at the end of settling or removal: what is still pending, empty if nothing is. */
  event('convergence', {
    /** `consolidate`: at the end of settling, once nothing else is pending. */
    phase: z.enum(['settle', 'consolidate', 'remove']),
    waiting: z.array(z.object({ object: z.string(), why: z.string() })),
    /** Since when nothing has been pending, in milliseconds since the start of the trial; absent if something is. */
    sinceMs: z.number().nonnegative().optional(),
  }),
  /** The harness itself failed: the trial's verdict is unknown. */
  /** `cutShort`: neither the target nor the harness failed, but the trial still can't be judged. */
  event('harness.error', {
    message: z.string(),
    cutShort: z.literal(true).optional(),
    /** The scenario's own code failed. */
    culprit: z.literal('scenario').optional(),
  }),
  /** Written by the supervisor if the trial's process did not finish its history. */
  event('supervisor', {
    cause: z.enum(['hung', 'exited', 'out-of-memory', 'flooded', 'interrupted', 'spun']),
    /** What was running when it happened. */
    culprit: z.enum(['target', 'harness']),
    message: z.string(),
  }),
  event('trial.end', {}),
]);

/** One line of a history. */
export type HistoryEvent = z.infer<typeof eventSchema>;
export type EventType = HistoryEvent['type'];
/** The events of one type. */
export type EventOf<T extends EventType> = Extract<HistoryEvent, { type: T }>;

type WithoutStamp<E> = E extends HistoryEvent ? Omit<E, 'i' | 't'> : never;
/** An event before the recorder stamps it. */
export type NewEvent = WithoutStamp<HistoryEvent>;

/** The parts of a trial record events with this. */
export interface Recorder {
  record(event: NewEvent): number;
}
