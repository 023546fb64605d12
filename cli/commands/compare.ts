import { writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { compareTargets } from '../../gate/comparison.ts';
import { letterOf } from '../../gate/comparison/match.ts';
import type { ComparedRun } from '../../gate/comparison/compared-run.ts';
import { DEFAULT_NODES } from '../../harness/trial-spec.ts';
import { unitsForQuantile } from '../../gate/statistics/quantile.ts';
import { CONFIDENCE } from '../../history/confidence.ts';
import { targetComparisonSchema } from '../../history/comparison.ts';
import { defined } from '../../model/defined.ts';
import { unservedOf } from '../../reports/manifests.ts';
import { renderComparison } from '../../reports/html/compare.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { chooseTarget, isChosen } from '../choose.ts';
import type { ScenarioChoice } from '../choose.ts';
import { formatEarlyFigures } from '../compare/early.ts';
import { formatComparisonMarkdown } from '../compare/markdown.ts';
import { readComparedRun } from '../compare/read-run.ts';
import type { IsChosen } from '../compare/read-run.ts';
import { runTargets } from '../compare/run-targets.ts';
import type { NamedTarget, TargetRuns } from '../compare/run-targets.ts';
import { comparedScenarios } from '../compare/scenarios.ts';
import { whyUselessFor } from '../compare/shared.ts';
import { formatTargetComparison } from '../compare/terminal.ts';
import type { Console } from '../console.ts';
import type { COMPARISON_FORMATS } from '../options.ts';
import { selectScenarios } from '../manifests.ts';
import type { Selection } from '../manifests.ts';
import { prepareTarget } from '../prepare-targets.ts';
import { COMPARISON_FILE, createDirectory, isRunDirectory } from '../run-directory.ts';
import { EXIT, UsageError } from '../usage-error.ts';
import { currentScenarioId } from '../../model/former-names.ts';

/** Enough for bounds on the 95th percentile. */
const LATENCY_TRIALS = unitsForQuantile(0.95, 1 - CONFIDENCE);
/** Sides of one comparison: a table with more is not readable. */
const MAX_SIDES = 8;

/** The flags of `compare`, parsed. */
export interface CompareOptions extends ScenarioChoice {
  /** A directory with the user's manifests: only the scenarios made from them run. */
  readonly manifests: string | undefined;
  /** Of the first trial; 1 by default. */
  readonly seed: number | undefined;
  /** By default as many as percentiles need in the scenarios that measure latency, and 1 in all others. */
  readonly trials: number | undefined;
  /** Number of nodes, for scenarios that do not set their own; by default the cluster size whose cost is reported. */
  readonly nodes: number | undefined;
  readonly workers: number | undefined;
  readonly out: string | undefined;
  readonly format: (typeof COMPARISON_FORMATS)[number];
}

/** A side as it was named. */
type Named = { readonly letter: string; readonly directory: string } | NamedTarget;

/**
 * `scaleproof compare A B [C ...]`: run directories are judged and measured again from their histories, targets are run first.
 * @returns the exit code: 3 when the sides have no trial in common
 */
export async function compare(names: readonly string[], options: CompareOptions, console: Console): Promise<number> {
  if (names.length < 2) throw new UsageError('compare needs at least two run directories or targets (name or file)');
  if (names.length > MAX_SIDES) throw new UsageError(`compare takes at most ${MAX_SIDES} at once, not ${names.length}`);
  const sides = names.map((name, index): Named => {
    const letter = letterOf(index);
    return isRunDirectory(name) ? { letter, directory: name } : { letter, target: chooseTarget(name) };
  });
  const directories = sides.flatMap((side) => ('directory' in side ? [side.directory] : []));
  const unprepared = sides.filter((side): side is NamedTarget => 'target' in side);
  if (unprepared.length === 0) refuseRunFlags(options);
  const selection =
    unprepared.length === 0
      ? undefined
      : await selectScenarios(
          options,
          unprepared.map(({ target }) => target),
          console,
        );
  const targets: NamedTarget[] = [];
  for (const { letter, target } of unprepared) targets.push({ letter, target: await prepareTarget(target, console) });
  const startedAt = new Date(createRealTimeline().scope('command').nowMs()).toISOString();
  const out = createDirectory(options.out, { startedAt, prefix: 'compare-' });
  const chosen = selection?.chosen;
  const read = (isRead: IsChosen): ComparedRun[] =>
    sides.map((side) => readComparedRun('directory' in side ? side.directory : join(out, side.letter), isRead));
  if (selection !== undefined) {
    const { workers } = options;
    const first = comparedScenarios(selection.chosen.map(({ scenario }) => scenario.id)).scaleOut.scenarios;
    const runs = {
      chosen: selection.chosen,
      manifests: selection.manifests,
      seed: options.seed ?? 1,
      ...sizesOf(selection, options),
      workers,
      sideNames: 'target' as const,
      first: { scenarios: first, then: () => formatEarlyFigures(compareRuns(read(({ id }) => first.includes(id)))) },
      whyUseless: await whyUselessFor(targets, directories),
    };
    if ((await runTargets(targets, runs, { directory: out, startedAt }, console)).isInterrupted) {
      console.err(`scaleproof: the comparison was interrupted; completed trials are in ${display(out)}\n`);
      return EXIT.unknown;
    }
  }
  const asked =
    chosen === undefined ? new Set(options.scenarios.map(currentScenarioId)) : new Set(chosen.map(({ scenario }) => scenario.id));
  const isCompared: IsChosen = (scenario) =>
    (asked.size === 0 || asked.has(scenario.id)) &&
    (chosen !== undefined || ((options.suites.length === 0 || options.suites.includes(scenario.suite)) && isChosen(scenario, options)));
  const runs = read(isCompared);
  refuseMixedTime(runs);
  const compared = compareRuns(runs);
  const unserved = unservedOf(selection?.manifests);
  const unservedTexts = unserved && [`${unserved.summary}:`, ...unserved.gaps];
  const comparison = targetComparisonSchema.parse({ ...compared, ...defined({ unserved: unservedTexts }) });
  const markdown = formatComparisonMarkdown(comparison);
  const json = `${JSON.stringify(comparison, undefined, 2)}\n`;
  writeFileSync(join(out, COMPARISON_FILE), json);
  writeFileSync(join(out, 'compare.md'), markdown);
  writeFileSync(join(out, 'compare.html'), renderComparison(comparison));
  switch (options.format) {
    case 'json':
      console.out(json);
      break;
    case 'markdown':
      console.out(markdown);
      break;
    case 'terminal':
      console.out(formatTargetComparison(comparison, { color: console.color, columns: console.columns }));
      console.out(`\nComparison: ${display(join(out, 'compare.html'))}\n`);
  }
  return comparison.compared.trials === 0 ? EXIT.unknown : EXIT.pass;
}

function compareRuns(runs: readonly ComparedRun[]): ReturnType<typeof compareTargets> {
  const ids = new Set(runs.flatMap(({ trials }) => trials.map(({ episode }) => episode.scenario)));
  return compareTargets(runs.map(named), comparedScenarios(ids));
}

/** How many nodes and seeds each scenario gets. */
function sizesOf(
  { chosen, nodes: least }: Selection,
  { nodes, trials }: Pick<CompareOptions, 'nodes' | 'trials'>,
): Pick<TargetRuns, 'nodesOf' | 'trialsOf'> {
  const { scaleOut, cost } = comparedScenarios(chosen.map(({ scenario }) => scenario.id));
  return {
    nodesOf: (id) => Math.max(least, nodes ?? (cost.scenarios.includes(id) ? (cost.nodes ?? DEFAULT_NODES) : DEFAULT_NODES)),
    trialsOf: (id) => trials ?? (scaleOut.scenarios.includes(id) ? LATENCY_TRIALS : 1),
  };
}

/** @throws UsageError for a flag that does not apply to existing runs */
function refuseRunFlags(options: CompareOptions): void {
  for (const name of ['manifests', 'seed', 'trials', 'nodes', 'workers'] as const) {
    if (options[name] !== undefined) throw new UsageError(`--${name} applies only to targets, and these are run directories: leave it out`);
  }
}

/** @throws UsageError when some runs were in virtual and others in real time: their seconds are not comparable */
function refuseMixedTime(runs: readonly ComparedRun[]): void {
  const odd = runs.findIndex(({ time }) => time !== runs[0]?.time);
  const [a, b] = [runs[0], runs[odd]];
  if (a === undefined || b === undefined) return;
  throw new UsageError(
    `A (${a.target}) ran in ${a.time} time and ${letterOf(odd)} (${b.target}) in ${b.time} time, so they can't be compared. ` +
      'Run both in one world: `scaleproof compare-worlds` compares worlds.',
  );
}

/** A run whose directory is relative to the working directory. */
function named(run: ComparedRun): ComparedRun {
  return { ...run, directory: display(resolve(run.directory)) };
}

function display(path: string): string {
  return relative('.', path) || '.';
}
