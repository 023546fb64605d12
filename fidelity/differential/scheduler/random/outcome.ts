import type { Agreement } from '../../agreement.ts';
import { SchedulerCache } from '../../../../world/scheduler/cache.ts';
import { podInfo } from '../../../../world/scheduler/pod-info.ts';
import type { Outcome } from '../client.ts';
import { choicesOf, decisionsOf } from '../ours.ts';
import type { Choices } from '../ours.ts';
import { NAMESPACES } from './situations.ts';
import type { Situation } from './situations.ts';

export interface Difference {
  readonly name: string;
  readonly situation: Situation;
  readonly pod: number;
  readonly real: Outcome;
  readonly ours: Choices;
}

/** Counts the compared outcomes of pods, in each situation up to the first that differs. */
export function agreementOf(real: readonly (readonly Outcome[])[], differences: readonly Difference[]): Agreement {
  const unlike = differences.reduce((sum, { situation, pod }) => sum + pod + 1 - situation.pending.length, 0);
  const answers = real.reduce((sum, outcomes) => sum + outcomes.length, 0) + unlike;
  return { cases: real.length, agreeing: real.length - differences.length, answers };
}

/** Gives the emulated scheduler the same pods in order. Each is placed where the real one placed it before the next comes. */
export function differenceOf(situation: Situation, real: readonly Outcome[]): Difference | undefined {
  const cache = new SchedulerCache();
  for (const name of NAMESPACES) cache.objects.set('namespaces', { metadata: { name, labels: { 'kubernetes.io/metadata.name': name } } });
  for (const node of situation.nodes) cache.setNode(node);
  for (const one of situation.running) cache.assign(podInfo(one), one.spec.nodeName ?? '');
  for (const [index, outcome] of real.entries()) {
    const pending = situation.pending[index];
    if (pending === undefined) break;
    const info = podInfo(pending);
    const ours = choicesOf(decisionsOf(info, cache));
    const name = nameOf(outcome, ours);
    if (name !== undefined) return { name, situation, pod: index, real: outcome, ours };
    if ('node' in outcome) cache.assign(info, outcome.node);
  }
  return undefined;
}

/** The class of a difference; undefined if the real outcome is one of the possible choices. */
export function nameOf(real: Outcome, { nodes, messages, preemptions }: Choices): string | undefined {
  if ('node' in real) {
    if (nodes.has(real.node)) return undefined;
    return nodes.size === 0 ? 'placed, ours refuses' : 'placed on a node that ours does not prefer';
  }
  if (nodes.size > 0) return 'refused, ours places';
  if (!messages.has(real.message)) return 'refused with another message';
  if (real.nominated === undefined) return preemptions.size === 0 ? undefined : 'no preemption, ours preempts';
  const victims = preemptions.get(real.nominated);
  if (victims === undefined) return preemptions.size === 0 ? 'preempts, ours does not' : 'nominated for a node that ours does not choose';
  return victims.join() === [...(real.victims ?? [])].sort().join() ? undefined : 'other victims';
}
