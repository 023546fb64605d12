import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { verboseOption, workersOption } from '../common-options.ts';

/** `scaleproof canary`. */
export function defineCanary(program: Command, { console, finish }: CommandContext): void {
  program
    .command('canary')
    .description('a staged rollout that stops by itself: stages, probes, soak times, and hooks that deploy and roll back')
    .requiredOption('--plan <file>', 'in YAML: docs/canary.md')
    .option('--state <dir>', 'where its journal and runs are kept (default: runs/canary-NAME)')
    .option('--dry-run', 'only show what would be done', false)
    .option('--resume', 'go on with one that was killed, or held', false)
    .option('--rollback', 'undo one that was killed, or held', false)
    .addOption(workersOption())
    .addOption(verboseOption())
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      '\nExit codes: 0 rolled out, 1 rolled back, 2 wrong usage, 3 held or interrupted: it can go on, or be rolled back.',
    )
    .action(
      async ({
        state,
        workers,
        verbose,
        ...rest
      }: {
        plan: string;
        state?: string;
        dryRun: boolean;
        resume: boolean;
        rollback: boolean;
        workers?: number;
        verbose: boolean;
        json: boolean;
      }) => finish(await (await import('./canary.ts')).canary({ ...rest, state, workers }, { ...console, verbose })),
    );
}
