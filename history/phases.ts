import { phaseValuesOf, podTimes } from './latency.ts';
import type { PhaseValues } from './latency.ts';
import type { ClaimLife, InstanceLife, NoticeLife, PodLife } from './lives.ts';
import { claimOf, nodesOf } from './view.ts';
import type { View } from './view.ts';

/** From one moment of a trial to another, in milliseconds since its start; undefined if one did not happen. */
interface Duration {
  readonly phase: string;
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

/** The end of settling and of removal, counted from the start of that phase. */
export const CONVERGENCE_PHASES = {
  settle: 'healed -> settled',
  consolidate: 'settled -> consolidated',
  remove: 'removed -> nothing left',
} as const;

/**
 * The durations of everything in which the world has a part: what pods waited for (`phaseValuesOf`), including to be bound and
 * to start; the steps of claims; from a notice to the termination of its instance; from an empty node to the termination of
 * its instance and claim; and until the world had settled and was empty. Phases that nothing went through are absent.
 */
export function phasesOf(view: View): PhaseValues[] {
  const noticed = new Set(view.notices.map(({ instance }) => instance));
  const users = new Map<string, PodLife[]>();
  for (const pod of view.pods) {
    const id = pod.node?.instance;
    if (id === undefined || view.workloads.get(pod.workload ?? '')?.truth.kind === 'daemon') continue;
    users.set(id, [...(users.get(id) ?? []), pod]);
  }
  const durations = [
    ...view.pods.flatMap((pod) => ofPod(view, pod)),
    ...view.claims.flatMap(ofClaim),
    ...view.notices.flatMap((notice) => ofNotice(view, notice, users.get(notice.instance) ?? [])),
    ...view.instances.flatMap((instance) => [
      ...(noticed.has(instance.id) ? [] : ofEmptied(view, instance, users.get(instance.id) ?? [])),
      ...ofEnd(view, instance),
    ]),
    ...ofConvergence(view),
  ];
  // Binding and starting are separate phases here.
  const launches = phaseValuesOf(view).filter(({ phase }) => phase !== 'ready -> running');
  return [...launches, ...valuesOf(durations)];
}

/** Binding, for pods that waited for their node; starting, for all. */
function ofPod(view: View, pod: PodLife): Duration[] {
  return [
    { phase: 'ready -> bound', fromMs: podTimes(view, pod).ready, toMs: pod.scheduled?.t },
    { phase: 'bound -> running', fromMs: pod.scheduled?.t, toMs: pod.running?.t },
  ];
}

function ofClaim(claim: ClaimLife): Duration[] {
  const at = (to: ClaimLife['steps'][number]['to']): number | undefined => claim.steps.find((step) => step.to === to)?.t;
  return [
    { phase: 'claim created -> launched', fromMs: at('created'), toMs: at('launched') },
    { phase: 'claim launched -> registered', fromMs: at('launched'), toMs: at('registered') },
    { phase: 'claim registered -> initialized', fromMs: at('registered'), toMs: at('initialized') },
  ];
}

/** Of an instance whose end EC2 announces. @param pods that were on its node */
function ofNotice(view: View, notice: NoticeLife, pods: readonly PodLife[]): Duration[] {
  const { kind, sent, delivered } = notice;
  const claim = claimOf(view, notice.instance);
  const instance = view.instanceById.get(notice.instance);
  const drained = lastLeftMs(pods.filter(({ scheduled }) => scheduled === undefined || scheduled.t < sent.t));
  return [
    { phase: `${kind} sent -> delivered`, fromMs: sent.t, toMs: delivered?.t },
    { phase: `${kind} delivered -> claim terminating`, fromMs: delivered?.t, toMs: claim?.terminating?.t },
    { phase: `${kind} delivered -> drained`, fromMs: delivered?.t, toMs: drained },
    { phase: `${kind} sent -> instance ending`, fromMs: sent.t, toMs: instance?.ending?.t },
  ];
}

/** Of an instance whose pods had all left before it was terminated. */
function ofEmptied(view: View, instance: InstanceLife, pods: readonly PodLife[]): Duration[] {
  const emptyMs = lastLeftMs(pods);
  const claim = claimOf(view, instance.id);
  return [
    { phase: 'empty -> claim terminating', fromMs: emptyMs, toMs: claim?.terminating?.t },
    { phase: 'empty -> instance ending', fromMs: emptyMs, toMs: instance.ending?.t },
  ];
}

function ofEnd(view: View, instance: InstanceLife): Duration[] {
  const { id, ending, terminated } = instance;
  const [node] = nodesOf(view, instance);
  const claim = claimOf(view, id);
  return [
    { phase: 'instance ending -> terminated', fromMs: ending?.t, toMs: terminated?.t },
    { phase: 'instance ending -> node gone', fromMs: ending?.t, toMs: node?.gone?.t },
    { phase: 'instance ending -> claim gone', fromMs: ending?.t, toMs: claim?.gone?.t },
  ];
}

/** When the last pod had left; undefined if there were none, or not all have left. */
function lastLeftMs(pods: readonly PodLife[]): number | undefined {
  const goneMs = pods.flatMap(({ gone }) => gone?.t ?? []);
  return goneMs.length === 0 || goneMs.length < pods.length ? undefined : Math.max(...goneMs);
}

function ofConvergence(view: View): Duration[] {
  return view.convergence.map(({ phase, sinceMs }) => ({
    phase: CONVERGENCE_PHASES[phase],
    fromMs: phase === 'consolidate' ? view.convergence.find((one) => one.phase === 'settle')?.t : view.phases.get(phase)?.t,
    toMs: sinceMs,
  }));
}

/** Groups durations by phase, in the order of first appearance; a negative duration counts as zero. */
function valuesOf(durations: readonly Duration[]): PhaseValues[] {
  const phases = new Map<string, number[]>();
  for (const { phase, fromMs, toMs } of durations) {
    if (fromMs === undefined || toMs === undefined) continue;
    const valueMs = Math.max(0, toMs - fromMs);
    const values = phases.get(phase);
    if (values === undefined) phases.set(phase, [valueMs]);
    else values.push(valueMs);
  }
  return [...phases].map(([phase, values]) => ({ phase, valuesMs: values.sort((a, b) => a - b) }));
}
