import { createLedger, launchedByTarget } from '../history/ledger.ts';
import type { TargetsEntry } from '../history/ledger.ts';
import type { EventOf } from '../history/events.ts';
import type { Finding } from '../history/verdict.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { count, duration, indexes, mergeParts, safetyPart } from './parts.ts';
import type { Part } from './parts.ts';

type Limits = NonNullable<EventOf<'pool'>['pool']['limits']>;

/** A node has less memory than its type: the hypervisor's share, as Karpenter computes it (vmMemoryOverheadPercent). */
const OVERHEAD_RATIO = 0.075;

/** The resources that can be limited, how much of each an instance has, and how a finding names it. */
const RESOURCES: readonly {
  readonly limit: keyof Limits;
  readonly noun: string;
  readonly of: (instance: TargetsEntry['instance']) => number | undefined;
}[] = [
  { limit: 'nodes', noun: 'nodes', of: () => 1 },
  { limit: 'cpu', noun: 'CPU', of: ({ launched }) => launched.vcpu },
  {
    limit: 'memoryMiB',
    noun: 'MiB of memory',
    of: ({ launched: { memoryMiB } }) => memoryMiB && Math.floor(memoryMiB * (1 - OVERHEAD_RATIO)),
  },
];

/**
 * Running and launching capacity together never exceeds the limits of the pools, by the types actually launched. Judged over
 * all pools together, for resources that every pool limits, because only the target knows which pool an instance is for.
 */
export const poolLimits: Check = {
  name: 'pool-limits',
  summary: 'running and launching capacity stays within the limits of the pools',
  codes: { 'limit-exceeded': 'more capacity was live than the pools allow' },
  judge: (view) => {
    const entries = counted(view);
    return mergeParts(
      RESOURCES.flatMap((resource) => {
        const limit = limitOf(view, resource.limit);
        return limit === undefined ? [] : [judgeResource(view, entries, resource, limit)];
      }),
    );
  },
};

function limitOf(view: View, resource: keyof Limits): number | undefined {
  const limits = view.pools.map(({ pool }) => pool.limits?.[resource]);
  const stated = limits.filter((limit) => limit !== undefined);
  return stated.length === 0 || stated.length < limits.length ? undefined : stated.reduce((sum, limit) => sum + limit, 0);
}

function judgeResource(view: View, entries: readonly Counted[], { noun, of }: (typeof RESOURCES)[number], limit: number): Part {
  let worst = 0;
  const findings: Finding[] = [];
  for (const { instance, request } of entries) {
    const live = entries.filter((other) => isLiveAt(other, instance.launched.i));
    const sizes = live.map((other) => of(other.instance));
    if (sizes.some((size) => size === undefined)) continue;
    const sum = sizes.reduce<number>((total, size) => total + (size ?? 0), 0);
    worst = Math.max(worst, sum);
    if (sum <= limit) continue;
    findings.push({
      code: 'limit-exceeded',
      object: instance.object,
      events: indexes([...view.pools, request.start, instance.launched, ...live.map((other) => other.instance.launched)]),
      message: `With instance ${instance.id} (${instance.instanceType}), launched at ${duration(instance.launched.t)}, ${sum} ${noun} were live or launching, but the pools allow ${limit}.`,
    });
  }
  const bound = {
    name: `limit of ${noun}`,
    value: limit,
    unit: 'count',
    formula: 'sum over the pools',
    reason: 'the operator said so',
  } as const;
  return safetyPart(view, findings, `at most ${count(worst, noun, noun)} of ${limit} at once`, [{ bound, worst }]);
}

/** An instance, and from when to when it counts, as event indexes. */
interface Counted extends TargetsEntry {
  readonly fromIndex: number;
  readonly toIndex: number;
}

/**
 * From its launch until it started to terminate, or its node or claim was marked for deletion: after that it no longer counts, so
 * that a replacement may come first. Source: Karpenter's counter ignores nodes that are marked for deletion.
 */
function counted(view: View): Counted[] {
  const claims = new Map(view.claims.map((claim) => [claim.instance, claim]));
  return launchedByTarget(createLedger(view)).map((entry) => {
    const { instance, nodes } = entry;
    const leaving = nodes.flatMap(({ steps }) => steps.filter(({ to }) => to === 'terminating'));
    const ends = [instance.ending, claims.get(instance.id)?.terminating, ...leaving];
    return { ...entry, fromIndex: instance.launched.i, toIndex: Math.min(...ends.map((event) => event?.i ?? Infinity)) };
  });
}

function isLiveAt({ fromIndex, toIndex }: Counted, index: number): boolean {
  return fromIndex <= index && toIndex > index;
}
