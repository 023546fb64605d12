import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

/** `scaleproof doctor`. */
export function defineDoctor(program: Command, { console, finish }: CommandContext): void {
  program
    .command('doctor')
    .description('whether everything is here that --world kind needs, and how to mend what is not')
    .option('--json', 'print JSON', false)
    .action(async (flags: { json: boolean }) => finish(await (await import('./doctor.ts')).doctor(flags, console)));
}
