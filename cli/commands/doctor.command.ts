import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

/** `scaleproof doctor`. */
export function defineDoctor(program: Command, { console, finish }: CommandContext): void {
  program
    .command('doctor')
    .description('check that everything --world kind needs is installed, and say how to install what is missing')
    .option('--json', 'print JSON', false)
    .action(async (flags: { json: boolean }) => finish(await (await import('./doctor.ts')).doctor(flags, console)));
}
