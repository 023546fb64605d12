import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

/** `scaleproof target`. */
export function defineTarget(program: Command, { console, finish }: CommandContext): void {
  const target = program.command('target').description('build, list and remove Go autoscalers that run inside trials');
  target
    .command('build')
    .description('compile a Go autoscaler to WebAssembly (needs Go; docs/go-targets.md); builds are cached')
    .argument('<program@version>', 'karpenter@1.14.1, karpenter@COMMIT, or with --source karpenter@NAME or cluster-autoscaler@1.36.1')
    .option('--source <dir>', 'build from this checkout')
    .option('--core <dir>', 'with --source: use this checkout of its core module')
    .option('--json', 'print, as JSON, what was built', false)
    .addHelpText('after', '\nExit codes: 0 built, or already built, 1 it does not compile, 2 usage error or no Go, 3 interrupted.')
    .action(async (version: string, flags: { source?: string; core?: string; json: boolean }) =>
      finish(await (await import('./target.ts')).targetBuild(version, flags, console)),
    );
  target
    .command('list')
    .description('list the builds: date, size, Go version, checkout')
    .option('--json', 'print JSON', false)
    .action(async (flags: { json: boolean }) => finish((await import('./target.ts')).targetList(flags, console)));
  target
    .command('prune')
    .description('remove builds')
    .argument('[name]', 'only this version, or directory, as `scaleproof target list` shows it')
    .option('--keep <n>', 'keep the newest n builds of each program')
    .option('--older-than <duration>', 'only builds older than this: 30d, 12h')
    .option('--all', 'everything', false)
    .option('--dry-run', 'only list them', false)
    .option('--json', 'print JSON', false)
    .action(async (name: string | undefined, flags: { keep?: string; olderThan?: string; all: boolean; dryRun: boolean; json: boolean }) =>
      finish((await import('./target.ts')).targetPrune(name, flags, console)),
    );
}
