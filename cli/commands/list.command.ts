import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

/** `scaleproof list`. */
export function defineList(program: Command, { console, finish }: CommandContext): void {
  program
    .command('list')
    .description('list suites, scenarios, requirements, faults, checks or targets')
    .argument('[what]', 'suites, scenarios, requirements, faults, checks or targets')
    .argument('[name]', 'only entries whose name contains this')
    .option('--json', 'print an array of objects', false)
    .action(async (what: string | undefined, name: string | undefined, flags: { json: boolean }) =>
      finish((await import('./list.ts')).list(what, name, flags, console)),
    );
}
