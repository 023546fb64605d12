import { timeName } from './clock.ts';
import { isUpgraded } from './crash-points.ts';
import { formatCount, formatDuration, formatRatio } from './format.ts';
import { describeGap, describeGaps } from './manifests.ts';
import { VERDICT_MARKS } from './marks.ts';
import { printable } from './paint.ts';
import type { Ink } from './paint.ts';
import { profileCounts, resultWord, unrequestedProfiles } from './profiles.ts';
import { sourceOf } from './program.ts';
import type { RunReport } from './run-report.ts';
import { wrap } from './table.ts';

type Paint = (ink: Ink, text: string) => string;

/** Most workloads that can't be served that are named. */
const MAX_WORKLOADS = 3;
/** Most reasons that are listed; more are counted. */
const MAX_REASONS = 4;

/** What was not run, which crash points were skipped and which faults never fired: a line for each. */
export function gapsOf({ scenarios, notRun }: RunReport, paint: Paint, width: number): string[] {
  const seeds = new Map<string, number>();
  for (const { scenario, reason } of notRun) {
    const key = `not run: ${scenario}: ${reason}`;
    seeds.set(key, (seeds.get(key) ?? 0) + 1);
  }
  return dimmed(
    [
      ...scenarios.flatMap(({ id, faults }) =>
        faults.injections
          .filter(({ vacuous }) => vacuous)
          .map(({ fault, description }) => `vacuous: ${fault} in ${id} never fired (${description})`),
      ),
      ...[...seeds].map(([line, count]) => (count > 1 ? `${line} (${count} seeds)` : line)),
    ],
    paint,
    width,
  );
}

/** The same in a few lines, by reason. */
export function gapsInShort({ scenarios, notRun }: RunReport, paint: Paint, width: number): string[] {
  const vacuous = scenarios.flatMap(({ faults }) => faults.injections.filter((one) => one.vacuous).map(({ fault }) => fault));
  const leftOut = scenarios.flatMap(({ id, crashPoints }) =>
    crashPoints?.leftOut === undefined ? [] : [{ scenario: id, reason: crashPoints.leftOut }],
  );
  return dimmed(
    [
      ...(vacuous.length === 0
        ? []
        : [`vacuous: ${formatCount(vacuous.length, 'fault')} never fired (${[...new Set(vacuous)].join(', ')})`]),
      ...byReason('crash points left out', leftOut),
      ...byReason('not run', notRun),
    ],
    paint,
    width,
  );
}

function byReason(what: string, gaps: readonly { readonly scenario: string; readonly reason: string }[]): string[] {
  const groups = [...Map.groupBy(gaps, ({ reason }) => reason)]
    .map(([reason, those]) => ({ reason, ids: [...new Set(those.map(({ scenario }) => scenario))] }))
    .sort((a, b) => b.ids.length - a.ids.length);
  const listed = groups.slice(0, MAX_REASONS);
  const others = groups.slice(MAX_REASONS).flatMap(({ ids }) => ids);
  return [
    ...listed.map(({ reason, ids }) => `${what}: ${ids.length === 1 ? (ids[0] ?? '') : formatCount(ids.length, 'scenario')}: ${reason}`),
    ...(others.length === 0 ? [] : [`${what}: ${formatCount(others.length, 'more scenario')}, for other reasons`]),
  ];
}

function dimmed(lines: readonly string[], paint: Paint, width: number): string[] {
  return lines.flatMap((line) => wrap(printable(line), width).map((part) => paint('dim', part)));
}

/** The totals, with the verdict last. */
export function totalsOf(report: RunReport, paint: Paint, width: number): string[] {
  const { run, totals, profiles, verdict } = report;
  const { scenarios, trials, instances } = totals;
  const notBegun = trials.notBegun > 0 ? [`${trials.notBegun} not started`] : [];
  const counts = [
    `${scenarios.passed} passed`,
    `${scenarios.failed} failed`,
    `${scenarios.unknown} unknown`,
    `${scenarios.notRun} not run`,
    ...notBegun,
  ];
  const all = trials.passed + trials.failed + trials.unknown;
  const time = [
    `${formatDuration(run.virtualMs)} of ${timeName(run)}`,
    ...(run.wallMs === undefined ? [] : [`in ${formatDuration(run.wallMs)}`]),
    ...(run.ratio === undefined ? [] : [`(${formatRatio(run.ratio)})`]),
  ].join(' ');
  const facts = [
    `${run.target.name} in ${run.world.name}: ${counts.join(', ')}`,
    `${formatCount(all, 'trial')}, ${formatCount(totals.interleavings, 'distinct interleaving')}`,
    `${totals.success.served} of ${totals.success.asked} pods served; ${instances.leaked} of ${formatCount(instances.created, 'instance')} leaked; ${totals.faults.fired} of ${formatCount(totals.faults.armed, 'fault')} fired`,
    ...crashTotals(report),
    time,
    ...profiles.map((profile) => `${profile.name}: ${resultWord(profile)}, ${profileCounts(profile)}`),
    ...unrequestedProfiles(report),
    ...programLine(run.target.program),
    ...(run.world.unseen ?? []),
  ];
  return [
    ...facts.flatMap((fact) => wrap(fact, width)),
    ...manifestGaps(run.manifests).flatMap((line) => wrap(printable(line), width).map((part) => paint('unknown', part))),
    paint('bold', paint(verdict, `${VERDICT_MARKS[verdict]} ${verdict.toUpperCase()}`)),
  ];
}

function programLine(program: RunReport['run']['target']['program']): string[] {
  if (program === undefined) return [];
  return [printable(`${program.name} ${program.version} was built from ${sourceOf(program)} with ${program.goVersion}`)];
}

/** They are next to the verdict, since a run over manifests may pass although some workloads were never served. */
function manifestGaps(manifests: RunReport['run']['manifests']): string[] {
  const summary = manifests === undefined ? undefined : describeGaps(manifests);
  if (manifests === undefined || summary === undefined) return [];
  const more = manifests.gaps.length - MAX_WORKLOADS;
  return [
    `${summary}${manifests.strict ? ', which --strict does not accept' : '; with --strict, such a run does not pass'}`,
    ...manifests.gaps.slice(0, MAX_WORKLOADS).map((gap) => `  ${describeGap(gap)}`),
    ...(more > 0 ? [`  and ${formatCount(more, 'more workload')}`] : []),
  ];
}

function crashTotals({ totals: { crashPoints: crashed }, scenarios }: RunReport): string[] {
  if (crashed === undefined) return [];
  const { passed, failed, unknown } = crashed;
  const all = passed + failed + unknown;
  if (all === 0) return [];
  const what = scenarios.some(({ crashPoints }) => isUpgraded(crashPoints?.points ?? [])) ? 'upgraded' : 'killed';
  return [`${what} at ${formatCount(all, 'crash point')}: ${passed} passed, ${failed} failed, ${unknown} unknown`];
}
