import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { parseSeed } from '../options.ts';
import { profileOption, scenarioOption, verboseOption, workersOption } from '../common-options.ts';
import type { Profile } from '../../history/events.ts';

/** `scaleproof gate`. */
export function defineGate(program: Command, { console, finish }: CommandContext): void {
  program
    .command('gate')
    .description('whether a candidate may take the place of its baseline: promote, reject or hold')
    .requiredOption('--baseline <dir|name|./file>', 'what is there: a run directory, or a target, which is then run')
    .requiredOption('--candidate <dir|name|./file>', 'what may take its place, of the same kind')
    .option('--policy <file>', 'what is asked of it, in YAML (default: docs/gate.md)')
    .option('--accept-existing', 'reject only failures that are new, or more frequent than with the baseline', false)
    .option('--state <dir>', 'where episodes of each version of a target accumulate; what is there is not run again')
    .option('--baseline-version <text>', 'with --state, of a target from a file: which version it starts, an image digest or the like')
    .option('--candidate-version <text>', 'the same of the candidate')
    .addOption(scenarioOption('id|./file'))
    .addOption(profileOption())
    .addOption(new Option('--seed <n>', 'seed of the first trial (default: 1)').argParser(parseSeed))
    .addOption(workersOption())
    .option('--out <dir>', 'where gate.json and the runs are written, new or empty (default: a new directory in runs/)')
    .addOption(verboseOption())
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExit codes: 0 promote, 1 reject, 2 wrong usage, 3 hold: nothing is promoted, and nothing rolled back.')
    .action(
      async (flags: {
        baseline: string;
        candidate: string;
        policy?: string;
        acceptExisting: boolean;
        state?: string;
        baselineVersion?: string;
        candidateVersion?: string;
        scenario: string[];
        profile: Profile[];
        seed?: number;
        workers?: number;
        out?: string;
        verbose: boolean;
        json: boolean;
      }) => {
        const {
          scenario: scenarios,
          profile: profiles,
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
        const { gate } = await import('./gate.ts');
        finish(await gate({ ...rest, ...versions, scenarios, profiles, policy, state, seed, workers, out }, { ...console, verbose }));
      },
    );
}
