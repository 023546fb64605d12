import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { DEFAULT_SEEDS, parseSeeds } from '../options.ts';
import { collect, scenarioOption, verboseOption, workersOption } from '../common-options.ts';

/** `scaleproof mutants`. */
export function defineMutants(program: Command, { console, finish }: CommandContext): void {
  program
    .command('mutants')
    .description(
      'run planted bugs through the scenarios: check that each is caught as declared, and list checks, scenarios, faults and bounds that make no difference',
    )
    .addOption(new Option('--mutant <name>', 'only this mutant; may be repeated').argParser(collect).default([], 'all'))
    .addOption(scenarioOption('id'))
    .addOption(
      new Option('--seeds <n>', 'number of seeds for mutants that only some seeds expose; other mutants get three')
        .default(DEFAULT_SEEDS)
        .argParser(parseSeeds),
    )
    .option('--all', 'every mutant in every scenario, which takes about four times as long', false)
    .addOption(workersOption())
    .option('--out <dir>', 'directory for mutants.json, new or empty (default: a new one in runs/)')
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
