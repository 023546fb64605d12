import type { EventOf } from '../history/events.ts';
import type { PodLife, RequestLife } from '../history/lives.ts';
import { claimOf, instanceOf } from '../history/view.ts';
import type { View } from '../history/view.ts';
import { count, duration, indexes } from './parts.ts';

/** Most failed requests and messages that a finding about a pod refers to. */
const MAX_SHOWN = 8;

/** What happened to a pod, as the end of a sentence. */
export function describePod(view: View, pod: PodLife): string {
  const parts = [pod.created === undefined ? 'it existed from the start' : `created at ${duration(pod.created.t)}`];
  const { node } = pod;
  if (pod.scheduled !== undefined) parts.push(`bound to node ${pod.scheduled.node ?? '?'} at ${duration(pod.scheduled.t)}`);
  else if (pod.unschedulable !== undefined) parts.push(`unschedulable from ${duration(pod.unschedulable.t)}, never bound to a node`);
  else parts.push('never bound to a node');
  if (node !== undefined && node.ready === undefined) parts.push('that node never became Ready');
  if (node?.gone !== undefined) parts.push(`that node was removed at ${duration(node.gone.t)}`);
  const failed = node === undefined ? failedRequests(view, pod) : [];
  if (failed.length > 0) parts.push(`${count(failed.length, 'write')} to AWS failed while it waited (${codesOf(failed)})`);
  if (node === undefined) {
    const launched = launchesDuring(view, pod);
    parts.push(`the target launched ${launched === 0 ? 'nothing' : count(launched, 'instance')} while it waited`);
  }
  return parts.join(', ');
}

/** The events that show why a pod was not served: its own, its node's and launch's, failed requests, and messages. */
export function podEvidence(view: View, pod: PodLife): number[] {
  const { node } = pod;
  const instance = instanceOf(view, node);
  const claim = claimOf(view, node?.instance);
  const span = instance?.launched.span;
  const request = span === undefined ? undefined : view.requests.get(span);
  return indexes([
    ...pod.steps,
    ...(node?.steps ?? []),
    ...(claim?.steps ?? []),
    ...(instance?.steps ?? []),
    ...eventsOf(request),
    ...(node === undefined ? failedRequests(view, pod).slice(0, MAX_SHOWN).flatMap(eventsOf) : []),
    ...messagesAbout(view, pod).slice(-MAX_SHOWN),
  ]);
}

/** The start, effect and end events of a request, as far as they exist. */
export function eventsOf(request: RequestLife | undefined): { readonly i: number }[] {
  return [request?.start, request?.effect, request?.end].filter((event) => event !== undefined);
}

/** Messages about a pod, or that name it. */
function messagesAbout(view: View, pod: PodLife): EventOf<'said'>[] {
  return view.said.filter((said) => isAbout(said, pod));
}

/** Whether it is about the pod, or its text contains the pod's name as a word. */
export function isAbout(said: EventOf<'said'>, pod: PodLife): boolean {
  return said.about === pod.object || mentionsName(said.message, pod.name.slice(pod.name.indexOf('/') + 1));
}

/** `web-10` and `my-web-1` do not mention `web-1`. */
function mentionsName(text: string, name: string): boolean {
  const isPartOfName = (character: string | undefined): boolean => character !== undefined && /[a-z0-9-]/.test(character);
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!isPartOfName(text[at - 1]) && !isPartOfName(text[at + name.length])) return true;
  }
  return false;
}

function requestsDuring(view: View, pod: PodLife): RequestLife[] {
  const fromMs = pod.created?.t ?? 0;
  const toMs = (pod.running ?? pod.terminating ?? pod.gone)?.t ?? view.endMs;
  return [...view.requests.values()].filter(({ start }) => start.t >= fromMs && start.t <= toMs && start.wire === 'aws' && start.mutating);
}

function failedRequests(view: View, pod: PodLife): RequestLife[] {
  return requestsDuring(view, pod).filter(({ end }) => end !== undefined && end.outcome !== 'ok');
}

function launchesDuring(view: View, pod: PodLife): number {
  const spans = new Set(requestsDuring(view, pod).map(({ span }) => span));
  return view.instances.filter(({ launched }) => launched.span !== undefined && spans.has(launched.span)).length;
}

function codesOf(requests: readonly RequestLife[]): string {
  return [...new Set(requests.map(({ start, end }) => `${start.operation}: ${end?.code ?? end?.note ?? 'no answer'}`))]
    .slice(0, 3)
    .join(', ');
}
