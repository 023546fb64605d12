import type { Bound } from '../history/events.ts';
import type { Pool } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';
import { roundsWhileAllowed } from '../model/disruption-budget.ts';
import type { DisruptionReason } from '../model/disruption-budget.ts';
import { alwaysKeepsIdleNodes } from '../model/idle-nodes.ts';
import type { AllowanceName } from '../world/world.ts';
import type { TargetConstants } from '../targets/target.ts';

/** The inputs of the bounds. */
export interface BoundInputs {
  readonly constants: TargetConstants;
  readonly allowances: Readonly<Record<AllowanceName, number>>;
  /** Nodes that scaling scenarios reach: those beyond the capacity of EC2's request buckets wait for the refill. */
  readonly nodes: number;
  /** Offerings that the scenario's pools allow, or groups that they become: without capacity, a target has to try them all. */
  readonly offerings: number;
  /** Of the scenario: how long their nodes may live and drain, and how fast they may be removed. */
  readonly pools?: readonly Pick<Pool, 'expireAfterMs' | 'terminationGracePeriodMs' | 'disruption'>[];
  /** The most nodes that the scenario has: the budgets of its pools let so many be removed only in rounds. By default one round. */
  readonly mostNodes?: number;
  /** The longest that pods of the scenario take to stop once they are told to; by default no time. */
  readonly podStopMs?: number;
}

/** How long a large number of nodes waits for EC2's request buckets, in ms. Sources: CreateFleet 50 + 5/s, TerminateInstances 100 + 5/s. */
interface Queues {
  readonly launchMs: number;
  readonly endMs: number;
}

const LAUNCH_BUCKET = 50;
const TERMINATION_BUCKET = 100;
const REFILL_PER_S = 5;

function queuesOf(nodes: number): Queues {
  const waitMs = (bucket: number): number => (Math.max(0, nodes - bucket) / REFILL_PER_S) * 1_000;
  return { launchMs: waitMs(LAUNCH_BUCKET), endMs: waitMs(TERMINATION_BUCKET) };
}

/** A target that marks one offering or none per error can try one by one in a pool of at most this many offerings. */
const ONE_BY_ONE = 12;

/**
 * Launches until every offering has been tried. If a launch names one, that is one each; otherwise the first few may be refused one by
 * one, the others as many as fit in one launch.
 */
function roundsOf(offerings: number, perLaunch: number): number {
  return perLaunch === 1 ? offerings : Math.min(offerings, ONE_BY_ONE) + Math.ceil(offerings / perLaunch);
}

interface Inputs {
  readonly c: TargetConstants;
  readonly w: Readonly<Record<AllowanceName, number>>;
  readonly q: Queues;
  /** Launches until every offering has been tried. */
  readonly rounds: number;
  /** The longest of the pools; 0 if none sets it. */
  readonly expireAfterMs: number;
  readonly terminationGraceMs: number;
  readonly pace: Removal;
}

/** How pools set the pace of removals. */
interface Removal {
  /** From the moment when a node becomes empty to the decision, with the longest `consolidateAfter` of the pools. */
  readonly emptyAfterMs: number;
  /** The same for a node whose pods fit elsewhere. */
  readonly consolidationMs: number;
  /** For empty nodes. */
  readonly empty: Rounds;
  /** For nodes of both kinds. */
  readonly any: Rounds;
}

/** Rounds of removals, because budgets allow only some nodes at once. */
interface Rounds {
  /** After the first one, by the strictest budget. */
  readonly more: number;
  /** From the end of one round to the next decision: the nodes have already waited for `consolidateAfter`. */
  readonly againMs: number;
}

interface BoundDefinition {
  readonly formula: string;
  readonly reason: string;
  /** Why it may be more than five times what a correct target ever needs. A bound without a reason must be close to that. */
  readonly loose?: string;
  /** Of `value`; milliseconds by default. */
  readonly unit?: 'ms' | 'count';
  readonly value: (inputs: Inputs) => number;
  /** The value is a minimum, not a maximum. */
  readonly least?: true;
}

/** How long an autoscaler may take to act on a notice: a quarter of the two minutes' notice that EC2 gives. */
const INTERRUPTION_REACTION_MS = 30_000;

