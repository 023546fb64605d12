import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { REFERENCE, parseTrials } from '../options.ts';
import { scenarioOption, verboseOption } from '../common-options.ts';

/** `scaleproof bench`. */
export function defineBench(program: Command, { console, finish }: CommandContext): void {
  program
    .command('bench')
    .description('measure what trials of a target cost: processor time, events per second, time until ready, memory')
    .option('--target <name|./file>', 'the autoscaler to measure', REFERENCE)
    .addOption(scenarioOption('id'))
    .addOption(new Option('--trials <n>', 'trials of each scenario, with seeds from 1').default(1).argParser(parseTrials))
    .addOption(verboseOption())
    .option('--json', 'print JSON', false)
    .action(
      async ({ scenario, verbose, ...rest }: { scenario: string[]; target: string; trials: number; verbose: boolean; json: boolean }) =>
        finish(await (await import('./bench.ts')).bench({ ...rest, scenarios: scenario }, { ...console, verbose })),
    );
}
