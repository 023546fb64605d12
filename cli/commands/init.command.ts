import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { KITS } from '../init/kits.ts';

/** `scaleproof init`. */
export function defineInit(program: Command, { console, finish }: CommandContext): void {
  program
    .command('init')
    .description('write what wires Scaleproof into another system: manifests, a workflow, rules, a dashboard, a project of your own')
    .argument('[what]', KITS.map(({ name }) => name).join(', '))
    .option('--out <dir>', 'where to (default: a folder of its own, for a workflow this one)')
    .option('--force', 'replace files that are there', false)
    .option('--json', 'print JSON', false)
    .action(async (what: string | undefined, { out, force, json }: { out?: string; force: boolean; json: boolean }) =>
      finish((await import('./init.ts')).init(what, { out, force, json }, console)),
    );
}