/** Most nodes that a scenario has replaced one after the other because of a pool's budget. */
const NODES_IN_TURN = 4;
/** Most pods that a scenario has moved one after the other because of their budget. */
const PODS_IN_TURN = 3;

/** Attempts that the AWS SDKs make for one call by default. */
const SDK_ATTEMPTS = 3;
/** Attempts within a minute of a backoff that starts at 5 ms, like a work queue's, and doubles. */
const DOUBLINGS_A_MINUTE = 14;
/** Tries that a server asks for with `Retry-After: 1`. Source: client-go, `rest/with_retry.go`, which follows it at most ten times a call. */
const ASKED_FOR_A_MINUTE = 60;

/** A request, and the resulting change arriving on a watch. */
const step = (w: Readonly<Record<AllowanceName, number>>): number => w.apiMs + w.watchMs;

/** From the launch request to a running pod, once the decision has been made. */
const boot = (w: Readonly<Record<AllowanceName, number>>, q: Queues): number =>
  q.launchMs + w.apiMs + w.bootMs + w.registerMs + w.readyMs + w.bindMs + w.podStartMs + 6 * step(w);

/** From the moment a node is no longer needed until its instance is told to terminate. @param emptyAfterMs until the decision */
const ending = (c: TargetConstants, w: Readonly<Record<AllowanceName, number>>, q: Queues, emptyAfterMs: number): number =>
  q.endMs + emptyAfterMs + c.terminationMs + w.podEndMs + 6 * step(w);

/** Further rounds: nodes count against a budget until they are drained and their instances are told to terminate. */
const further = (
  c: TargetConstants,
  w: Readonly<Record<AllowanceName, number>>,
  { more, againMs }: Rounds,
  replacementMs: number,
): number => more * (againMs + replacementMs + c.terminationMs + w.podEndMs + 6 * step(w));

/** From the moment a node is no longer needed until its instance is terminated and its Node removed, as its pool allows. */
const removal = (c: TargetConstants, w: Readonly<Record<AllowanceName, number>>, q: Queues, pace: Removal): number =>
  ending(c, w, q, pace.emptyAfterMs) + further(c, w, pace.empty, 0) + w.instanceEndMs + w.nodeGoneMs;

/**
 * The named limits of this specification: formulas over the target's declared constants and the world's allowances.
 * There are no literal waits anywhere else.
 */
