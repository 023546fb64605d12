import type { Bound } from '../history/events.ts';
import type { AllowanceName } from '../world/world.ts';
import type { TargetConstants } from '../targets/target.ts';

/** What bounds are made of. */
export interface BoundInputs {
  readonly constants: TargetConstants;
  readonly allowances: Readonly<Record<AllowanceName, number>>;
}

interface BoundDefinition {
  readonly formula: string;
  readonly reason: string;
  readonly valueMs: (inputs: { c: TargetConstants; w: Readonly<Record<AllowanceName, number>> }) => number;
}

/** A request and the change that comes of it, seen by whoever watches. */
const step = (w: Readonly<Record<AllowanceName, number>>): number => w.apiMs + w.watchMs;

/** From the launch request to a running pod, once the decision has been made. */
const boot = (w: Readonly<Record<AllowanceName, number>>): number =>
  w.apiMs + w.bootMs + w.registerMs + w.readyMs + w.bindMs + w.podStartMs + 6 * step(w);

/** From a node that isn't needed to its instance's end and its Node's removal. */
const removal = (c: TargetConstants, w: Readonly<Record<AllowanceName, number>>): number =>
  c.emptyAfterMs + c.terminationMs + w.podEndMs + w.instanceEndMs + w.nodeGoneMs + 6 * step(w);

/**
 * The named limits of this specification: formulas over the target's declared constants and the world's allowances.
 * There are no literal waits anywhere else.
 */
const DEFINITIONS = {
  provision: {
    formula: 'batchMax + retryPeriod + launch (api + boot + register + ready + bind + podStart + 6 steps)',
    reason:
      'one full batch window, one more look for pods that became unschedulable after the window closed, and one launch whose every delay is at its maximum',
    valueMs: ({ c, w }) => c.batchMaxMs + c.retryPeriodMs + boot(w),
  },
  fallback: {
    formula: 'provision + 6 x (retryPeriod + api + watch)',
    reason:
      'six further launches of sixty offerings each go through the whole catalogue in three zones when every answer names all that it tried, each started at the next look at pending pods',
    valueMs: ({ c, w }) => c.batchMaxMs + c.retryPeriodMs + boot(w) + 6 * (c.retryPeriodMs + step(w)),
  },
  recover: {
    formula: 'provision + launchTimeout',
    reason: 'after the heal a launch that was under way may be given up first, and then everything is done once more',
    valueMs: ({ c, w }) => c.batchMaxMs + c.retryPeriodMs + boot(w) + c.launchTimeoutMs,
  },
  'instance-without-node': {
    formula: 'registrationTimeout + collection + termination + instanceEnd + 6 steps',
    reason: 'an instance that never becomes a node is given up at the registration time-out at the latest, or collected',
    valueMs: ({ c, w }) => c.registrationTimeoutMs + c.collectionMs + c.terminationMs + w.instanceEndMs + 6 * step(w),
  },
  'launch-lag': {
    formula: 'batchMax + retryPeriod + 2 x api + 2 x watch',
    reason: 'a launch may still be sent for pods that were seen pending at the beginning of the last batch window',
    valueMs: ({ c, w }) => c.batchMaxMs + c.retryPeriodMs + 2 * step(w),
  },
  explain: {
    formula: 'batchMax + 2 x retryPeriod + 2 x api + 2 x watch',
    reason: 'whoever decided not to serve a pod knows why in the round of the decision, and must have said so in the next',
    valueMs: ({ c, w }) => c.batchMaxMs + 2 * c.retryPeriodMs + 2 * step(w),
  },
  settle: {
    formula: 'recover + registrationTimeout + removal (empty + termination + podEnd + instanceEnd + nodeGone + 6 steps) + collection',
    reason:
      'after the heal what is missing is launched, what never becomes a node is given up, what is surplus is removed, what is forgotten is collected',
    valueMs: ({ c, w }) =>
      c.batchMaxMs + c.retryPeriodMs + boot(w) + c.launchTimeoutMs + c.registrationTimeoutMs + removal(c, w) + c.collectionMs,
  },
  'scale-in': {
    formula: 'empty + termination + podEnd + 6 steps',
    reason: 'pods end, then their node is empty for as long as the target waits, then it is drained and its instance asked to end',
    valueMs: ({ c, w }) => c.emptyAfterMs + c.terminationMs + w.podEndMs + 6 * step(w),
  },
  teardown: {
    formula: 'removal (empty + termination + podEnd + instanceEnd + nodeGone + 6 steps) + collection + retryPeriod',
    reason: 'without pods and pools every node is drained and ended, and an instance that nobody claims is collected',
    valueMs: ({ c, w }) => removal(c, w) + c.collectionMs + c.retryPeriodMs,
  },
} as const satisfies Record<string, BoundDefinition>;

export type BoundName = keyof typeof DEFINITIONS;

/** Resolves every bound for this target in this world. */
export function resolveBounds({ constants, allowances }: BoundInputs): Record<BoundName, Bound> {
  const resolve = (name: BoundName): Bound => {
    const { formula, reason, valueMs } = DEFINITIONS[name];
    const value = Math.ceil(valueMs({ c: constants, w: allowances }));
    return { name, value, unit: 'ms', formula: `${formula} = ${value / 1000} s`, reason };
  };
  return {
    provision: resolve('provision'),
    fallback: resolve('fallback'),
    recover: resolve('recover'),
    'instance-without-node': resolve('instance-without-node'),
    'launch-lag': resolve('launch-lag'),
    explain: resolve('explain'),
    settle: resolve('settle'),
    'scale-in': resolve('scale-in'),
    teardown: resolve('teardown'),
  };
}
