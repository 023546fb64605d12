import { Argument } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { examplesText } from '../help.ts';
import { KITS } from '../init/kits.ts';
import type { Settings } from '../init/kits.ts';

const EXAMPLES = [
  {
    line: 'init github-actions --target karpenter@1.14.1 --baseline karpenter@1.14.0',
    does: 'a workflow that gates an upgrade',
  },
  { line: 'init playwright --target ./target.yaml', does: 'a project that tests a program of yours' },
  { line: 'init grafana', does: 'a dashboard, which needs no target' },
];

const WHAT = new Argument('[what]', 'the system')
  .choices(KITS.map(({ name }) => name))
  // The choices are for help and completion. `init` itself refuses others, and says which one was meant.
  .argParser((name: string) => name);

/** `scaleproof init`. */
export function defineInit(program: Command, { console, finish }: CommandContext): void {
  program
    .command('init')
    .description('write the files that integrate Scaleproof with another system: manifests, a workflow, rules, a dashboard, a project')
    .addArgument(WHAT)
    .option('--target <name|./file>', 'the autoscaler to test; required for systems that run tests or a gate')
    .option('--baseline <name|./file>', 'the version in production: a gate compares the target with it')
    .option(
      '--manifests <dir>',
      'test with your own node pools and workloads instead of the bundled scenarios (argo, flagger, github-actions)',
    )
    .option('--out <dir>', 'output directory (default: a new one; for a workflow the current one)')
    .option('--force', 'overwrite existing files', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', examplesText(EXAMPLES))
    .action(async (what: string | undefined, { out, force, json, ...given }: Settings & { out?: string; force: boolean; json: boolean }) =>
      finish((await import('./init.ts')).init(what, { out, given, force, json }, console)),
    );
}
