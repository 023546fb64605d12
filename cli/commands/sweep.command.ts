import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

/** `scaleproof sweep`. */
export function defineSweep(program: Command, { console, finish }: CommandContext): void {
  program
    .command('sweep')
    .description('remove the clusters, containers, processes and directories that killed runs left behind')
    .option('--dry-run', 'only list them', false)
    .option('--json', 'print JSON', false)
    .action(async (flags: { dryRun: boolean; json: boolean }) => finish(await (await import('./sweep.ts')).sweep(flags, console)));
}
