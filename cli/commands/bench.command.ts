import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { REFERENCE, parseNodeCount, parseTrials } from '../options.ts';
import { scenarioOption, verboseOption } from '../common-options.ts';

interface Options {
  readonly scenario: string[];
  readonly target: string;
  readonly trials: number;
  readonly nodes?: number;
  readonly verbose: boolean;
  readonly json: boolean;
}

/** `scaleproof bench`. */
export function defineBench(program: Command, { console, finish }: CommandContext): void {
  program
    .command('bench')
    .description('measure what trials of a target cost: processor time, events per second, time until ready, memory')
    .option('--target <name|./file>', 'the autoscaler to measure', REFERENCE)
    .addOption(scenarioOption('id'))
    .addOption(new Option('--trials <n>', 'trials of each scenario, with seeds from 1').default(1).argParser(parseTrials))
    .addOption(new Option('--nodes <n>', 'number of nodes, for scenarios that do not set their own').argParser(parseNodeCount))
    .addOption(verboseOption())
    .option('--json', 'print JSON', false)
    .action(async ({ scenario, verbose, ...rest }: Options) => {
      const { bench } = await import('./bench.ts');
      finish(await bench({ ...rest, scenarios: scenario }, { ...console, verbose }));
    });
}
