import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { DEFAULT_PORT, REFERENCE, parsePort } from '../options.ts';
import {
  collect,
  configOption,
  grepInvertOption,
  grepOption,
  profileOption,
  scenarioOption,
  suiteOption,
  workersOption,
} from '../common-options.ts';
import type { Profile } from '../../history/events.ts';

/** `scaleproof serve`. */
export function defineServe(program: Command, { console, finish }: CommandContext): void {
  program
    .command('serve')
    .description('serve gates over HTTP for Argo Rollouts, Flagger and Prometheus, until Ctrl-C')
    .option('--host <address>', 'address to listen on; any address other than loopback requires SCALEPROOF_TOKEN', '127.0.0.1')
    .addOption(new Option('--port <n>', 'port to listen on; 0 picks a free one').default(DEFAULT_PORT).argParser(parsePort))
    .option('--baseline <name|./file>', 'baseline for requests that do not name one', REFERENCE)
    .addOption(
      new Option('--target <name|./file>', 'a file that requests may name as a target; may be repeated')
        .argParser(collect)
        .default([], 'the bundled targets'),
    )
    .option('--baseline-version <text>', 'the version of the baseline, e.g. an image digest; requests that name another are refused')
    .option('--candidate-version <text>', 'the version of the target, if exactly one --target is given')
    .option('--policy <file>', 'the policy, in YAML (defaults: docs/gate.md)')
    .option('--state <dir>', 'directory that keeps verdicts, and the results of each target version, so that its trials are not run again')
    .addOption(suiteOption())
    .addOption(profileOption())
    .addOption(scenarioOption('id|./file'))
    .option('--manifests <dir>', 'only scenarios made from the manifests in this directory')
    .option('--strict', 'with --manifests: do not start if a workload cannot, or might not, be served', false)
    .addOption(grepOption())
    .addOption(grepInvertOption())
    .addOption(workersOption())
    .addOption(configOption())
    .option('--out <dir>', 'parent of a new directory for the gates and their runs; the last 20 are kept', 'runs')
    .action(
      async (
        flags: {
          host: string;
          port: number;
          baseline: string;
          target: string[];
          baselineVersion?: string;
          candidateVersion?: string;
          policy?: string;
          state?: string;
          suite: string[];
          scenario: string[];
          profile: Profile[];
          manifests?: string;
          strict: boolean;
          grep?: RegExp;
          grepInvert?: RegExp;
          workers?: number;
          out?: string;
        },
        command: Command,
      ) => {
        const { applyConfig } = await import('../apply-config.ts');
        // Requests name the candidate and the seed.
        await applyConfig(command, () => [
          'baseline',
          'suites',
          'scenarios',
          'manifests',
          'strict',
          'grep',
          'grepInvert',
          'profiles',
          'workers',
          'policy',
        ]);
        const { target: targets, suite: suites, scenario: scenarios, profile: profiles, ...rest } = flags;
        const { manifests, grep, grepInvert, policy, state, workers, out } = flags;
        const versions = { baselineVersion: flags.baselineVersion, candidateVersion: flags.candidateVersion };
        const { serve } = await import('./serve.ts');
        const choice = { suites, scenarios, profiles, manifests, grep, grepInvert };
        finish(await serve({ ...rest, ...versions, ...choice, targets, policy, state, workers, out }, console));
      },
    );
}
