import type { HistoryEvent } from '../../history/events.ts';
import { createLedger, launchedByTarget } from '../../history/ledger.ts';
import type { TargetsEntry } from '../../history/ledger.ts';
import type { ClaimLife, InstanceLife, PodLife, RequestLife } from '../../history/lives.ts';
import type { View } from '../../history/view.ts';
import type { Describe } from '../describe-event.ts';
import { formatCount, formatDuration, formatMoment, formatTimes } from '../format.ts';
import { formatList } from '../../model/format-list.ts';
import { outcomeOf } from '../outcome.ts';
import type { Sentence } from './story.ts';

/** Most items that are named; more are counted. */
const MAX_NAMED = 3;
const MAX_OPERATIONS = 6;
const MAX_CODES = 3;
const MAX_SAID = 6;
/** Most requests before a decisive moment that are listed, and how long before it they may be. */
const MAX_BEFORE = 4;
const BEFORE_MS = 3_000;

/**
 * What a target did in a trial that did not pass, for a reader who does not know its code: its requests to AWS, what it released and
 * terminated, what it learnt just before, why pods waited, and what it logged. All of it is from the history, none from the checks.
 */
export function describeBehaviour(view: View, describe: Describe): Sentence[] {
  // If a wire is not recorded, it is unknown what was never sent on it.
  const sees = (wire: 'wire.aws' | 'wire.kube'): boolean => view.begin?.world.capabilities.includes(wire) === true;
  const launched = launchedByTarget(createLedger(view));
  return [
    ...served(view),
    ...said(view),
    ...(sees('wire.aws') ? asked(view) : []),
    ...(sees('wire.kube') ? wrote(view) : []),
    ...released(view, describe),
    ...(sees('wire.aws') ? notTerminated(view, launched) : []),
    ...ended(view, launched),
    ...unused(view, launched),
    ...waited(view),
  ];
}

/** How many pods of each workload ever ran: it helps to compare served workloads with others. */
function served({ workloads }: View): Sentence[] {
  const counted = [...workloads.values()].filter(({ pods, truth }) => pods.length > 0 && truth.kind !== 'daemon');
  if (counted.length === 0) return [];
  const parts = counted.map(
    ({ name, pods }) => `${pods.filter(({ running }) => running !== undefined).length} of ${formatCount(pods.length, 'pod')} of ${name}`,
  );
  return [{ text: `By the end, ${formatList(parts)} had run.` }];
}

/** Writes to Kubernetes except leases and events. */
function wrote(view: View): Sentence[] {
  const operations = new Map<string, number>();
  for (const { start } of view.requests.values()) {
    if (start.wire !== 'kube' || !start.mutating || start.principal !== 'target' || /leases|events/.test(start.operation)) continue;
    operations.set(start.operation, (operations.get(start.operation) ?? 0) + 1);
  }
  const claims = view.claims.length === 0 && view.pods.length > 0 ? ' It never created a claim.' : '';
  if (operations.size === 0) return [{ text: `It wrote only its lease and events to Kubernetes.${claims}` }];
  const sorted = [...operations].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const parts = sorted.slice(0, MAX_OPERATIONS).map(([operation, count]) => `${operation} ${formatTimes(count)}`);
  if (sorted.length > MAX_OPERATIONS) parts.push(formatCount(sorted.length - MAX_OPERATIONS, 'other operation'));
  const evictions = operations.has('delete pods') && !operations.has('create pods/eviction') ? ' It never evicted a pod.' : '';
  return [{ text: `Its writes to Kubernetes: ${formatList(parts)}.${claims}${evictions}` }];
}

/** Writes to AWS, by operation, with their outcomes. */
function asked(view: View): Sentence[] {
  const writes = [...view.requests.values()].filter(
    ({ start: { wire, mutating, principal } }) => wire === 'aws' && mutating && principal === 'target',
  );
  const operations = Map.groupBy(writes, ({ start }) => start.operation);
  if (operations.size === 0) return [{ text: 'It sent no writes to AWS: no launch, no termination, nothing.' }];
  const sorted = [...operations].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  const parts = sorted.slice(0, MAX_OPERATIONS).map(([operation, requests]) => {
    const at = formatMoment(requests.at(-1)?.start.t ?? 0);
    const when = requests.length === 1 ? `at ${at}` : `the last at ${at}`;
    return `${operation} ${formatTimes(requests.length)}, ${when}${becameOf(requests, view)}`;
  });
  const rest = sorted.slice(MAX_OPERATIONS);
  if (rest.length > 0) parts.push(formatCount(rest.length, 'other operation'));
  const ends =
    operations.has('ec2:TerminateInstances') || view.instances.length === 0 ? '' : ' It never requested to terminate an instance.';
  return [{ text: `Its writes to AWS: ${parts.join('; ')}.${ends}` }];
}

