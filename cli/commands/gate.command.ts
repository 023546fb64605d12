import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { parseSeed } from '../options.ts';
import {
  configOption,
  grepInvertOption,
  grepOption,
  profileOption,
  scenarioOption,
  shardOption,
  suiteOption,
  verboseOption,
  workersOption,
} from '../common-options.ts';
import type { Profile } from '../../history/events.ts';
import type { Shard } from '../../reports/report-input.ts';
import { UsageError } from '../usage-error.ts';

/** @throws UsageError: neither the command line nor a configuration file has it */
function required(name: string): never {
  throw new UsageError(`gate needs a ${name}: pass --${name}, or set \`${name}\` in the configuration file`);
}

/** `scaleproof gate`. */
export function defineGate(program: Command, { console, finish }: CommandContext): void {
  program
    .command('gate')
    .description('decide whether a candidate can replace its baseline: promote, reject or hold')
    .option('--baseline <dir|name|./file>', 'the current version: a run directory, or a target to run (required)')
    .option('--candidate <dir|name|./file>', 'the new version: a run directory, or a target to run (required)')
    .option('--policy <file>', 'the policy, in YAML (defaults: docs/gate.md)')
    .option('--accept-existing', 'reject only for failures that are new, or more frequent than with the baseline', false)
    .option('--state <dir>', 'directory that keeps the results of each target version, so that its trials are not run again')
    .option('--baseline-version <text>', 'with --state, for a target from a file: the version it starts, e.g. an image digest')
    .option('--candidate-version <text>', 'the same for the candidate')
    .addOption(suiteOption())
    .addOption(profileOption())
    .addOption(scenarioOption('id|./file'))
    .option('--manifests <dir>', 'only scenarios made from the manifests in this directory: node pools, workloads, budgets')
    .option('--strict', 'with --manifests: do not run the gate if a workload cannot, or might not, be served', false)
    .addOption(grepOption())
    .addOption(grepInvertOption())
    .addOption(new Option('--seed <n>', 'seed of the first trial (default: 1)').argParser(parseSeed))
    .addOption(workersOption())
    .addOption(shardOption())
    .addOption(configOption())
    .option('--out <dir>', 'directory for report.html, gate.json and the runs, new or empty (default: a new one in runs/)')
    .addOption(verboseOption())
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExit codes: 0 promote, 1 reject, 2 usage error, 3 hold: do not promote, and do not roll back.')
    .action(
      async (
        flags: {
          baseline?: string;
          candidate?: string;
          policy?: string;
          acceptExisting: boolean;
          state?: string;
          baselineVersion?: string;
          candidateVersion?: string;
          suite: string[];
          scenario: string[];
          profile: Profile[];
          manifests?: string;
          strict: boolean;
          grep?: RegExp;
          grepInvert?: RegExp;
          seed?: number;
          workers?: number;
          shard?: Shard;
          out?: string;
          verbose: boolean;
          json: boolean;
        },
        command: Command,
      ) => {
        const { applyConfig } = await import('../apply-config.ts');
        const { isRunDirectory } = await import('../run-directory.ts');
        // Most fields are for targets that are run.
        await applyConfig(command, ({ baseline }) =>
          isRunDirectory(flags.baseline ?? baseline ?? '') ? ['baseline', 'candidate', 'policy'] : undefined,
        );
        const { baseline = required('baseline'), candidate = required('candidate') } = flags;
        const {
          suite: suites,
          scenario: scenarios,
          profile: profiles,
          manifests,
          grep,
          grepInvert,
          policy,
          state,
          seed,
          workers,
          out,
          baselineVersion,
          candidateVersion,
          verbose,
          ...rest
        } = flags;
        const versions = { baselineVersion, candidateVersion };
        const choice = { suites, scenarios, profiles, manifests, grep, grepInvert };
        const { gate } = await import('./gate.ts');
        finish(
          await gate({ ...rest, baseline, candidate, ...versions, ...choice, policy, state, seed, workers, out }, { ...console, verbose }),
        );
      },
    );
}
