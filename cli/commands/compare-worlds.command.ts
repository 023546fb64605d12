import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { QUICK_REFERENCE, parseSeed, parseTrials } from '../options.ts';
import { nodesOption, scenarioOption, suiteOption, verboseOption } from '../common-options.ts';
import { EC2_KINDS } from '../choose-ec2.ts';
import { WORLDS } from '../choose-world.ts';
import { UsageError } from '../usage-error.ts';
import type { NodesFlag } from '../options.ts';

/** `scaleproof compare-worlds`. */
export function defineCompareWorlds(program: Command, { console, finish }: CommandContext): void {
  program
    .command('compare-worlds')
    .description('compare a real cluster with the embedded world: verdicts, and how long each phase takes')
    .argument('[runs...]', 'two run directories to compare; without them both worlds are run')
    .addOption(new Option('--world <name>', 'the real cluster to run in').choices(['kind', 'existing']))
    .option('--kubeconfig <file>', 'administrator kubeconfig of the cluster, for --world existing')
    .addOption(new Option('--ec2 <name>', 'EC2 and SQS of the real cluster (default: embedded)').choices(EC2_KINDS))
    .option('--aws-endpoint <url>', 'URL of a running LocalStack')
    .option('--yes', 'skip the confirmation, for --world existing')
    .option('--keep', 'keep the cluster, for --world kind', false)
    .option('--reuse <cluster>', 'use an existing kind cluster, and keep it')
    .addOption(suiteOption())
    .addOption(scenarioOption('id'))
    .option('--target <name|./file>', 'the autoscaler to run', QUICK_REFERENCE)
    .addOption(new Option('--seed <n>', 'seed of the first trial').default(1).argParser(parseSeed))
    .addOption(new Option('--trials <n>', 'trials of each scenario, with consecutive seeds').default(1).argParser(parseTrials))
    .addOption(nodesOption())
    .option('--out <dir>', 'directory for both run directories (default: a new one in runs/)')
    .addOption(verboseOption())
    .option('--json', 'print the comparison as JSON', false)
    .action(
      async (
        runs: string[],
        flags: {
          world?: Exclude<(typeof WORLDS)[number], 'embedded'>;
          kubeconfig?: string;
          ec2?: (typeof EC2_KINDS)[number];
          awsEndpoint?: string;
          yes?: boolean;
          keep: boolean;
          reuse?: string;
          suite: string[];
          scenario: string[];
          target: string;
          seed: number;
          trials: number;
          nodes: NodesFlag;
          out?: string;
          verbose: boolean;
          json: boolean;
        },
        command: Command,
      ) => {
        const { world, kubeconfig, ec2, awsEndpoint, yes, keep, reuse, suite, scenario, nodes, out, verbose, json, ...rest } = flags;
        const [a, b, ...more] = runs;
        if (a !== undefined && b !== undefined && more.length === 0 && world === undefined) {
          refuseRunFlags(command);
          finish((await import('./compare-worlds.ts')).compareRuns({ a, b, scenarios: scenario }, { json }, console));
          return;
        }
        if (world === undefined || a !== undefined)
          throw new UsageError('compare-worlds takes the directories of two runs, or --world kind or existing to run both');
        // Machines in memory draw the same delays in both worlds.
        const machines = ec2 ?? (awsEndpoint === undefined ? 'embedded' : undefined);
        const { provideWorld } = await import('../provide-world.ts');
        const where = provideWorld(world, { kubeconfig, ec2: machines, awsEndpoint, nodes, yes, keep, reuse }, console);
        const { runAndCompare } = await import('./compare-worlds.ts');
        finish(
          await runAndCompare(
            { ...rest, nodes: nodes.count, suites: suite, scenarios: scenario },
            { ...where, name: world },
            { out, json },
            { ...console, verbose },
          ),
        );
      },
    );
}

/** @throws UsageError for a flag that does not apply to existing runs */
function refuseRunFlags(command: Command): void {
  const ofDirectories: readonly string[] = ['scenario', 'json'];
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) === 'cli' && !ofDirectories.includes(name))
      throw new UsageError(`${option.long ?? name} is for compare-worlds --world kind or existing, which runs both worlds; leave it out`);
  }
}
