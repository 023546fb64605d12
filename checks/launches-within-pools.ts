import { createLedger, launchedByTarget } from '../history/ledger.ts';
import type { TargetsEntry } from '../history/ledger.ts';
import type { EventOf } from '../history/events.ts';
import type { Finding } from '../history/verdict.ts';
import type { View } from '../history/view.ts';
import { LABEL } from '../model/kube.ts';
import type { NodeSelectorRequirement } from '../model/kube.ts';
import { allows, parseRequirements } from '../model/requirements.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { count, indexes, safetyPart } from './parts.ts';

type Pool = EventOf<'pool'>['pool'];

/** The labels that an instance's launch decides, and their values. */
const DECIDED: readonly (readonly [label: string, valueOf: (entry: TargetsEntry) => string])[] = [
  [LABEL.capacityType, ({ instance }) => instance.capacityType],
  [LABEL.instanceType, ({ instance }) => instance.instanceType],
  [LABEL.zone, ({ instance }) => instance.zone],
];

/**
 * Every instance is one that some pool allows: its capacity type, type and zone are within the pool's requirements. Where
 * the scenario named the pool that has to be chosen, it is one that this pool allows.
 */
export const launchesWithinPools: Check = {
  name: 'launches-within-pools',
  summary: 'what is launched is what some pool allows',
  codes: {
    'launch-outside-pools': 'an instance was launched that no pool allows',
    'launch-from-wrong-pool': 'an instance was launched that the pool does not allow which had to be chosen',
  },
  judge: (view) => {
    const { pools } = view;
    const entries = launchedByTarget(createLedger(view));
    if (pools.length === 0 || entries.length === 0) return undefined;
    const wanted = choicesOf(view);
    const findings = entries.flatMap((entry) => {
      const chosen = wanted.findLast(({ i }) => i < entry.request.start.i)?.pool;
      const allowing = pools.filter(({ pool }) => isWithin(pool, entry)).map(({ pool }) => pool.name);
      if (allowing.length === 0) return [findingFor(entry, pools, 'launch-outside-pools', 'which no pool allows')];
      if (chosen === undefined || allowing.includes(chosen)) return [];
      return [findingFor(entry, pools, 'launch-from-wrong-pool', `while pool ${chosen} had to be chosen`)];
    });
    return safetyPart(view, findings, `${findings.length} of ${count(entries.length, 'launch', 'launches')} not as the pools allow`);
  },
};

/** Which pool had to be chosen, from when on. */
function choicesOf(view: View): { readonly i: number; readonly pool: string }[] {
  return view.stated.flatMap(({ i, expectation }) => (expectation.kind === 'launched-from' ? [{ i, pool: expectation.pool }] : []));
}

function isWithin({ requirements }: Pool, entry: TargetsEntry): boolean {
  const allowed = parseRequirements(requirements.map(asRequirement));
  return DECIDED.every(([label, valueOf]) => {
    const set = allowed.get(label);
    return set === undefined || allows(set, valueOf(entry));
  });
}

/** Operators that nobody knows are met by nothing, as the parser has it. */
function asRequirement({ key, operator, values }: Pool['requirements'][number]): NodeSelectorRequirement {
  return { key, operator: operator as NodeSelectorRequirement['operator'], ...(values === undefined ? {} : { values }) };
}

function findingFor({ instance, request }: TargetsEntry, pools: View['pools'], code: string, why: string): Finding {
  return {
    code,
    object: instance.object,
    events: indexes([...pools, ...eventsOf(request), instance.launched]),
    message: `Instance ${instance.id} is ${instance.capacityType} ${instance.instanceType} in ${instance.zone}, ${why} (${pools.map(({ pool }) => pool.name).join(', ')}).`,
  };
}