const DEFINITIONS = {
  provision: {
    formula: 'batchMax + retryPeriod + launch (queue + api + boot + register + ready + bind + podStart + 6 steps)',
    reason:
      'one full batch window, one more retry for pods that became unschedulable after the window closed, and one launch with every delay at its maximum',
    value: ({ c, w, q }) => c.batchMaxMs + c.retryPeriodMs + boot(w, q),
  },
  devices: {
    formula: 'provision + deviceDelay',
    reason: "pods that request devices can be placed once the node's device plugin has registered, some time after the node is Ready",
    value: ({ c, w, q }) => c.batchMaxMs + c.retryPeriodMs + boot(w, q) + w.devicesMs,
  },
  fallback: {
    formula:
      'provision + (offerings / offeringsPerLaunch + min(offerings, 12), if a launch names several) x (retryPeriod + launchFailure + api + watch)',
    reason:
      'every offering of the pools may have to be tried: the first few one by one, if each error names only one offering, and the others in launches that each name as many offerings as the target puts into one request, one launch per retry period; where pools are groups, every group, one launch each time that a failure is known',
    loose: 'a target that requests many offerings at once and marks every one that an error names as unavailable needs only a round or two',
    value: ({ c, w, q, rounds }) =>
      c.batchMaxMs + c.retryPeriodMs + boot(w, q) + rounds * (c.retryPeriodMs + (c.launchFailureMs ?? 0) + step(w)),
  },
  'dry-market': {
    formula: 'provision + unavailableOffering',
    reason:
      'the next pool has to be used while the first refusal is still remembered: a search among thousands of offerings that takes longer begins again, and need not end',
    loose: 'a target that judges a market by a few answers needs one round more than without a shortage',
    value: ({ c, w, q }) => c.batchMaxMs + c.retryPeriodMs + boot(w, q) + c.unavailableOfferingMs,
  },
  recover: {
    formula: 'provision + launchTimeout',
    reason: 'after the faults are healed, a launch in progress may have to time out first, and then everything is repeated',
    value: ({ c, w, q }) => c.batchMaxMs + c.retryPeriodMs + boot(w, q) + c.launchTimeoutMs,
  },
  'instance-without-node': {
    formula: 'registrationTimeout + collection + termination + instanceEnd + 6 steps',
    reason: 'an instance that never becomes a node is abandoned at the registration timeout at the latest, or garbage-collected',
    value: ({ c, w }) => c.registrationTimeoutMs + c.collectionMs + c.terminationMs + w.instanceEndMs + 6 * step(w),
  },
  'launch-lag': {
    formula: 'batchMax + retryPeriod + 2 x api + 2 x watch',
    reason: 'a launch may still be sent for pods that were pending at the start of the last batch window',
    loose: 'it only applies to launches that no pending pod explains; most launches are sent while a pod is pending',
    value: ({ c, w }) => c.batchMaxMs + c.retryPeriodMs + 2 * step(w),
  },
  'pod-lag': {
    formula: '3 x api + 3 x watch',
    reason:
      'a change of pods arrives on a watch; a target that keeps what it knows in objects writes and reads it twice before it acts on it',
    loose: 'it only applies to removals that a change of pods just before forbids',
    value: ({ w }) => 3 * step(w),
  },
  explain: {
    formula: 'batchMax + 2 x retryPeriod + 2 x api + 2 x watch',
    reason: 'a target that decides not to serve a pod knows the reason in that round, and must report it by the next one',
    loose:
      'a target that plans in rounds explains its decision in the same round; the bound allows two retries and a batch window for slower ones',
    value: ({ c, w }) => c.batchMaxMs + 2 * c.retryPeriodMs + 2 * step(w),
  },
  settle: {
    formula: 'recover + registrationTimeout + removal (scale-in + instanceEnd + nodeGone) + collection',
    reason:
      'after the faults are healed, missing nodes are launched, instances that never become nodes are abandoned, surplus nodes are removed, and leaked instances are garbage-collected',
    loose: 'only a launch that times out at registration after the faults are healed, and is then garbage-collected, comes near it',
    value: ({ c, w, q, pace }) =>
      c.batchMaxMs + c.retryPeriodMs + boot(w, q) + c.launchTimeoutMs + c.registrationTimeoutMs + removal(c, w, q, pace) + c.collectionMs,
  },
  'scale-in': {
    formula: 'queue + empty + termination + podEnd + 6 steps + further rounds x (decision + termination + podEnd + 6 steps)',
    reason:
      "the pods terminate, the target waits until their node has been empty for the declared time, or that of its pool's consolidateAfter, then the node is drained and its instance is told to terminate; where budgets allow only some nodes at once, the others follow in further rounds",
    value: ({ c, w, q, pace }) => ending(c, w, q, pace.emptyAfterMs) + further(c, w, pace.empty, 0),
  },
  registration: {
    formula: 'provision + registrationTimeout',
    reason: 'a node may register as late as the timeout allows, and its pods run as soon as it has registered',
    value: ({ c, w, q }) => c.batchMaxMs + c.retryPeriodMs + boot(w, q) + c.registrationTimeoutMs,
  },
  replacement: {
    formula: '2 x provision + registrationTimeout + collection + termination',
    reason: 'a node that never registers is abandoned at its timeout, found and terminated, and only then is a replacement launched',
    loose: 'the bound also covers budgets that make pods move one after the other; replacing a node that never registers comes near it',
    value: ({ c, w, q }) => 2 * (c.batchMaxMs + c.retryPeriodMs + boot(w, q)) + c.registrationTimeoutMs + c.collectionMs + c.terminationMs,
  },
  'node-without-instance': {
    formula: 'nodeGone + collection + termination + podEnd + 6 steps',
    reason:
      'the Node of a dead instance becomes NotReady after its grace period, then the cloud controller removes it or the target collects it, and its finalizer is removed',
    loose:
      'a target that is notified of terminated instances needs a tenth of it; one that looks for them every collection period needs all of it',
    value: ({ c, w }) => w.nodeGoneMs + c.collectionMs + c.terminationMs + w.podEndMs + 6 * step(w),
  },
  interruption: {
    formula: '30 s + 2 steps',
    reason:
      'the notice comes two minutes before the interruption: a target that needs more than thirty seconds to react leaves its pods too little time',
    loose: "the bundled reference reacts to a message within a second; the bound follows from EC2's two minutes' notice",
    value: ({ w }) => INTERRUPTION_REACTION_MS + 2 * step(w),
  },
  'masked-offering': {
    formula: 'unavailableOffering',
    reason:
      'capacity that EC2 has just refused or reclaimed is not available: the target does not launch the offering for as long as it declares',
    least: true,
    loose:
      'for reclaimed capacity it is only measured when the offering is launched again, which few targets do while another is available',
    value: ({ c }) => c.unavailableOfferingMs,
  },
  'repeats-a-minute': {
    formula: '3 x (14 + 60 s / retryPeriod) times',
    reason:
      'a backoff that starts at 5 ms and doubles tries 14 times in its first minute, each try may be three attempts of the SDK, and pending pods are retried every retry period',
    unit: 'count',
    value: ({ c }) => SDK_ATTEMPTS * (DOUBLINGS_A_MINUTE + 60_000 / c.retryPeriodMs),
  },
  'repeats-asked-for-a-minute': {
    formula: '60 + 14 times',
    reason:
      'a busy API server asks for the next attempt in a second, which client-go obeys; a try of a doubling backoff begins up to 14 times in between',
    loose: 'only a server that is busy for a whole minute comes near it',
    unit: 'count',
    value: () => ASKED_FOR_A_MINUTE + DOUBLINGS_A_MINUTE,
  },
  'empty-answers-a-minute': {
    formula: '14 + 60 s / retryPeriod times',
    reason:
      'the SDK does not retry a successful response without instances, so only a doubling backoff and the retry of pending pods repeat it',
    unit: 'count',
    value: ({ c }) => DOUBLINGS_A_MINUTE + 60_000 / c.retryPeriodMs,
  },
  runaway: {
    formula: '3 instances per pod and static node at their peak number',
    reason:
      'a pod needs at most one node, and a static pool its replicas; a node may exist together with its replacement, and a launch whose response was lost in a crash is repeated before the first instance is collected',
    loose: 'it detects endless launch loops; a few surplus launches are found by the check that the world settles',
    unit: 'count',
    value: () => 3,
  },
  consolidation: {
    formula:
      'consolidateAfter + launch (queue + api + boot + register + ready + bind + podStart + 6 steps) + termination + podEnd + further rounds x (decision + launch + termination + podEnd + 6 steps)',
    reason:
      'the target waits until a node has been unchanged for the declared time, its replacement becomes ready, then the node is drained and terminated; where budgets allow only some nodes at once, the others follow in further rounds',
    value: ({ c, w, q, pace }) => pace.consolidationMs + boot(w, q) + c.terminationMs + w.podEndMs + further(c, w, pace.any, boot(w, q)),
  },
  drift: {
    formula:
      '4 x (driftPeriod + launch (queue + api + boot + register + ready + bind + podStart + 6 steps) + termination + podEnd + instanceEnd)',
    reason: 'when the budget allows one node at a time, each node is replaced and terminated before the next one starts: four nodes',
    value: ({ c, w, q }) => NODES_IN_TURN * ((c.driftMs ?? 0) + boot(w, q) + c.terminationMs + w.podEndMs + w.instanceEndMs),
  },
  expiry: {
    formula: 'expireAfter of the pools + retryPeriod + termination + podEnd + 6 steps',
    reason: 'a node is launched, reaches its maximum age, is found at the next retry, is drained, and its instance is told to terminate',
    value: ({ c, w, q, expireAfterMs }) => expireAfterMs + ending(c, w, q, c.retryPeriodMs),
  },
  'expiry-in-turn': {
    formula: 'expiry + 3 x provision',
    reason:
      'where a budget lets one pod at a time leave the expired nodes, three pods move in turn: each runs on a new node before the next one leaves',
    value: ({ c, w, q, expireAfterMs }) =>
      expireAfterMs + ending(c, w, q, c.retryPeriodMs) + PODS_IN_TURN * (c.batchMaxMs + c.retryPeriodMs + boot(w, q)),
  },
  'termination-grace': {
    formula: 'terminationGracePeriod of the pools + termination + 6 steps',
    reason: 'a node may drain for as long as its pool allows, and then its instance is told to terminate',
    value: ({ c, w, q, terminationGraceMs }) => terminationGraceMs + q.endMs + c.terminationMs + 6 * step(w),
  },
  teardown: {
    formula: 'removal (queue + empty + termination + podEnd + instanceEnd + nodeGone + 6 steps) + collection + retryPeriod',
    reason:
      'without pods and pools every node is drained and terminated, whatever budgets there were, and instances that belong to no Node are garbage-collected',
    loose:
      'when nothing is left to collect in the last phase, only the removal takes time, and a target that is notified immediately does not wait',
    value: ({ c, w, q }) => ending(c, w, q, c.emptyAfterMs) + w.instanceEndMs + w.nodeGoneMs + c.collectionMs + c.retryPeriodMs,
  },
} as const satisfies Record<string, BoundDefinition>;

