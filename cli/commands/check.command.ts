import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { collect, verboseOption } from '../common-options.ts';

/** `scaleproof check`. */
export function defineCheck(program: Command, { console, finish }: CommandContext): void {
  program
    .command('check')
    .description('judge a run directory again from its files, and rewrite its reports')
    .argument('<dir>', 'the run directory')
    .addOption(
      new Option('--check <./file>', 'add the checks in this file; may be repeated').argParser(collect).default([], 'the built-in checks'),
    )
    .addOption(verboseOption())
    .option('--json', 'print the report as JSON', false)
    .action(async (directory: string, { check: checks, verbose, json }: { check: readonly string[]; verbose: boolean; json: boolean }) =>
      finish(await (await import('./check.ts')).check(directory, { checks, json }, { ...console, verbose })),
    );
}
