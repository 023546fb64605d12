import { z } from 'zod';
import { boundSchema } from '../history/events.ts';
import { closeness, verdictSchema } from '../history/verdict.ts';
import { defined } from '../model/defined.ts';
import { isBroken } from './broken.ts';
import { formatCount } from './format.ts';
import { versionText } from './program.ts';
import { profileSchema, runFactsSchema } from './report-input.ts';

const count = z.number().int().nonnegative();

/** Percentiles of one phase; absent if too many pods did not complete it. */
const trendWaitSchema = z.object({ phase: z.string(), p50Ms: z.number().optional(), p95Ms: z.number().optional() });

/** One run of a trend. */
export const trendRunSchema = z.object({
  run: z.string().describe('Name of the run.'),
  startedAt: z.string(),
  target: z.string().describe('Name of the target.'),
  version: z.string().describe('Version of the target.'),
  scaleproof: z.string().describe('Version of Scaleproof.'),
  isThis: z.boolean().describe('Whether it is the run of this report.'),
  notComparable: z.array(z.string()).describe('Why its figures cannot be compared with those of this run, in words; empty if they can.'),
  verdict: verdictSchema,
  profiles: z
    .array(z.object({ name: profileSchema, passed: count, judged: count }))
    .describe('Scenarios that passed, and those with a pass or a failure.'),
  failed: z.object({ scenarios: count, trials: count }).describe('Scenarios and trials that failed.'),
  waits: z.array(trendWaitSchema).describe('How long pods took for each phase, over all trials; empty for reports of older versions.'),
  closest: z
    .object({
      ratio: z.number().describe('The worst value over its limit, more than 1 beyond it; at most 1000.'),
      isBroken: z.boolean().describe('Whether the bound was not kept.'),
      bound: z.string(),
      scenario: z.string(),
    })
    .optional()
    .describe(
      'The bound that was exceeded most or, if none was, the bound of a time that came closest to its limit; absent if none was measured.',
    ),
});
export type TrendRun = Readonly<z.infer<typeof trendRunSchema>>;

/** Most runs of a trend: more are not readable, and the page has a limit. */
export const MAX_TREND_RUNS = 30;

/** The most that a ratio can be: if nothing is there of what has to be, it would be infinite. */
const MAX_RATIO = 1_000;

/** What a trend takes from report.json. */
export const trendSourceSchema = z.object({
  run: z.object({
    ...runFactsSchema.pick({ id: true, startedAt: true, versions: true, trials: true, shard: true, target: true }).shape,
    scenarios: z.array(z.object({ id: z.string(), digest: z.string(), crashPoints: z.unknown().optional() })),
    world: z.object({ name: z.string() }),
  }),
  verdict: verdictSchema,
  totals: z.object({
    trials: z.object({ failed: count }),
    scenarios: z.object({ failed: count }),
    waits: z.array(trendWaitSchema).optional(),
  }),
  profiles: z.array(z.object({ name: profileSchema, scenarios: z.object({ passed: count, failed: count }) })),
  scenarios: z.array(
    z.object({
      id: z.string(),
      bounds: z.array(z.object({ check: z.string(), bound: boundSchema, worst: z.number().optional() })),
      results: z.array(z.object({ replay: z.string(), checks: z.array(z.object({ check: z.string(), verdict: verdictSchema })) })),
    }),
  ),
});
export type TrendSource = z.infer<typeof trendSourceSchema>;

/** Whether two reports are of the same run. */
export function isSameRun({ run: a }: TrendSource, { run: b }: TrendSource): boolean {
  return a.id === b.id && a.startedAt === b.startedAt;
}

/** The runs in the order in which they started. Pure. @param earlier other runs than this one, in any order */
export function trendOf(own: TrendSource, earlier: readonly TrendSource[]): TrendRun[] {
  const all = [own, ...earlier].sort((a, b) => a.run.startedAt.localeCompare(b.run.startedAt));
  return all.map((source): TrendRun => {
    const { run, verdict, totals, profiles } = source;
    return {
      run: run.id,
      startedAt: run.startedAt,
      target: run.target.name,
      version: versionText(run),
      scaleproof: run.versions.scaleproof,
      isThis: source === own,
      notComparable: whyNotComparable(source, own),
      verdict,
      profiles: profiles.map(({ name, scenarios: { passed, failed } }) => ({ name, passed, judged: passed + failed })),
      failed: { scenarios: totals.scenarios.failed, trials: totals.trials.failed },
      waits: (totals.waits ?? []).map(({ phase, p50Ms, p95Ms }) => ({ phase, ...defined({ p50Ms, p95Ms }) })),
      ...defined({ closest: closestOf(source) }),
    };
  });
}

/** Other versions of a target are comparable: a trend is about them. */
function whyNotComparable(source: TrendSource, own: TrendSource): string[] {
  const differs = (what: string, of: (one: TrendSource) => string): string[] =>
    of(source) === of(own) ? [] : [`${what} ${of(source)}, not ${of(own)}`];
  return [
    ...differs('target', ({ run: { target } }) => target.program?.name ?? target.name),
    ...differs('world', ({ run: { world } }) => world.name),
    ...differs('scaleproof', ({ run: { versions } }) => versions.scaleproof),
    ...differs('trials of each scenario:', ({ run: { trials } }) => String(trials)),
    ...differs('shard', ({ run: { shard } }) => (shard === undefined ? 'none' : `${shard.number} of ${shard.of}`)),
    ...differs('nodes', nodesOf),
    ...otherScenarios(source, own),
  ];
}

/** The sizes of the trials, as their replay lines tell them. */
function nodesOf({ scenarios }: TrendSource): string {
  const found = scenarios.flatMap(({ results }) => results.flatMap(({ replay }) => /,nodes=(\d+)/.exec(replay)?.[1] ?? []));
  return [...new Set(found)].sort((a, b) => Number(a) - Number(b)).join(' and ') || 'as usual';
}

function otherScenarios(source: TrendSource, own: TrendSource): string[] {
  const byId = ({ run }: TrendSource): Map<string, string> =>
    new Map(run.scenarios.map(({ id, digest, crashPoints }) => [id, `${digest} ${crashPoints === undefined ? '' : 'crash points'}`]));
  const [theirs, ours] = [byId(source), byId(own)];
  const more = [...theirs.keys()].filter((id) => !ours.has(id)).length;
  const missing = [...ours.keys()].filter((id) => !theirs.has(id)).length;
  const changed = [...theirs].filter(([id, version]) => ours.has(id) && ours.get(id) !== version).length;
  return [
    ...(more > 0 ? [`${formatCount(more, 'scenario')} more`] : []),
    ...(missing > 0 ? [`${formatCount(missing, 'scenario')} fewer`] : []),
    ...(changed > 0 ? [`${formatCount(changed, 'scenario')} in another version`] : []),
  ];
}

/**
 * Broken bounds first: one that stopped its check at the limit has a ratio of 1 only. Of those that were kept only times are of interest:
 * a limit of nodes may well be used up.
 */
function closestOf({ scenarios }: TrendSource): TrendRun['closest'] {
  const all = scenarios.flatMap(({ id, bounds, results }) =>
    bounds.flatMap((one) => {
      const ratio = closeness(one);
      const bound = one.bound.name;
      const broken = isBroken(one, results);
      if (ratio === undefined || (!broken && one.bound.unit !== 'ms')) return [];
      return [{ ratio: Math.min(ratio, MAX_RATIO), isBroken: broken, bound, scenario: id }];
    }),
  );
  return all.sort((a, b) => Number(b.isBroken) - Number(a.isBroken) || b.ratio - a.ratio)[0];
}
