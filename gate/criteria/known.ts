import type { Episode } from '../episode.ts';
import { isKnown } from '../sides.ts';
import type { Criterion } from '../verdict.ts';
import { counted, percent } from '../wording.ts';
import { evidenceOf } from './input.ts';
import type { GateInput } from './input.ts';

/** Episodes without a verdict are not failures. But if there are many, the others may be the easier ones. */
export function judgeKnown({ baseline, candidate, policy }: GateInput): Criterion {
  const { maxShare } = policy.unknown;
  const unknownOf = (side: readonly Episode[]): Episode[] => side.filter((episode) => !isKnown(episode));
  const sides = [
    { name: 'baseline', side: baseline, unknown: unknownOf(baseline) },
    { name: 'candidate', side: candidate, unknown: unknownOf(candidate) },
  ];
  const beyond = sides.filter(({ side, unknown }) => side.length === 0 || unknown.length > maxShare * side.length);
  const counts = sides
    .map(({ name, side, unknown }) => `${unknown.length} of ${counted(side.length, 'episode')} of the ${name}`)
    .join(', ');
  const needed = Math.max(
    0,
    ...beyond.map(({ side, unknown }) => (maxShare === 0 ? 0 : Math.ceil(unknown.length / maxShare) - side.length)),
  );
  const advice =
    beyond.some(({ unknown }) => unknown.length > 0) && maxShare === 0
      ? ' Run those again.'
      : needed > 0
        ? ` ${needed} more episodes with a verdict would be enough; better find the cause.`
        : '';
  return {
    criterion: 'known-trials',
    verdict: beyond.length === 0 ? 'pass' : 'inconclusive',
    sentence: `Without a verdict: ${counts}; at most ${percent(maxShare)} are allowed.${advice}`,
    numbers: { baseline: sides[0]?.unknown.length ?? 0, candidate: sides[1]?.unknown.length ?? 0, maxShare },
    evidence:
      beyond.length === 0
        ? []
        : evidenceOf(
            unknownOf(candidate).map((episode) => ({
              episode,
              what: `it has no verdict${episode.why === undefined ? '' : `: ${episode.why}`}`,
            })),
          ),
  };
}
