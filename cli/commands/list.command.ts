import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

/** `scaleproof list`. */
export function defineList(program: Command, { console, finish }: CommandContext): void {
  program
    .command('list')
    .description('show what there is: suites, scenarios, requirements, faults, checks, targets')
    .argument('[what]', 'suites, scenarios, requirements, faults, checks or targets')
    .argument('[name]', 'only those with this in their names')
    .option('--json', 'print an array of objects', false)
    .action(async (what: string | undefined, name: string | undefined, flags: { json: boolean }) =>
      finish((await import('./list.ts')).list(what, name, flags, console)),
    );
}
