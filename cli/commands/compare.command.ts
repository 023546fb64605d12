import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { COMPARISON_FORMATS, DEFAULT_NODES_FLAG, parseNodes, parseSeed, parseTrials } from '../options.ts';
import { profileOption, scenarioOption, suiteOption, verboseOption, workersOption } from '../common-options.ts';
import type { Profile } from '../../history/events.ts';

/** `scaleproof compare`. */
export function defineCompare(program: Command, { console, finish }: CommandContext): void {
  program
    .command('compare')
    .description('what an upgrade decision needs, side by side: success, latency, utilisation, cost, retries, leaks, each with its bounds')
    .argument('<sides...>', 'run directories, or targets by name or ./file, which are then run: the same scenarios and seeds, in turn')
    .addOption(suiteOption())
    .addOption(profileOption())
    .addOption(scenarioOption('id|./file'))
    .addOption(new Option('--seed <n>', 'seed of the first trial (default: 1)').argParser(parseSeed))
    .addOption(new Option('--trials <n>', 'trials of each scenario, with the seeds that follow (default: 1)').argParser(parseTrials))
    .option('--nodes <n>', 'nodes that scenarios of a free size shall reach (default: 100, the cluster whose cost is told)')
    .addOption(workersOption())
    .option('--out <dir>', 'where compare.html and the runs are written, new or empty (default: a new directory in runs/)')
    .addOption(new Option('--format <name>', 'what is printed').choices(COMPARISON_FORMATS).default('terminal'))
    .addOption(verboseOption())
    .option('--json', 'the same as --format json', false)
    .action(
      async (
        sides: string[],
        flags: {
          suite: string[];
          profile: Profile[];
          scenario: string[];
          seed?: number;
          trials?: number;
          nodes?: string;
          workers?: number;
          out?: string;
          format: (typeof COMPARISON_FORMATS)[number];
          verbose: boolean;
          json: boolean;
        },
      ) => {
        const { suite: suites, profile: profiles, scenario: scenarios, seed, trials, workers, out, verbose } = flags;
        const nodes = flags.nodes === undefined ? undefined : parseNodes(flags.nodes, DEFAULT_NODES_FLAG).count;
        const format = flags.json ? 'json' : flags.format;
        const { compare } = await import('./compare.ts');
        finish(await compare(sides, { suites, profiles, scenarios, seed, trials, nodes, workers, out, format }, { ...console, verbose }));
      },
    );
}
