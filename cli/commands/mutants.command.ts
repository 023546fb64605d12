import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { DEFAULT_SEEDS, parseSeeds } from '../options.ts';
import { collect, scenarioOption, verboseOption, workersOption } from '../common-options.ts';

/** `scaleproof mutants`. */
export function defineMutants(program: Command, { console, finish }: CommandContext): void {
  program
    .command('mutants')
    .description('run planted bugs through the scenarios: whether each is caught as it declared, and what mattered to no verdict')
    .addOption(new Option('--mutant <name>', 'only this mutant; may be given again').argParser(collect).default([], 'all'))
    .addOption(scenarioOption('id'))
    .addOption(
      new Option('--seeds <n>', 'seeds of a mutant that some seeds expose, in its scenario; of others three')
        .default(DEFAULT_SEEDS)
        .argParser(parseSeeds),
    )
    .option('--all', 'every mutant in every scenario, which takes about four times as long', false)
    .addOption(workersOption())
    .option('--out <dir>', 'where mutants.json is written, new or empty (default: a new directory in runs/)')
    .addOption(verboseOption())
    .option('--json', 'print the report as JSON', false)
    .action(
      async ({
        mutant,
        scenario,
        workers,
        out,
        verbose,
        ...rest
      }: {
        mutant: string[];
        scenario: string[];
        seeds: number;
        all: boolean;
        workers?: number;
        out?: string;
        verbose: boolean;
        json: boolean;
      }) =>
        finish(
          await (
            await import('./mutants.ts')
          ).mutants({ ...rest, mutants: mutant, scenarios: scenario, workers, out }, { ...console, verbose }),
        ),
    );
}