export type BoundName = keyof typeof DEFINITIONS;

/** Names of all bounds, in the order of their definition. */
export const BOUND_NAMES = Object.keys(DEFINITIONS) as BoundName[];

/** Resolves every bound for this target in this world. */
export function resolveBounds({
  constants,
  allowances,
  nodes,
  offerings,
  pools = [],
  mostNodes = 1,
  podStopMs = 0,
}: BoundInputs): Record<BoundName, Bound> {
  const q = queuesOf(nodes);
  const rounds = roundsOf(offerings, constants.offeringsPerLaunch);
  const expireAfterMs = Math.max(0, ...pools.map((pool) => pool.expireAfterMs ?? 0));
  const terminationGraceMs = Math.max(0, ...pools.map((pool) => pool.terminationGracePeriodMs ?? 0));
  const pace = paceOf(constants, pools, mostNodes);
  const w = { ...allowances, podEndMs: allowances.podEndMs + podStopMs };
  const resolve = (name: BoundName): Bound => {
    const { formula, reason, loose, least, unit = 'ms', value: valueOf }: BoundDefinition = DEFINITIONS[name];
    const value = Math.ceil(valueOf({ c: constants, w, q, rounds, expireAfterMs, terminationGraceMs, pace }));
    return {
      name,
      value,
      unit,
      formula: unit === 'ms' ? `${formula} = ${value / 1000} s` : formula,
      reason,
      ...defined({ loose, least }),
    };
  };
  return Object.fromEntries(BOUND_NAMES.map((name) => [name, resolve(name)])) as Record<BoundName, Bound>;
}

