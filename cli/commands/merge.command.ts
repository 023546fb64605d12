import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { verboseOption } from '../common-options.ts';

/** `scaleproof merge`. */
export function defineMerge(program: Command, { console, finish }: CommandContext): void {
  program
    .command('merge')
    .description('join the directories of all shards of a run, a gate or a matrix, and judge them as one')
    .argument('<dirs...>', 'the directories of the shards, in any order')
    .option('--out <dir>', 'the joined directory, new or empty (default: a new one in runs/)')
    .addOption(verboseOption())
    .option('--json', 'print the report, or the decision of a gate, as JSON', false)
    .action(async (directories: string[], { out, verbose, json }: { out?: string; verbose: boolean; json: boolean }) =>
      finish(await (await import('./merge.ts')).merge(directories, { out, json }, { ...console, verbose })),
    );
}
