import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

/** `scaleproof sweep`. */
export function defineSweep(program: Command, { console, finish }: CommandContext): void {
  program
    .command('sweep')
    .description('remove the clusters, containers, processes and folders that killed runs left, and nothing else')
    .option('--dry-run', 'only show them', false)
    .option('--json', 'print JSON', false)
    .action(async (flags: { dryRun: boolean; json: boolean }) => finish(await (await import('./sweep.ts')).sweep(flags, console)));
}