function paceOf(c: TargetConstants, pools: readonly Pick<Pool, 'disruption'>[], nodes: number): Removal {
  const ownMs = c.consolidateAfterMs ?? 0;
  // While a pool allows no removal at all, nothing is expected of the target: the bounds are for the others, and for other times.
  const removing = pools.filter((pool) => !alwaysKeepsIdleNodes(pool));
  const afterMs = removing.map(({ disruption }) => disruption?.consolidateAfterMs ?? ownMs).filter((ms) => ms !== 'never');
  const longerMs = afterMs.length === 0 ? 0 : Math.max(...afterMs) - ownMs;
  const roundsFor = (reason: DisruptionReason): number[] =>
    removing.map(({ disruption }) => roundsWhileAllowed(disruption?.budgets, reason, nodes));
  const emptyRounds = roundsFor('empty');
  const consolidationMs = c.consolidationMs ?? 0;
  return {
    emptyAfterMs: c.emptyAfterMs + longerMs,
    consolidationMs: consolidationMs === 0 ? 0 : consolidationMs + longerMs,
    empty: { more: Math.max(1, ...emptyRounds) - 1, againMs: c.emptyAfterMs - ownMs },
    any: {
      more: Math.max(1, ...emptyRounds, ...roundsFor('underutilized')) - 1,
      againMs: Math.max(c.emptyAfterMs, consolidationMs) - ownMs,
    },
  };
}