function becameOf(requests: readonly RequestLife[], view: View): string {
  const codes = new Map<string, number>();
  for (const request of requests) {
    const outcome = outcomeOf(request, view);
    if (outcome === 'ok' || outcome === 'open') continue;
    const errors = /errors: (\w+)/.exec(request.end?.note ?? '')?.[1];
    const code =
      outcome === 'info'
        ? 'no response'
        : outcome === 'partial'
          ? `${errors ?? 'errors'} in the response`
          : (request.end?.code ?? 'refused');
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  if (codes.size === 0) return '';
  const named = [...codes]
    .sort(([, x], [, y]) => y - x)
    .slice(0, MAX_CODES)
    .map(([code, count]) => `${code} ×${count}`);
  return ` (${named.join(', ')}${codes.size > MAX_CODES ? ' and others' : ''})`;
}

/** Claims that were removed before their instance, so that its record was lost. */
function released(view: View, describe: Describe): Sentence[] {
  const instances = new Map(view.instances.map((instance) => [instance.id, instance]));
  const early = view.claims.flatMap((claim) => {
    const instance = claim.instance === undefined ? undefined : instances.get(claim.instance);
    if (claim.gone === undefined || instance === undefined || (instance.ending?.i ?? Infinity) < claim.gone.i) return [];
    return [{ claim, gone: claim.gone, instance }];
  });
  const [first] = early.sort((a, b) => a.gone.i - b.gone.i);
  if (first === undefined) return [];
  const { claim, gone, instance } = first;
  const others = early.length > 1 ? `, the first of ${early.length} like it` : '';
  const known = claim.linked === undefined ? '' : `, ${formatDuration(gone.t - claim.linked.t)} after the claim had recorded it`;
  return [
    {
      tMs: gone.t,
      text: `It released claim ${claim.name} while its instance ${instance.id} was running${known}${others}.${laterOf(instance)}`,
    },
    ...before(view, describe, { ms: gone.t, i: gone.i }, claim),
  ];
}

function laterOf({ ending }: InstanceLife): string {
  return ending === undefined ? ' That instance was never terminated.' : ` That instance terminated at ${formatMoment(ending.t)}.`;
}

/** What the target had just learnt about an object before a decisive action. */
function before(view: View, describe: Describe, at: { readonly ms: number; readonly i: number }, claim: ClaimLife): Sentence[] {
  const learnt = [...view.requests.values()].flatMap(({ start, end }): HistoryEvent[] => {
    if (end === undefined || end.i > at.i || end.t < at.ms - BEFORE_MS || start.principal !== 'target') return [];
    const isAbout = [claim.instance, claim.name].some(
      (name) => name !== undefined && JSON.stringify([start.input, start.object, end.note]).includes(name),
    );
    return start.wire === 'aws' || (isAbout && start.mutating) ? [end] : [];
  });
  if (learnt.length === 0) return [];
  const last = learnt.sort((a, b) => a.i - b.i).slice(-MAX_BEFORE);
  return [
    { text: `What it had learnt just before: ${last.map((event) => `${formatMoment(event.t)} ${describe(event).what}`).join('; ')}.` },
  ];
}

/** Instances that still ran at the end, and whether their termination was ever requested. */
function notTerminated(view: View, launched: readonly TargetsEntry[]): Sentence[] {
  const live = launched.filter(({ endedMs }) => endedMs === undefined);
  if (live.length === 0) return [];
  const terminations = [...view.requests.values()]
    .filter(({ start }) => start.operation === 'ec2:TerminateInstances')
    .map(({ start }) => JSON.stringify(start.input ?? ''));
  const never = live.filter(({ instance }) => !terminations.some((text) => text.includes(instance.id)));
  const names = formatList(live.slice(0, MAX_NAMED).map(({ instance }) => instance.id));
  const more = live.length > MAX_NAMED ? ` and ${live.length - MAX_NAMED} more` : '';
  const others = never.length === 0 ? '' : `, and never of ${never.length}`;
  const how =
    never.length === live.length
      ? 'it never requested their termination'
      : `it requested the termination of ${never.length === 0 ? 'all' : live.length - never.length}, without success${others}`;
  return [{ text: `Of the instances that it launched, ${live.length} still ran at the end (${names}${more}): ${how}.` }];
}

/** Instances that it terminated while pods still ran on them. */
function ended(view: View, launched: readonly TargetsEntry[]): Sentence[] {
  const podsOf = Map.groupBy(view.pods, ({ node }) => node?.instance);
  const cut = launched.flatMap(({ instance, endRequest }) => {
    const { ending } = instance;
    if (ending === undefined || endRequest?.start.principal !== 'target') return [];
    const pods = (podsOf.get(instance.id) ?? []).filter((pod) => !isDaemon(view, pod) && ranAt(pod, ending.i));
    return pods.length === 0 ? [] : [{ instance, ending, pods, endRequest }];
  });
  const [first] = cut;
  if (first === undefined) return [];
  const { instance, ending, pods, endRequest } = first;
  const left = pods.filter(({ terminating }) => (terminating?.i ?? Infinity) > ending.i).length;
  const notice = view.notices.find((one) => one.instance === instance.id && one.sent.i < ending.i);
  const after =
    notice === undefined
      ? ''
      : `, ${formatDuration(ending.t - notice.sent.t)} after EC2 had announced its interruption${notice.endsAtMs === undefined ? '' : ` for ${formatMoment(notice.endsAtMs)}`}`;
  const others = cut.length > 1 ? ` It did so with ${formatCount(cut.length, 'instance')} in total.` : '';
  return [
    {
      tMs: ending.t,
      text: `It terminated ${instance.id} by ${endRequest.start.operation}${after}, with ${formatCount(pods.length, 'pod')} still on it, ${left === 0 ? 'evicted before' : left === pods.length ? 'never evicted' : `${left} of which never evicted`}.${others}`,
    },
  ];
}

function ranAt({ scheduled, ended: over, gone }: PodLife, index: number): boolean {
  return (scheduled?.i ?? Infinity) < index && Math.min(over?.i ?? Infinity, gone?.i ?? Infinity) > index;
}

function isDaemon(view: View, { workload }: PodLife): boolean {
  return view.workloads.get(workload ?? '')?.truth.kind === 'daemon';
}

/** Instances on which nothing ever ran. */
function unused(view: View, launched: readonly TargetsEntry[]): Sentence[] {
  const used = new Set(view.pods.filter((pod) => !isDaemon(view, pod) && pod.scheduled !== undefined).map(({ node }) => node?.instance));
  const idle = launched.filter(({ instance }) => !used.has(instance.id));
  if (idle.length === 0) return [];
  const nodes = idle.filter((entry) => entry.nodes.some(({ ready }) => ready !== undefined)).length;
  const types = [...new Set(idle.map(({ instance }) => instance.instanceType))];
  const livedMs = idle.map(({ launchedMs, endedMs }) => (endedMs ?? view.endMs) - launchedMs).sort((a, b) => a - b);
  return [
    {
      text: `On ${idle.length} of ${formatCount(view.instances.length, 'instance')} no pod except those of DaemonSets ever ran, although ${nodes} became Ready nodes (${types.slice(0, MAX_NAMED).join(', ')}${types.length > MAX_NAMED ? ' and others' : ''}); their median lifetime was ${formatDuration(livedMs[Math.floor(livedMs.length / 2)] ?? 0)}.`,
    },
  ];
}

/** Why pods waited, according to the scheduler: the last known reason of each. */
function waited(view: View): Sentence[] {
  const reasons = new Map<string, { count: number; text: string }>();
  const add = (text: string): void => {
    const key = text.replace(/\d+/g, '#');
    const known = reasons.get(key);
    reasons.set(key, { count: (known?.count ?? 0) + 1, text: known?.text ?? text });
  };
  for (const { by, reason, message, principal } of view.said)
    if (by === 'event' && reason === 'FailedScheduling' && principal === 'scheduler')
      add(message.replace(/\. (no new claims|preemption:).*$/, ''));
  if (reasons.size === 0) return [];
  const sorted = [...reasons.values()].sort((a, b) => b.count - a.count).slice(0, MAX_NAMED);
  return [
    {
      text: `Why pods waited, according to the scheduler: ${sorted.map(({ text, count }) => `“${text.replace(/\.$/, '')}” ×${count}`).join('; ')}.`,
    },
  ];
}

/** Its own messages: events, conditions and log lines; errors and warnings first, then the most frequent. */
function said(view: View): Sentence[] {
  const words = new Map<string, { readonly text: string; readonly count: number; readonly isBad: boolean; readonly isSame: boolean }>();
  for (const { principal, level, reason, message } of view.said) {
    if (principal !== 'target') continue;
    // Messages that differ only by names count as the same.
    const text = `${reason}: ${message.replace(/ \{.*\}$/, '')}`;
    const key = text.replace(/\b[\w.-]*\d[\w.-]*\b/g, '#');
    const before = words.get(key);
    words.set(key, {
      text: before?.text ?? text,
      count: (before?.count ?? 0) + 1,
      isBad: before?.isBad === true || /err|warn/i.test(level),
      isSame: before === undefined || (before.isSame && before.text === text),
    });
  }
  if (words.size === 0) return [{ text: 'It reported nothing: no event, no condition, no log line.' }];
  const sorted = [...words.values()].sort((a, b) => Number(b.isBad) - Number(a.isBad) || b.count - a.count);
  const named = sorted
    .slice(0, MAX_SAID)
    .map(({ text, count, isSame }) => (isSame ? `“${text}” ×${count}` : `“${text}” and ${count - 1} like it`));
  return [
    {
      text: `It reported: ${named.join('; ')}${sorted.length > MAX_SAID ? ` and ${formatCount(sorted.length - MAX_SAID, 'other message')}` : ''}.`,
    },
  ];
}
