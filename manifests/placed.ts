import { SERVABILITY_WORDS } from '../model/servability.ts';
import type { BoundName } from '../harness/bounds.ts';
import type { Trial, UserObject, Workload } from '../harness/scenario.ts';
import type { Truth } from '../history/events.ts';
import type { Mix, MixWorkload } from './mix.ts';
import { WORKLOAD_RESOURCES } from './kinds.ts';

/** An applied workload. */
export interface Placed {
  readonly workload: Workload;
  readonly from: MixWorkload;
  readonly truth: Truth;
}

/** Why a workload can't be served before the heal; undefined if it can. */
type Stuck = (workload: MixWorkload) => string | undefined;

/**
 * Applies all objects and expects every servable workload to be served within the bound; or after the heal, if `stuck` says why it
 * can't be served before.
 */
export async function place(
  t: Trial,
  mix: Pick<Mix, 'companions' | 'workloads'>,
  bound: BoundName,
  stuck: Stuck = () => undefined,
): Promise<Placed[]> {
  await t.apply(mix.companions);
  const placed: Placed[] = [];
  for (const from of mix.workloads) {
    if (from.feasibility.kind === 'untestable') continue;
    const truth = truthOf(from, stuck(from));
    const [workload] = await t.apply([objectOf(from, truth)]);
    if (workload === undefined) continue;
    placed.push({ workload, from, truth });
    if (isExpected({ from, truth })) t.expect.served(workload, truth.kind === 'schedulable' ? bound : 'recover');
  }
  return placed;
}

/** The same, and waits for them. */
export async function placeAndWait(t: Trial, mix: Pick<Mix, 'companions' | 'workloads'>, bound: BoundName): Promise<Placed[]> {
  const placed = await place(t, mix, bound);
  await untilServed(t, placed, bound);
  return placed;
}

export async function untilServed(t: Trial, placed: readonly Placed[], bound: BoundName): Promise<void> {
  await Promise.all(
    placed.filter(isExpected).map(async ({ workload, from }) => {
      // Ordered pods start one after the other, and each has its own bound.
      const rounds = from.ordered ? from.replicas : 1;
      for (let round = 0; round < rounds; round += 1) await t.untilServed(workload, bound);
    }),
  );
}

/** Whether its pods have to be served, now or after the heal. */
export function isExpected({ from, truth }: Pick<Placed, 'from' | 'truth'>): boolean {
  return from.replicas > 0 && (truth.kind === 'schedulable' || truth.kind === 'schedulable-after-heal');
}

function truthOf({ kind, feasibility }: MixWorkload, stuck: string | undefined): Truth {
  if (kind === 'DaemonSet') return { kind: 'daemon' };
  if (feasibility.kind !== 'servable') return { kind: 'impossible', why: feasibility.why };
  return stuck === undefined ? { kind: 'schedulable' } : { kind: 'schedulable-after-heal', why: stuck };
}

function objectOf({ name, kind, title, replicas, object, feasibility }: MixWorkload, truth: Truth): UserObject {
  const pods = kind === 'DaemonSet' ? 'a pod for each node' : `${replicas} pods`;
  const found = 'why' in feasibility ? `; ${SERVABILITY_WORDS[feasibility.kind]}: ${feasibility.why}` : '';
  return { resource: WORKLOAD_RESOURCES[kind] ?? '', object, workload: { name, kind, replicas, truth, note: `${title}, ${pods}${found}` } };
}
