import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { verboseOption, workersOption } from '../common-options.ts';

/** `scaleproof canary`. */
export function defineCanary(program: Command, { console, finish }: CommandContext): void {
  program
    .command('canary')
    .description('run a staged rollout that stops when a stage fails: stages, probes, soak times, deploy and rollback hooks')
    .requiredOption('--plan <file>', 'the plan, in YAML (docs/canary.md)')
    .option('--state <dir>', 'directory for its journal and runs (default: runs/canary-NAME)')
    .option('--dry-run', 'only show what would be done', false)
    .option('--resume', 'continue a canary that was killed or held', false)
    .option('--rollback', 'roll back a canary that was killed or held', false)
    .addOption(workersOption())
    .addOption(verboseOption())
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExit codes: 0 rolled out, 1 rolled back, 2 usage error, 3 held or interrupted: resume it or roll it back.')
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
