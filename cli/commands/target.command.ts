import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

/** `scaleproof target`. */
export function defineTarget(program: Command, { console, finish }: CommandContext): void {
  const target = program
    .command('target')
    .description('autoscalers in Go that run inside trials: build them, see what is built, remove it');
  target
    .command('build')
    .description('compile one for WebAssembly, with the Go that is installed (docs/go-targets.md); what is built is kept and found again')
    .argument('<program@version>', 'karpenter@1.14.1, karpenter@COMMIT, or with --source karpenter@NAME')
    .option('--source <dir>', 'from this checkout of it')
    .option('--core <dir>', 'with this checkout of its core module')
    .option('--json', 'print what was built as JSON', false)
    .addHelpText('after', '\nExit codes: 0 built or found, 1 it does not compile, 2 wrong usage or no Go, 3 interrupted.')
    .action(async (version: string, flags: { source?: string; core?: string; json: boolean }) =>
      finish(await (await import('./target.ts')).targetBuild(version, flags, console)),
    );
  target
    .command('list')
    .description('what is built: when, how large, with which Go')
    .option('--json', 'print JSON', false)
    .action(async (flags: { json: boolean }) => finish((await import('./target.ts')).targetList(flags, console)));
  target
    .command('prune')
    .description('remove what is built')
    .argument('[name]', 'only this version, or folder, as `scaleproof target list` shows it')
    .option('--keep <n>', 'all but the newest so many of each program')
    .option('--older-than <duration>', 'what was built longer ago: 30d, 12h')
    .option('--all', 'everything', false)
    .option('--dry-run', 'only show it', false)
    .option('--json', 'print JSON', false)
    .action(async (name: string | undefined, flags: { keep?: string; olderThan?: string; all: boolean; dryRun: boolean; json: boolean }) =>
      finish((await import('./target.ts')).targetPrune(name, flags, console)),
    );
}
