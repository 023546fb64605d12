import { Option } from 'commander';
import type { Command } from 'commander';
import type { Profile } from '../../history/events.ts';
import { defined } from '../../model/defined.ts';
import type { Shard } from '../../reports/report-input.ts';
import { DEFAULT_PREFIX } from '../../world/real/tenant/tenant.ts';
import { EC2_KINDS, ENDPOINT_VARIABLE } from '../choose-ec2.ts';
import { MACHINES, WORLDS } from '../choose-world.ts';
import type { CommandContext } from '../command-context.ts';
import type { ScaleproofConfig } from '../../harness/config.ts';
import {
  collect,
  configOption,
  grepInvertOption,
  grepOption,
  nodesOption,
  profileOption,
  runDirectoryOption,
  shardOption,
  suiteOption,
  verboseOption,
  workersOption,
} from '../common-options.ts';
import { DEFAULT_MAX_INSTANCES, MODES } from '../existing/flags.ts';
import { examplesText } from '../help.ts';
import type { Example } from '../help.ts';
import { QUICK_REFERENCE, REFERENCE, parseClusters, parseMaxFailures, parseMaxInstances, parseSeed, parseTrials } from '../options.ts';
import type { NodesFlag } from '../options.ts';
import type { WorldFlags } from '../provide-world.ts';
import { UsageError } from '../usage-error.ts';

/** The flags of `run`, parsed. */
interface RunFlags extends WorldFlags {
  readonly world: (typeof WORLDS)[number];
  readonly suite: string[];
  readonly profile: Profile[];
  readonly scenario: string[];
  readonly grep?: RegExp;
  readonly grepInvert?: RegExp;
  readonly list: boolean;
  /** True without a directory. */
  readonly lastFailed?: string | true;
  readonly manifests?: string;
  readonly strict: boolean;
  readonly target?: string;
  readonly seed: number;
  readonly trials: number;
  readonly nodes: NodesFlag;
  readonly out?: string;
  readonly workers?: number;
  readonly shard?: Shard;
  /** Undefined if neither flag is given. */
  readonly crashPoints?: boolean;
  readonly maxFailures?: number;
  readonly x: boolean;
  readonly verbose: boolean;
  readonly json: boolean;
}

const EXAMPLES: readonly Example[] = [
  { line: 'run --target mutant:swallowed-topology-error --suite scheduling', does: 'a planted bug, which is caught' },
  { line: 'run --scenario ./my-scenario.ts --seed 7 --trials 20', does: 'your scenario, with the seeds 7 to 26' },
  { line: 'run --grep spot --target plain --list', does: 'list these trials, and those that this target cannot run' },
  { line: 'run --last-failed -x', does: 'repeat what failed in the last run, up to the first failure' },
];

/** `scaleproof run`. */
export function defineRun(program: Command, { console, finish }: CommandContext): void {
  const command = program
    .command('run')
    .description('run scenarios against a target, judge them, write a run directory')
    .optionsGroup('Scenarios, by default all:')
    .addOption(suiteOption())
    .addOption(profileOption())
    .addOption(
      new Option('--scenario <id|./file>', 'only this scenario, or those in your file; may be repeated')
        .argParser(collect)
        .default([], 'all'),
    )
    .addOption(grepOption())
    .addOption(grepInvertOption())
    .option('--manifests <dir>', 'only scenarios made from the manifests in this directory: node pools, workloads, budgets')
    .option('--strict', 'with --manifests: fail if a workload cannot, or might not, be served', false)
    .option('--last-failed [dir]', 'only trials that did not pass in this run directory (default: the newest in runs/)')
    .option('--list', 'only print the trials that would run', false)
    .optionsGroup('Target and trials:')
    .option('--target <name|./file>', 'the autoscaler to test (default: reference; in a real cluster reference:quick)')
    .addOption(new Option('--seed <n>', 'seed of the first trial').default(1).argParser(parseSeed))
    .addOption(new Option('--trials <n>', 'trials of each scenario, with consecutive seeds').default(1).argParser(parseTrials))
    .addOption(nodesOption())
    .option('--crash-points', 'run crash points even if the trials are slow, as for Go programs')
    .option('--no-crash-points', 'do not run crash points (kills at each side effect, in scenarios marked for it)')
    .addOption(new Option('--max-failures <n>', 'start no further trial after n have failed').argParser(parseMaxFailures))
    .addOption(new Option('-x', 'same as --max-failures 1').conflicts('maxFailures').default(false))
    .addOption(workersOption())
    .addOption(shardOption())
    .addOption(configOption())
    .optionsGroup('Output:')
    .addOption(runDirectoryOption())
    .addOption(verboseOption())
    .option('--json', 'print the report as JSON', false)
    .optionsGroup('World:');
  withWorldOptions(command)
    .addHelpText('after', examplesText(EXAMPLES))
    .action(async (flags: RunFlags, command: Command) => {
      const { applyConfig } = await import('../apply-config.ts');
      await applyConfig(command, () => configFields(flags));
      const { suite, profile, scenario, grep, grepInvert, list, manifests, out, workers, clusters, nodes, seed, trials, json } = flags;
      const { crashPoints: isAsked, maxFailures, lastFailed, target, shard, world, verbose, strict } = flags;
      const crashPoints = isAsked === false ? undefined : ({ of: 'marked', isAsked: isAsked === true } as const);
      if (workers !== undefined && world !== 'embedded')
        throw new UsageError(`--workers is for --world embedded; a cluster runs one trial at a time: ${PARALLEL_HINTS[world]}`);
      const isGiven = (name: string): boolean => command.getOptionValueSource(name) === 'cli';
      const replaced = REPLACED_BY_LAST_FAILED.find((name) => lastFailed !== undefined && isGiven(name));
      if (replaced !== undefined) throw new UsageError(`--last-failed repeats the trials of an earlier run; leave out --${replaced}`);
      const { provideWorld } = await import('../provide-world.ts');
      const where = provideWorld(world, flags, console);
      const common = {
        ...{ profiles: profile, grep, grepInvert, list, out, workers, clusters, shard, json },
        ...defined({ crashPoints, maxFailures: flags.x ? 1 : maxFailures }),
        ...where,
      };
      const own = { ...console, verbose };
      const { run, runFailed } = await import('./run.ts');
      if (lastFailed !== undefined) {
        const directory = lastFailed === true ? undefined : lastFailed;
        finish(await runFailed({ ...common, directory, target, nodes: isGiven('nodes') ? nodes.count : undefined }, own));
        return;
      }
      const what = { suites: suite, scenarios: scenario, manifests, strict, seed, trials, nodes: nodes.count };
      finish(await run({ ...common, ...what, target: target ?? defaultTarget(world) }, own));
    });
}

