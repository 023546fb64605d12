import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { workersOption } from '../common-options.ts';
import { examplesText } from '../help.ts';
import type { Example } from '../help.ts';
import { REFERENCE, parseFor, parseMaxCorpus, parseMaxFindings, parseSearchTrials, parseSeed } from '../options.ts';

/** The flags of `explore`, parsed. */
interface ExploreFlags {
  readonly target: string;
  /** In milliseconds. */
  readonly for?: number;
  readonly trials?: number;
  readonly maxFindings?: number;
  readonly seed: number;
  readonly corpus?: string;
  readonly maxCorpus?: number;
  readonly asDrawn: boolean;
  readonly shrink?: string;
  readonly known?: string;
  readonly out?: string;
  readonly workers?: number;
  readonly export?: string;
  readonly json: boolean;
}

const EXAMPLES: readonly Example[] = [
  { line: 'explore --target karpenter@1.14.1 --for 20m', does: 'search for twenty minutes' },
  { line: 'explore --target mutant:token-lost-in-crash --trials 2000 --seed 7', does: 'the same search each time' },
  { line: 'explore --known runs/explore-2026-11-28/findings.json', does: 'only tell what that search did not find' },
  { line: 'explore --target karpenter@1.14.1 --for 1h --as-drawn', does: 'look at more scenarios where trials are slow' },
  { line: 'explore --target karpenter@1.14.1 --shrink ./drawn.json', does: 'make one of those that failed smaller' },
  { line: 'run --scenario runs/explore-2026-11-28/scenarios/not-settled-12.json', does: 'run what was found once more' },
  { line: 'explore --export runs/explore-2026-11-28/scenarios/not-settled-12.json', does: 'print it as a TypeScript scenario' },
];

/** `scaleproof explore`. */
export function defineExplore(program: Command, { console, finish }: CommandContext): void {
  program
    .command('explore')
    .description('search for failures in generated scenarios, and reduce each to the smallest scenario that shows it')
    .option('--target <name|./file>', 'the autoscaler to test', REFERENCE)
    .addOption(new Option('--for <duration>', 'how long to search, as 90s, 20m or 2h (default: 10m)').argParser(parseFor))
    .addOption(
      new Option('--trials <n>', 'how many trials to search, instead of a duration: repeatable')
        .argParser(parseSearchTrials)
        .conflicts('for'),
    )
    .addOption(new Option('--max-findings <n>', 'end the search after n findings').argParser(parseMaxFindings))
    .addOption(new Option('--seed <n>', 'seed of the search').default(1).argParser(parseSeed))
    .option('--corpus <dir>', 'directory that keeps scenarios that reached something new, and starts with those in it')
    .addOption(
      new Option('--max-corpus <n>', 'in the end keep n scenarios there at most, those that reach the most for what they cost').argParser(
        parseMaxCorpus,
      ),
    )
    .option('--as-drawn', 'do not make failures smaller: tell up to ten of each code as they were drawn', false)
    .addOption(
      new Option('--shrink <./file.json>', 'only make this scenario smaller, as long as it fails in the same way').conflicts([
        'trials',
        'maxFindings',
        'corpus',
        'maxCorpus',
        'asDrawn',
        'known',
      ]),
    )
    .option('--known <file>', 'findings.json of an earlier search: what it lists is counted, but not reported again')
    .option('--out <dir>', 'directory for findings, new or empty (default: a new one in runs/)')
    .addOption(workersOption())
    .option('--export <./file.json>', 'only print this scenario as TypeScript')
    .option('--json', 'print the findings as JSON', false)
    .addHelpText(
      'after',
      `${examplesText(EXAMPLES)}\n\nExit codes: 0 nothing new found, 1 found, 2 usage error, 3 interrupted before anything was found, or no trial could be judged.`,
    )
    .action(async ({ for: forMs, export: exported, ...flags }: ExploreFlags) => {
      const { explore, printSource } = await import('./explore.ts');
      finish(exported === undefined ? await explore({ ...flags, forMs }, console) : printSource(exported, console));
    });
}
