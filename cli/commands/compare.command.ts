import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { COMPARISON_FORMATS, parseNodeCount, parseSeed, parseTrials } from '../options.ts';
import {
  configOption,
  grepInvertOption,
  grepOption,
  profileOption,
  scenarioOption,
  suiteOption,
  verboseOption,
  workersOption,
} from '../common-options.ts';
import type { Profile } from '../../history/events.ts';

/** `scaleproof compare`. */
export function defineCompare(program: Command, { console, finish }: CommandContext): void {
  program
    .command('compare')
    .description('compare versions side by side: success, latency, utilisation, cost, retries, leaks, each with its confidence bounds')
    .argument('<sides...>', 'run directories, or targets (name or ./file), which are run with the same scenarios and seeds')
    .addOption(suiteOption())
    .addOption(profileOption())
    .addOption(scenarioOption('id|./file'))
    .option('--manifests <dir>', 'only scenarios made from the manifests in this directory: node pools, workloads, budgets')
    .addOption(grepOption())
    .addOption(grepInvertOption())
    .addOption(new Option('--seed <n>', 'seed of the first trial (default: 1)').argParser(parseSeed))
    .addOption(
      new Option(
        '--trials <n>',
        'trials of each scenario, with consecutive seeds (default: 59 where latency is measured, for its p95: they run first; else 1)',
      ).argParser(parseTrials),
    )
    .option(
      '--nodes <n>',
      'number of nodes, for scenarios that do not set their own (default: 100, the cluster size whose cost is reported)',
    )
    .addOption(workersOption())
    .addOption(configOption())
    .option('--out <dir>', 'directory for compare.html and the runs, new or empty (default: a new one in runs/)')
    .addOption(new Option('--format <name>', 'output format').choices(COMPARISON_FORMATS).default('terminal'))
    .addOption(verboseOption())
    .option('--json', 'same as --format json', false)
    .action(
      async (
        sides: string[],
        flags: {
          suite: string[];
          profile: Profile[];
          scenario: string[];
          manifests?: string;
          grep?: RegExp;
          grepInvert?: RegExp;
          seed?: number;
          trials?: number;
          nodes?: string;
          workers?: number;
          out?: string;
          format: (typeof COMPARISON_FORMATS)[number];
          verbose: boolean;
          json: boolean;
        },
        command: Command,
      ) => {
        const { applyConfig } = await import('../apply-config.ts');
        const { isRunDirectory } = await import('../run-directory.ts');
        // It has defaults for targets that are run.
        if (!sides.every(isRunDirectory)) await applyConfig(command);
        const { suite: suites, profile: profiles, scenario: scenarios, manifests, grep, grepInvert } = flags;
        const { seed, trials, workers, out, verbose } = flags;
        const choice = { suites, profiles, scenarios, manifests, grep, grepInvert };
        const nodes = flags.nodes === undefined ? undefined : parseNodeCount(flags.nodes);
        const format = flags.json ? 'json' : flags.format;
        const { compare } = await import('./compare.ts');
        finish(await compare(sides, { ...choice, seed, trials, nodes, workers, out, format }, { ...console, verbose }));
      },
    );
}
