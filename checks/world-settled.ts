import type { Bound, EventOf } from '../history/events.ts';
import type { Finding } from '../history/verdict.ts';
import { expectationsOf } from '../history/view.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { count, duration, indexes, measure, mergeParts, nameBound, unknownPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** From the removal of all workloads and pools to a world without anything created for them. */
const REMOVAL_BOUND = 'teardown';

/**
 * After the heal the world converges within the bound, and after the removal of all workloads and pools everything that
 * the target created disappears. The harness looked up what was still pending and recorded it in the history.
 */
export const worldSettled: Check = {
  name: 'world-settled',
  summary: 'the world converges after the faults, and is empty after everything was removed',
  codes: {
    'not-settled': 'something had not converged within the bound for settling',
    'not-removed': 'something still existed after the bound for removal',
  },
  judge: (view) => {
    const expectations = expectationsOf(view, 'settled');
    if (expectations.length === 0) return undefined;
    return mergeParts([
      ...expectations.map(({ bound }) => withBound(view, bound, (resolved) => judgePhase(view, 'settle', resolved))),
      withBound(view, REMOVAL_BOUND, (resolved) => judgePhase(view, 'remove', resolved)),
    ]);
  },
};

const WORDS = {
  settle: { code: 'not-settled', done: 'settled', wanted: 'should have settled', missed: 'had not', phase: 'settling' },
  remove: { code: 'not-removed', done: 'emptied', wanted: 'should have been removed', missed: 'was not', phase: 'removal' },
} as const;

function judgePhase(view: View, phase: 'settle' | 'remove', bound: Bound): Part {
  const words = WORDS[phase];
  const began = view.phases.get(phase);
  const looked = view.convergence.find((event) => event.phase === phase);
  if (began === undefined || looked === undefined) return unknownPart(`the trial ended before the end of its ${words.phase}`);
  // The state has to hold for a while; what counts is when it began.
  const tookMs = (looked.sinceMs ?? looked.t) - began.t;
  const worst = looked.waiting[0]?.object ?? 'world';
  const measurements = [measure(bound, [{ value: tookMs, object: worst }])];
  const findings: Finding[] = looked.waiting.map(({ object, why }) => ({
    code: words.code,
    object,
    events: evidence(view, began, looked, object),
    message: `${object} ${words.wanted} within ${duration(bound.value)} (${nameBound(bound)}) but ${words.missed} after ${duration(tookMs)}: ${why}.`,
  }));
  if (findings.length === 0 && tookMs > bound.value) {
    findings.push({
      code: words.code,
      object: 'world',
      events: indexes([began, looked]),
      message: `The world ${words.done} only after ${duration(tookMs)} (${nameBound(bound)}).`,
    });
  }
  if (findings.length === 0) return { verdict: 'pass', summary: `${words.done} after ${duration(tookMs)}`, findings, measurements };
  return {
    verdict: 'fail',
    summary: `not ${words.done} after ${duration(tookMs)}: ${count(findings.length, 'object')} left`,
    findings,
    measurements,
  };
}

/** The first and last event of the phase, and what the history has about the object. */
function evidence(view: View, began: EventOf<'phase'>, looked: EventOf<'convergence'>, object: string): number[] {
  const lives = [...view.pods, ...view.nodes, ...view.claims, ...view.instances, ...view.templates].filter(
    (life) => life.object === object,
  );
  return indexes([began, ...lives.flatMap(({ steps }): { readonly i: number }[] => [...steps]), looked]);
}
