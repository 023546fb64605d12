import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { REFERENCE, parseSeed } from '../options.ts';
import { runDirectoryOption, verboseOption, workersOption } from '../common-options.ts';

/** `scaleproof crash-points`. */
export function defineCrashPoints(program: Command, { console, finish }: CommandContext): void {
  program
    .command('crash-points')
    .description('kill the target before and after each of its side effects in a scenario, one trial for each')
    .addOption(new Option('--scenario <id|./file>', 'the scenario (required)').makeOptionMandatory())
    .option('--target <name|./file>', 'the autoscaler to test', REFERENCE)
    .addOption(new Option('--seed <n>', 'seed of all trials').default(1).argParser(parseSeed))
    .addOption(runDirectoryOption())
    .addOption(workersOption())
    .addOption(verboseOption())
    .option('--json', 'print the report as JSON', false)
    .action(
      async ({
        out,
        workers,
        verbose,
        ...rest
      }: {
        scenario: string;
        target: string;
        seed: number;
        out?: string;
        workers?: number;
        verbose: boolean;
        json: boolean;
      }) => finish(await (await import('./crash-points.ts')).crashPoints({ ...rest, out, workers }, { ...console, verbose })),
    );
}
