import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { KITS } from '../init/kits.ts';

/** `scaleproof init`. */
export function defineInit(program: Command, { console, finish }: CommandContext): void {
  program
    .command('init')
    .description('write the files that integrate Scaleproof with another system: manifests, a workflow, rules, a dashboard, a project')
    .argument('[what]', KITS.map(({ name }) => name).join(', '))
    .option('--out <dir>', 'output folder (default: a new folder; for a workflow this one)')
    .option('--force', 'overwrite existing files', false)
    .option('--json', 'print JSON', false)
    .action(async (what: string | undefined, { out, force, json }: { out?: string; force: boolean; json: boolean }) =>
      finish((await import('./init.ts')).init(what, { out, force, json }, console)),
    );
}
