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
    .description('serve gates over HTTP for Argo Rollouts, Flagger and Prometheus, until Ctrl-C')
    .option('--host <address>', 'address to listen on; any address other than loopback requires SCALEPROOF_TOKEN', '127.0.0.1')
    .addOption(new Option('--port <n>', '0 for any').default(DEFAULT_PORT).argParser(parsePort))
    .option('--baseline <name|./file>', 'the baseline of requests that name none', REFERENCE)
    .addOption(
      new Option('--target <name|./file>', 'a file that requests may name as a target; may be repeated')
        .argParser(collect)
        .default([], 'the bundled targets'),
    )
    .option('--baseline-version <text>', 'the version of the baseline, e.g. an image digest; requests that name another are refused')
    .option('--candidate-version <text>', 'the version of the target, if exactly one --target is given')
    .option('--policy <file>', 'the policy, in YAML (defaults: docs/gate.md)')
    .option('--state <dir>', 'directory that keeps verdicts, and the episodes of each target version, so that they are not run again')
    .addOption(scenarioOption('id|./file'))
    .addOption(profileOption())
    .option('--manifests <dir>', 'only the scenarios over the manifests in this directory')
    .addOption(workersOption())
    .option('--out <dir>', 'parent of a new directory for the gates and their runs; the last 20 are kept', 'runs')
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
        manifests?: string;
        workers?: number;
        out?: string;
      }) => {
        const { target: targets, scenario: scenarios, profile: profiles, manifests, policy, state, workers, out, ...rest } = flags;
        const versions = { baselineVersion: flags.baselineVersion, candidateVersion: flags.candidateVersion };
        const { serve } = await import('./serve.ts');
        finish(await serve({ ...rest, ...versions, targets, scenarios, profiles, manifests, policy, state, workers, out }, console));
      },
    );
}
