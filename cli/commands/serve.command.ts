import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { DEFAULT_PORT, REFERENCE, parsePort } from '../options.ts';
import { collect, profileOption, scenarioOption, workersOption } from '../common-options.ts';
import type { Profile } from '../../history/events.ts';

/** `scaleproof serve`. */
export function defineServe(program: Command, { console, finish }: CommandContext): void {
  program
    .command('serve')
    .description('gates for Argo Rollouts, Flagger and Prometheus over HTTP, until Ctrl-C')
    .option('--host <address>', 'where it listens; elsewhere than on this machine SCALEPROOF_TOKEN must be set', '127.0.0.1')
    .addOption(new Option('--port <n>', '0 for any').default(DEFAULT_PORT).argParser(parsePort))
    .option('--baseline <name|./file>', 'where a request names none', REFERENCE)
    .addOption(
      new Option('--target <name|./file>', 'a file that requests may name as a target; may be given again')
        .argParser(collect)
        .default([], 'the bundled targets'),
    )
    .option(
      '--baseline-version <text>',
      'which version the baseline is, an image digest or the like; a request that names another is refused',
    )
    .option('--candidate-version <text>', 'the same of the one --target')
    .option('--policy <file>', 'what is asked of candidates, in YAML (default: docs/gate.md)')
    .option('--state <dir>', 'where verdicts are kept, and episodes of each version of a target, which are not run again')
    .addOption(scenarioOption('id|./file'))
    .addOption(profileOption())
    .addOption(workersOption())
    .option('--out <dir>', 'where a new directory for the gates and their runs is made; the last 20 are kept', 'runs')
    .action(
      async (flags: {
        host: string;
        port: number;
        baseline: string;
        target: string[];
        baselineVersion?: string;
        candidateVersion?: string;
        policy?: string;
        state?: string;
        scenario: string[];
        profile: Profile[];
        workers?: number;
        out?: string;
      }) => {
        const { target: targets, scenario: scenarios, profile: profiles, policy, state, workers, out, ...rest } = flags;
        const versions = { baselineVersion: flags.baselineVersion, candidateVersion: flags.candidateVersion };
        const { serve } = await import('./serve.ts');
        finish(await serve({ ...rest, ...versions, targets, scenarios, profiles, policy, state, workers, out }, console));
      },
    );
}
