import { createLedger, launchedByTarget } from '../history/ledger.ts';
import type { TargetsEntry } from '../history/ledger.ts';
import type { Bound, EventOf } from '../history/events.ts';
import type { PodLife } from '../history/lives.ts';
import type { Finding } from '../history/verdict.ts';
import { expectationsOf } from '../history/view.ts';
import type { View } from '../history/view.ts';
import { namedPool } from '../model/kube.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, measure, mergeParts, nameBound, safetyPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** From the last moment that pods were pending to a launch for them. */
const LAG_BOUND = 'launch-lag';

/**
 * Nothing is launched only because of pods that no launch can help.
 *
 * A launch may have other reasons than the pods that are pending when it is sent: pods that were scheduled or deleted since
 * its batch was closed, an earlier claim that has no instance yet, or an earlier try with the same token. So it is wrong only
 * if in the whole time from the earliest of those decisions, minus the bound, to the request, no pod was pending that a
 * launch could help, and at least one was pending that none can. Launches that replace nodes whose pods still run are not
 * judged as long as no impossible pod is pending; nor are those that may be for a pool of fixed size, which needs no pods: their tag
 * names its pool, if they have one.
 */
export const noLaunchForImpossiblePods: Check = {
  name: 'no-launch-for-impossible-pods',
  summary: 'no instance is launched for pods that no launch can help',
  codes: { 'launch-for-impossible-pod': 'an instance was launched although no launch could help any of the pods that waited' },
  judge: (view) => {
    const expectations = expectationsOf(view, 'no-launch-for');
    if (expectations.length === 0) return undefined;
    const names = new Set(expectations.map(({ workload }) => workload));
    return mergeParts([withBound(view, LAG_BOUND, (bound) => judgeLaunches(view, names, bound))]);
  },
};

function judgeLaunches(view: View, names: ReadonlySet<string>, bound: Bound): Part {
  const impossible = view.pods.filter((pod) => names.has(pod.workload ?? ''));
  const others = view.pods.filter((pod) => !names.has(pod.workload ?? '') && isHelpable(view, pod));
  const launches = launchedByTarget(createLedger(view));
  const suspects = launches.flatMap((entry) => {
    if (mayBeStatic(view, entry)) return [];
    const decided = decidedMs(view, entry);
    const culprits = impossible.filter((pod) => waited(pod, decided - bound.value, entry.request.start));
    const lagMs = Math.min(...others.map((pod) => lagOf(pod, decided, entry.request.start)));
    return culprits.length === 0 ? [] : [{ entry, culprits, value: lagMs, object: entry.instance.object }];
  });
  const wrong = suspects.filter(({ value }) => value > bound.value);
  const findings = wrong.map(({ entry, culprits }) => findingFor(entry, culprits, bound));
  const workloads = [...names].join(', ');
  const summary = `${findings.length} of ${count(launches.length, 'launch', 'launches')} only for pods of ${workloads}`;
  const measured = suspects.filter(({ value }) => Number.isFinite(value));
  return safetyPart(view, findings, summary, [measure(bound, measured)]);
}

function mayBeStatic({ pools }: View, { instance: { launched } }: TargetsEntry): boolean {
  const fixed = pools.flatMap(({ i, pool }) => (pool.replicas !== undefined && i < launched.i ? [pool.name] : []));
  const pool = namedPool(launched.tags);
  return pool === undefined ? fixed.length > 0 : fixed.includes(pool);
}

/** Pods without a known workload count as a reason, because nothing is known about them. */
function isHelpable(view: View, { workload }: PodLife): boolean {
  const kind = workload === undefined ? undefined : view.workloads.get(workload)?.truth.kind;
  return kind !== 'impossible' && kind !== 'malformed' && kind !== 'daemon';
}

/** When the launch may have been decided. It uses only what is known at the request, so that later events don't change it. */
function decidedMs(view: View, { request, token }: TargetsEntry): number {
  const sent = request.start;
  const claims = view.claims.filter(
    ({ created, linked, gone }) =>
      created !== undefined && created.i < sent.i && (linked?.i ?? Infinity) > sent.i && (gone?.i ?? Infinity) > sent.i,
  );
  const tries = token === undefined ? [] : [...view.requests.values()].filter(({ start }) => start.i < sent.i && tokenOf(start) === token);
  return Math.min(sent.t, ...claims.map(({ created }) => created?.t ?? sent.t), ...tries.map(({ start }) => start.t));
}

function tokenOf({ input }: EventOf<'request.start'>): unknown {
  return (input as { ClientToken?: unknown } | null | undefined)?.ClientToken;
}

/** Whether the pod existed without a node at any moment from this time to the request, both inclusive. */
function waited(pod: PodLife, fromMs: number, request: EventOf<'request.start'>): boolean {
  return lagOf(pod, fromMs, request) <= 0;
}

/** How long before this time the pod had last been pending, in milliseconds: 0 or less if it still was, infinite if never. */
function lagOf(pod: PodLife, atMs: number, request: EventOf<'request.start'>): number {
  if ((pod.steps[0]?.i ?? Infinity) > request.i) return Infinity;
  const ends = [pod.scheduled, pod.running, pod.terminating, pod.gone].flatMap((event) => (event === undefined ? [] : [event.t]));
  return Math.max(0, atMs - Math.min(Infinity, ...ends));
}

function findingFor({ instance, request }: TargetsEntry, culprits: readonly PodLife[], bound: Bound): Finding {
  const pods = culprits.slice(0, 3).map(({ name }) => name);
  const more = culprits.length > pods.length ? ` and ${culprits.length - pods.length} more` : '';
  return {
    code: 'launch-for-impossible-pod',
    object: instance.object,
    events: indexes([...culprits.map(({ created }) => created), ...eventsOf(request), instance.launched]),
    message: `Instance ${instance.id} (${instance.instanceType} in ${instance.zone}) was launched at ${duration(instance.launched.t)}, but no pod that a launch could help had waited (${nameBound(bound)}); waiting: ${pods.join(', ')}${more}.`,
  };
}
