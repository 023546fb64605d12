import { targetsInstances } from '../history/ledger.ts';
import type { LedgerEntry } from '../history/ledger.ts';
import type { View } from '../history/view.ts';
import { defined } from '../model/defined.ts';
import { DISRUPTION_REASONS, isInForce, nodesAllowed } from '../model/disruption-budget.ts';
import type { DisruptionReason } from '../model/disruption-budget.ts';
import type { Check } from './check.ts';
import { departuresOf, isNotReady, poolAt, poolsOf } from './departures.ts';
import type { Departure, Moment } from './departures.ts';
import { isInitialized, isInUse, podsOf } from './in-use.ts';
import { count, duration, indexes, safetyPart, unknownPart } from './parts.ts';

/**
 * The target never disrupts more nodes of a pool at once than its budgets allow. A budget is a number or a percentage of the
 * pool's nodes (rounded up), and nodes in use that are not Ready or are being removed for any reason count against it: from the
 * moment when the target cordoned them or evicted the first pod, whichever came first, until it has emptied them and
 * terminated their instances. Disruptions for other reasons (an interruption, the node's age, the removal of its pool) are
 * counted but not judged. The history does not show why a node was disrupted, so of budgets that name reasons the most
 * lenient one applies. Nor does it show the pool of a node that several pools allow: such nodes are not judged, and count as
 * present, but not as disrupted, for each of those pools.
 */
export const nodeBudgets: Check = {
  name: 'node-budgets',
  summary: 'no more nodes of a pool are disrupted at once than its budgets allow',
  codes: { 'node-budget-exceeded': 'a node was disrupted although the budgets of its pool allowed no more' },
  judge: (view) => {
    const guarded = new Set(view.pools.flatMap(({ pool }) => (pool.budgets === undefined ? [] : [pool.name])));
    if (guarded.size === 0) return undefined;
    const entries = targetsInstances(view);
    const departures = departuresOf(view);
    const known = new Map(entries.map((entry) => [entry.instance.id, poolsOf(view, entry)]));
    const pools = ({ instance }: LedgerEntry): ReadonlySet<string> => known.get(instance.id) ?? new Set();
    const those = departures.filter(({ entry, isVoluntary }) => isVoluntary && [...pools(entry)].some((name) => guarded.has(name)));
    const used = those.filter(({ entry, decided }) => isInUse(view, entry, decided));
    const judged = used.filter(({ entry }) => pools(entry).size === 1);
    const ambiguous = used.filter(({ entry }) => pools(entry).size > 1);
    const findings = judged.flatMap((departure) => {
      const [pool = ''] = pools(departure.entry);
      const present = entries.filter(
        (entry) => pools(entry).has(pool) && isPresent(entry, departure.begun.i) && !isFinished(view, entry, departure.decided.i),
      );
      const away = present.filter((entry) => pools(entry).size === 1 && isAway(view, entry, departures, departure));
      // Some targets decide first, and disrupt the node only once its replacement is ready.
      const allowed = Math.max(...[departure.decided, departure.at].map((moment) => allowedAt(view, pool, present.length, moment)));
      if (away.length <= allowed) return [];
      const { node, at, begun } = departure;
      return {
        code: 'node-budget-exceeded',
        object: node.object,
        events: indexes([
          ...view.pools.filter((one) => one.pool.name === pool),
          ...away.flatMap(({ nodes }) => nodes[0]?.steps ?? []),
          begun,
          at,
        ]),
        message: `Node ${node.name} of pool ${pool} was disrupted at ${duration(begun.t)}: with it, ${away.length} of ${count(present.length, 'node')} were being disrupted or not Ready, but the pool's budgets allowed ${allowed}.`,
      };
    });
    const left = ambiguous.length === 0 ? '' : `; ${ambiguous.length} more may belong to several pools and could not be judged`;
    const summary = `${findings.length} of ${count(judged.length, 'node')} disrupted beyond the budgets${left}`;
    return judged.length === 0 && ambiguous.length > 0 ? unknownPart(summary) : safetyPart(view, findings, summary);
  },
};

/** A node that was ever Ready and still exists, with or without its instance. */
function isPresent({ nodes }: LedgerEntry, index: number): boolean {
  return nodes.some(({ ready, gone }) => (ready?.i ?? Infinity) < index && (gone?.i ?? Infinity) > index);
}

/**
 * A node that the target emptied and whose instance it terminated: no pod is disturbed there any more, and the target does not
 * control how long the cloud takes for the rest. If it terminated the instance with pods on it, the node counts until it is
 * gone. Karpenter counts the same way (core pkg/controllers/disruption/helpers.go; kubernetes-sigs/karpenter#1735).
 */
function isFinished(view: View, entry: LedgerEntry, index: number): boolean {
  const {
    instance: { ending },
    endRequest,
  } = entry;
  if (ending === undefined || endRequest === undefined || ending.i > index) return false;
  return !podsOf(view, entry).some((pod) => [pod.ended, pod.gone].every((end) => (end?.i ?? Infinity) > ending.i));
}

/** The target disrupts it, it is being removed for another reason, or it is not Ready. */
function isAway(view: View, entry: LedgerEntry, departures: readonly Departure[], { begun, decided }: Departure): boolean {
  const left = departures.find((one) => one.entry.instance.id === entry.instance.id && one.begun.i <= begun.i);
  if (!(left?.isVoluntary === true ? isInUse(view, entry, decided) : isInitialized(entry, decided))) return false;
  const isEnded = (entry.instance.ending?.i ?? Infinity) < decided.i;
  return left !== undefined || isEnded || entry.nodes.some((node) => isNotReady(node, decided.i));
}

function allowedAt(view: View, name: string, total: number, moment: Moment): number {
  const nowMs = (view.begin?.startMs ?? 0) + moment.t;
  const holding = (poolAt(view, name, moment)?.budgets ?? []).filter((budget) => isInForce(asBudget(budget), nowMs));
  const allowedFor = (reason: DisruptionReason): number => {
    const meant = holding.filter(({ reasons }) => reasons?.includes(reason) ?? true);
    return Math.min(Infinity, ...meant.map((budget) => nodesAllowed(asBudget(budget), total)));
  };
  return Math.max(...DISRUPTION_REASONS.map(allowedFor));
}

function asBudget({ nodes, schedule, durationMs }: NonNullable<View['pools'][number]['pool']['budgets']>[number]): {
  nodes: string;
  schedule?: string;
  durationMs?: number;
} {
  return { nodes, ...defined({ schedule, durationMs }) };
}