/** What of a configuration file applies: `--last-failed` knows target and trials, and clusters have no workers. */
function configFields({ lastFailed, world }: RunFlags): readonly (keyof ScaleproofConfig)[] {
  return [
    ...(lastFailed === undefined
      ? (['target', 'suites', 'scenarios', 'manifests', 'strict', 'profiles', 'grep', 'grepInvert', 'seed', 'trials'] as const)
      : []),
    ...(world === 'embedded' ? (['workers'] as const) : []),
  ];
}

/** Options that say which trials run, as `--last-failed` does. */
const REPLACED_BY_LAST_FAILED = ['suite', 'scenario', 'manifests', 'strict', 'seed', 'trials'] as const;

/** The flags that choose where scenarios run. */
function withWorldOptions(command: Command): Command {
  return command
    .addOption(new Option('--world <name>', 'the world to run in').choices(WORLDS).default('embedded'))
    .option('--kubeconfig <file>', 'administrator kubeconfig of the cluster, for --world existing')
    .addOption(
      new Option('--ec2 <name>', 'EC2 and SQS to use with a real cluster (default: LocalStack with --world kind)').choices(EC2_KINDS),
    )
    .option('--aws-endpoint <url>', `URL of a running LocalStack (with --world kind also ${ENDPOINT_VARIABLE})`)
    .addOption(
      new Option('--clusters <n>', 'number of clusters of --world kind, each for one trial at a time (default: 1)').argParser(
        parseClusters,
      ),
    )
    .addOption(
      new Option('--machines <name>', 'boot times in --world embedded: realistic, or at most two seconds, as in a test cluster').choices(
        MACHINES,
      ),
    )
    .addOption(
      new Option(
        '--mode <name>',
        "for --world existing: the target uses Scaleproof's endpoints (routed, the default), or its own (observed)",
      ).choices(MODES),
    )
    .option('--prefix <name>', `prefix for the names of everything created, for --world existing (default: ${DEFAULT_PREFIX})`)
    .addOption(
      new Option(
        '--max-instances <n>',
        `maximum number of instances per trial, for --world existing (default: ${DEFAULT_MAX_INSTANCES})`,
      ).argParser(parseMaxInstances),
    )
    .option('--plan', 'only print the plan, for --world existing')
    .option('--yes', 'skip the confirmation')
    .option('--keep', 'keep the cluster after the run, for --world kind', false)
    .option('--reuse <cluster>', 'use an existing kind cluster, and keep it');
}

/** In real time, a timeout of a quarter of an hour is too long to wait for. */
function defaultTarget(world: (typeof WORLDS)[number]): string {
  return world === 'embedded' ? REFERENCE : QUICK_REFERENCE;
}

const PARALLEL_HINTS = { kind: 'use --clusters for more clusters', existing: 'leave it out' } as const;
