import { z } from 'zod';
import { createLedger, launchedByTarget } from '../history/ledger.ts';
import type { TargetsEntry } from '../history/ledger.ts';
import type { EventOf } from '../history/events.ts';
import type { Finding } from '../history/verdict.ts';
import type { InstanceLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import { defined } from '../model/defined.ts';
import { LABEL } from '../model/kube.ts';
import type { NodeSelectorRequirement } from '../model/kube.ts';
import { allows, parseRequirements } from '../model/requirements.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { count, indexes, safetyPart } from './parts.ts';

type Pool = EventOf<'pool'>['pool'];

/** The labels that an instance's launch decides, with their values as far as the history has them. */
const DECIDED: readonly (readonly [label: string, valueOf: (instance: InstanceLife) => string | undefined])[] = [
  [LABEL.arch, ({ launched }) => launched.arch],
  [LABEL.capacityType, ({ capacityType }) => capacityType],
  [LABEL.instanceType, ({ instanceType }) => instanceType],
  [LABEL.zone, ({ zone }) => zone],
];

/**
 * Some pool allows every launched instance: its architecture, capacity type, type and zone are within the pool's requirements,
 * and the request named at least the pool's minimum number of types and zones. If the scenario named the pool that has to be
 * used, that pool allows the instance.
 */
export const launchesWithinPools: Check = {
  name: 'launches-within-pools',
  summary: 'every launched instance is one that some pool allows',
  codes: {
    'launch-outside-pools': 'an instance was launched that no pool allows',
    'launch-from-wrong-pool': 'an instance was launched that is not allowed by the pool that had to be used',
  },
  judge: (view) => {
    const { pools } = view;
    const entries = launchedByTarget(createLedger(view));
    if (pools.length === 0 || entries.length === 0) return undefined;
    const wanted = choicesOf(view);
    const findings = entries.flatMap((entry) => {
      const { i: chosenAt = 0, pool: chosen } = wanted.findLast(({ i }) => i < entry.request.start.i) ?? {};
      const allowing = pools
        .filter((one) => !isChangedBy(pools, one, chosenAt) && isWithin(one.pool, entry.instance) && leavesChoice(one.pool, entry))
        .map(({ pool }) => pool.name);
      if (allowing.length === 0) return [findingFor(entry, pools, 'launch-outside-pools', 'which no pool allows')];
      if (chosen === undefined || allowing.includes(chosen)) return [];
      return [findingFor(entry, pools, 'launch-from-wrong-pool', `but pool ${chosen} had to be used`)];
    });
    return safetyPart(view, findings, `${findings.length} of ${count(entries.length, 'launch', 'launches')} not as the pools allow`);
  },
};

/** Whether the pool has been applied again by the time of an event. */
function isChangedBy(pools: View['pools'], { i, pool }: EventOf<'pool'>, index: number): boolean {
  return pools.some((later) => later.pool.name === pool.name && later.i > i && later.i < index);
}

/** Which pool had to be used, and from when. */
function choicesOf(view: View): { readonly i: number; readonly pool: string }[] {
  return view.stated.flatMap(({ i, expectation }) => (expectation.kind === 'launched-from' ? [{ i, pool: expectation.pool }] : []));
}

/** Whether a pool allows an instance, as far as architecture, capacity type, type and zone decide that. */
export function isWithin({ requirements }: Pool, instance: InstanceLife): boolean {
  const allowed = parseRequirements(requirements.map(asRequirement));
  return DECIDED.every(([label, valueOf]) => {
    const set = allowed.get(label);
    const value = valueOf(instance);
    return set === undefined || value === undefined || allows(set, value);
  });
}

/** Whether a launch named at least a pool's minimum number of types and zones. */
function leavesChoice({ minimumValues = {} }: Pool, { request }: TargetsEntry): boolean {
  const choices = choicesIn(request.start.input);
  return Object.entries(minimumValues).every(([label, least]) => (choices.get(label)?.size ?? least) >= least);
}

/** The parameters of CreateFleet that define EC2's choice. */
const fleetSchema = z.object({
  LaunchTemplateConfigs: z.array(
    z.object({ Overrides: z.array(z.object({ InstanceType: z.string().optional(), AvailabilityZone: z.string().optional() })).optional() }),
  ),
});

/** The label values that a launch lets EC2 choose from; exactly one each if the request is not a fleet. */
function choicesIn(input: EventOf<'request.start'>['input']): ReadonlyMap<string, ReadonlySet<unknown>> {
  const fleet = fleetSchema.safeParse(input);
  const overrides = fleet.success ? fleet.data.LaunchTemplateConfigs.flatMap(({ Overrides = [] }) => Overrides) : [{}];
  return new Map<string, Set<unknown>>([
    [LABEL.instanceType, new Set(overrides.map(({ InstanceType }) => InstanceType))],
    [LABEL.zone, new Set(overrides.map(({ AvailabilityZone }) => AvailabilityZone))],
  ]);
}

/** Nothing satisfies unknown operators, as in the parser. */
function asRequirement({ key, operator, values }: Pool['requirements'][number]): NodeSelectorRequirement {
  return { key, operator: operator as NodeSelectorRequirement['operator'], ...defined({ values }) };
}

function findingFor({ instance, request }: TargetsEntry, pools: View['pools'], code: string, why: string): Finding {
  const { arch } = instance.launched;
  return {
    code,
    object: instance.object,
    events: indexes([...pools, ...eventsOf(request), instance.launched]),
    message: `Instance ${instance.id} is ${instance.capacityType} ${instance.instanceType}${arch === undefined ? '' : ` (${arch})`} in ${instance.zone}, ${why} (pools: ${pools.map(({ pool }) => pool.name).join(', ')}).`,
  };
}
