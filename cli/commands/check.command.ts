import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { collect, verboseOption } from '../common-options.ts';

/** `scaleproof check`. */
export function defineCheck(program: Command, { console, finish }: CommandContext): void {
  program
    .command('check')
    .description('recompute every verdict and report of a run directory from its files alone')
    .argument('<dir>', 'the run directory')
    .addOption(
      new Option('--check <./file>', 'also the checks of your file; may be given again').argParser(collect).default([], 'those there are'),
    )
    .addOption(verboseOption())
    .option('--json', 'print the report as JSON', false)
    .action(async (directory: string, { check: checks, verbose, json }: { check: readonly string[]; verbose: boolean; json: boolean }) =>
      finish(await (await import('./check.ts')).check(directory, { checks, json }, { ...console, verbose })),
    );
}
