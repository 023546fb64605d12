import { EPOCH_MS } from '../harness/world-for.ts';
import type { Scenario, Trial } from '../harness/scenario.ts';
import type { Pool } from '../model/catalogue.ts';
import { roundsWhileAllowed } from '../model/disruption-budget.ts';
import { alwaysKeepsIdleNodes, freezesOf, keepsIdleNodes } from '../model/idle-nodes.ts';
import type { Mix, MixWorkload } from './mix.ts';
import { isExpected, placeAndWait, untilServed } from './placed.ts';
import type { ScenarioSet, Theme } from './theme.ts';

/** At night: of the pods of the largest workload one in so many is left. */
const LEFT_OF = 10;
/** Owners that end pods at once, in no order. */
const SCALED_KINDS: readonly string[] = ['Deployment', 'ReplicaSet'];

/** The scenario in which nodes become idle, and their pools decide what happens to them. */
export function idleScenarios(theme: Theme): ScenarioSet {
  const largest = largestOf(theme.mix);
  return { idleNodes: largest === undefined || whyNotRun(theme.mix) !== undefined ? undefined : idleNodes(theme, largest) };
}

/** A trial is over by then: pools that keep their idle nodes at some moment before are of no use for the scenario. */
const LONGEST_TRIAL_MS = 6 * 3_600_000;
/** With more rounds of removals, a trial would last too long. */
const MOST_ROUNDS = 60;

/** Why the scenario does not exist although a workload can be scaled; undefined if it does. */
function whyNotRun({ pools, nodes }: Pick<Mix, 'pools' | 'nodes'>): string | undefined {
  if (pools.every(alwaysKeepsIdleNodes)) return 'all pools keep their idle nodes';
  const trial = { fromMs: EPOCH_MS, toMs: EPOCH_MS + LONGEST_TRIAL_MS };
  if (pools.every((pool) => keepsIdleNodes(pool, trial))) return 'all pools keep their idle nodes for some of the time';
  const rounds = Math.max(...pools.map(({ disruption }) => roundsWhileAllowed(disruption?.budgets, 'empty', nodes)));
  return rounds > MOST_ROUNDS ? `budgets let ${nodes} nodes go in ${rounds} rounds, more than ${MOST_ROUNDS}` : undefined;
}

function idleNodes({ mix, define }: Theme, largest: MixWorkload): Scenario {
  const { pools } = mix;
  const consolidates = pools.some(({ disruption }) => disruption?.consolidation === 'when-empty-or-underutilized');
  // A replacement in progress counts against the budget, so that idle nodes may have to wait for it.
  const bound = consolidates ? 'consolidation' : 'scale-in';
  const hasBudgets = pools.some(({ disruption }) => (disruption?.budgets ?? []).length > 0);
  return define({
    id: 'idle-nodes',
    title: 'your mix, and its largest workload scaled to a tenth: idle nodes go as their pools say, and all pods that are left are served',
    features: [...(consolidates ? (['consolidation'] as const) : []), ...(hasBudgets ? (['disruption-budgets'] as const) : [])],
    async run(t) {
      const placed = await placeAndWait(t, mix, 'provision');
      for (const { workload } of placed.filter(isExpected)) {
        // Pods that consolidation moves have to be served as well.
        t.expect.servedUntilNow(workload);
        t.expect.served(workload, 'recover');
      }
      for (const { workload, from } of placed) if (from === largest) await t.scale(workload, Math.ceil(from.replicas / LEFT_OF));
      // The trial settles only once idle nodes are gone.
      t.expect.idleRemoved(bound);
      await untilServed(t, placed, 'recover');
    },
  });
}

/** The workload with the most pods of those that can be scaled and are served. */
function largestOf({ workloads }: Pick<Mix, 'workloads'>): MixWorkload | undefined {
  const scaled = workloads.filter(
    ({ kind, feasibility, replicas }) => SCALED_KINDS.includes(kind) && feasibility.kind === 'servable' && replicas > 1,
  );
  return scaled.toSorted((a, b) => b.replicas - a.replicas)[0];
}

/** Why a pool always keeps its idle nodes; undefined if it does not. */
function whyAlwaysKept(pool: Pool): string | undefined {
  if (pool.disruption?.consolidateAfterMs === 'never') return 'its consolidateAfter is Never';
  return alwaysKeepsIdleNodes(pool) ? 'its budget for empty nodes is always 0' : undefined;
}

/** Expects that nothing stays, since no pod needs it any more; of pools that keep idle nodes, these may. */
export function expectEmptied(t: Trial, { pools }: Pick<Mix, 'pools'>): void {
  if (pools.some((pool) => alwaysKeepsIdleNodes(pool) || freezesOf(pool).length > 0)) t.expect.idleRemoved('scale-in');
  else t.expect.emptied('scale-in');
}

/** Notes on what is not expected because of the pools' own settings. */
export function idleNotes(mix: Pick<Mix, 'pools' | 'nodes' | 'workloads'>): string[] {
  const { pools } = mix;
  const begin = new Date(EPOCH_MS).toUTCString();
  const notes = pools.flatMap((pool) => {
    const why = whyAlwaysKept(pool);
    if (why !== undefined) return [`NodePool ${pool.name}: ${why}, so its idle nodes may stay`];
    return freezesOf(pool).map(
      ({ schedule = '' }) =>
        `NodePool ${pool.name}: its idle nodes may stay while its budget of 0 is active (schedule ${schedule}; virtual time begins on ${begin})`,
    );
  });
  const why = largestOf(mix) === undefined ? undefined : whyNotRun(mix);
  return why === undefined ? notes : [...notes, `manifests/idle-nodes is not run, since ${why}`];
}
