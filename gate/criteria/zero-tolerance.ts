import type { Episode } from '../episode.ts';
import { kindOf } from '../existing.ts';
import { isKnown, keyOf } from '../sides.ts';
import { upperSuccessBound } from '../../history/confidence.ts';
import type { Criterion } from '../verdict.ts';
import { counted, percent } from '../wording.ts';
import { evidenceOf } from './input.ts';
import type { GateInput } from './input.ts';

/** For the bound on violations that never occurred. */
const BOUND_ALPHA = 0.05;

/** No episode of the candidate may violate an invariant. That the baseline violates it, too, is reported, but is no excuse. */
export function judgeInvariants({ baseline, candidate, policy }: GateInput): Criterion {
  const broken = candidate.filter(({ violations }) => violations.length > 0);
  const codesOf = ({ violations }: Episode): string[] => violations.map(kindOf);
  const baselines = new Map(baseline.map((episode) => [keyOf(episode), new Set(codesOf(episode))]));
  const isShared = (episode: Episode): boolean => codesOf(episode).every((code) => baselines.get(keyOf(episode))?.has(code) === true);
  const shared = broken.filter(isShared).length;
  const kinds = [...new Set(broken.flatMap(codesOf))].sort();
  const own = broken.filter((episode) => !isShared(episode));
  const failure = `${counted(broken.length, 'episode')} of ${candidate.length} violated invariants: ${kinds.join(', ')}.${
    shared === 0 ? '' : ` In ${shared} of them the baseline did the same with the same seed, which is no excuse.`
  }`;
  return judge('invariants', candidate, broken.length, failure, {
    whenNone: `a ${policy.existing.failures === 'accept' ? 'new ' : ''}violation of an invariant`,
    evidence: [...own, ...broken.filter(isShared)].map((episode) => ({ episode, what: describe(episode, isShared(episode)) })),
    numbers: { shared },
  });
}

/** The candidate may not leak an instance. */
export function judgeLeaks({ baseline, candidate }: GateInput): Criterion {
  const leaking = candidate.filter(({ instances }) => instances.leaked > 0);
  const leakedBy = (episodes: readonly Episode[]): number => episodes.reduce((sum, { instances }) => sum + instances.leaked, 0);
  const created = candidate.reduce((sum, { instances }) => sum + instances.created, 0);
  const leaked = leakedBy(candidate);
  const failure = `${leaked} of ${counted(created, 'instance')} leaked, in ${counted(leaking.length, 'episode')} of ${candidate.length}; of the baseline's ${leakedBy(baseline)}.`;
  return judge('leaks', candidate, leaking.length, failure, {
    whenNone: `a leak, ${counted(created, 'instance')} in all`,
    evidence: leaking.map((episode) => ({
      episode,
      what: `${episode.instances.leaked} of ${counted(episode.instances.created, 'instance')} leaked`,
    })),
    numbers: { created, leaked, leakedByBaseline: leakedBy(baseline) },
  });
}

function judge(
  criterion: 'invariants' | 'leaks',
  candidate: readonly Episode[],
  bad: number,
  failure: string,
  { whenNone, evidence, numbers }: { whenNone: string; evidence: { episode: Episode; what: string }[]; numbers: Record<string, number> },
): Criterion {
  const known = candidate.filter(isKnown).length;
  const all = { episodes: candidate.length, bad, ...numbers };
  if (bad > 0) return { criterion, verdict: 'fail', sentence: failure, numbers: all, evidence: evidenceOf(evidence) };
  if (known === 0) {
    const sentence = 'No episode of the candidate has a verdict.';
    return { criterion, verdict: 'inconclusive', sentence, numbers: all, evidence: [] };
  }
  const upper = upperSuccessBound(0, known, BOUND_ALPHA);
  const sentence = `${counted(known, 'episode')} without ${whenNone}: it happens in less than ${percent(upper)} of them, with 95 % confidence.`;
  return { criterion, verdict: 'pass', sentence, numbers: { ...all, upperBound: upper }, evidence: [] };
}

function describe({ violations }: Episode, isShared: boolean): string {
  const [first] = violations;
  if (first === undefined) return '';
  const notes = [
    ...(violations.length > 1 ? [`${counted(violations.length - 1, 'more finding')} in this episode`] : []),
    ...(isShared ? ['the baseline has the same'] : []),
  ];
  return `${kindOf(first)} (${first.object}): ${first.message}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}
