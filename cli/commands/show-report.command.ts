import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

/** `scaleproof show-report`. */
export function defineShowReport(program: Command, { console, finish }: CommandContext): void {
  program
    .command('show-report')
    .description('open report.html of a run or a gate, or print its address if there is no terminal or no display')
    .argument('[dir]', 'the directory of a run, a gate, a comparison or a matrix (default: the newest in runs/)')
    .action(async (directory: string | undefined) => finish(await (await import('./show-report.ts')).showReport(directory, console)));
}
