import { Option } from 'commander';
import type { Command } from 'commander';
import type { Profile } from '../../history/events.ts';
import type { Shard } from '../../reports/report-input.ts';
import { DEFAULT_PREFIX } from '../../world/real/tenant/tenant.ts';
import { EC2S, ENDPOINT_VARIABLE } from '../choose-ec2.ts';
import { MACHINES, WORLDS } from '../choose-world.ts';
import type { CommandContext } from '../command-context.ts';
import { collect, nodesOption, profileOption, runDirectoryOption, suiteOption, verboseOption, workersOption } from '../common-options.ts';
import { DEFAULT_MAX_INSTANCES, MODES } from '../existing/flags.ts';
import { QUICK_REFERENCE, REFERENCE, parseClusters, parseMaxInstances, parseSeed, parseShard, parseTrials } from '../options.ts';
import type { NodesFlag } from '../options.ts';
import type { WorldFlags } from '../provide-world.ts';
import { UsageError } from '../usage-error.ts';

/** The flags of `run`, parsed. */
interface RunFlags extends WorldFlags {
  readonly world: (typeof WORLDS)[number];
  readonly suite: string[];
  readonly profile: Profile[];
  readonly scenario: string[];
  readonly manifests?: string;
  readonly target?: string;
  readonly seed: number;
  readonly trials: number;
  readonly nodes: NodesFlag;
  readonly out?: string;
  readonly workers?: number;
  readonly shard?: Shard;
  /** Undefined where nothing was said. */
  readonly crashPoints?: boolean;
  readonly verbose: boolean;
  readonly json: boolean;
}

/** `scaleproof run`. */
export function defineRun(program: Command, { console, finish }: CommandContext): void {
  withWorldOptions(program.command('run'))
    .description('run scenarios against a target, judge them, write a run directory')
    .addOption(suiteOption())
    .addOption(profileOption())
    .addOption(
      new Option('--scenario <id|./file>', 'only this scenario, or those of your file; may be given again')
        .argParser(collect)
        .default([], 'all'),
    )
    .option('--manifests <dir>', 'only the scenarios over your own manifests: node pools, workloads, budgets')
    .option('--target <name|./file>', 'the autoscaler to test (default: reference, in a real cluster reference:quick)')
    .addOption(new Option('--seed <n>', 'seed of the first trial').default(1).argParser(parseSeed))
    .addOption(new Option('--trials <n>', 'trials of each scenario, with the seeds that follow').default(1).argParser(parseTrials))
    .addOption(runDirectoryOption())
    .addOption(workersOption())
    .addOption(
      new Option('--shard <i/n>', 'only the i-th of n parts of the trials: `scaleproof merge` joins the run directories').argParser(
        parseShard,
      ),
    )
    .option('--crash-points', 'kill the target at side effects also where its trials take long, as those of programs in Go do')
    .option('--no-crash-points', 'do not also kill the target at each side effect of the scenarios that are marked for it')
    .addOption(verboseOption())
    .option('--json', 'print the report as JSON', false)
    .action(async (flags: RunFlags) => {
      const {
        suite,
        profile,
        scenario,
        manifests,
        out,
        workers,
        clusters,
        target = defaultTarget(flags.world),
        nodes,
        seed,
        trials,
        verbose,
        json,
      } = flags;
      const { crashPoints: isAsked } = flags;
      const crashes = isAsked === false ? {} : { crashPoints: { of: 'marked', isAsked: isAsked === true } as const };
      if (workers !== undefined && flags.world !== 'embedded')
        throw new UsageError(`--workers is for --world embedded; a cluster takes one trial at a time: ${MORE_AT_A_TIME[flags.world]}`);
      const { provideWorld } = await import('../provide-world.ts');
      const where = provideWorld(flags.world, flags, console);
      const what = { suites: suite, profiles: profile, scenarios: scenario, manifests, target, seed, trials, nodes: nodes.count };
      const { run } = await import('./run.ts');
      finish(await run({ ...what, ...crashes, out, workers, clusters, shard: flags.shard, json, ...where }, { ...console, verbose }));
    });
}

/** The flags that say where scenarios run. */
function withWorldOptions(command: Command): Command {
  return command
    .addOption(nodesOption())
    .addOption(new Option('--world <name>', 'where it runs').choices(WORLDS).default('embedded'))
    .option('--kubeconfig <file>', 'of the cluster of --world existing, as its administrator')
    .addOption(
      new Option('--ec2 <name>', 'where machines and messages of a real cluster are (default: LocalStack with --world kind)').choices(EC2S),
    )
    .option('--aws-endpoint <url>', `of a LocalStack that is there (with --world kind also ${ENDPOINT_VARIABLE})`)
    .addOption(new Option('--clusters <n>', 'of --world kind, each for one trial at a time (default: 1)').argParser(parseClusters))
    .addOption(
      new Option('--machines <name>', 'of --world embedded: as slow as real ones, or quick as those of a real cluster').choices(MACHINES),
    )
    .addOption(
      new Option('--mode <name>', 'of --world existing: the target uses our endpoints, or its own (default: routed)').choices(MODES),
    )
    .option('--prefix <name>', `of names in --world existing (default: ${DEFAULT_PREFIX})`)
    .addOption(
      new Option('--max-instances <n>', `in each trial of --world existing (default: ${DEFAULT_MAX_INSTANCES})`).argParser(
        parseMaxInstances,
      ),
    )
    .option('--plan', 'only show what would be done in --world existing')
    .option('--yes', 'do it without asking')
    .option('--keep', 'leave the cluster of --world kind when the run is over', false)
    .option('--reuse <cluster>', 'use a cluster of kind that is there, and leave it');
}

/** In real time nobody waits a quarter of an hour for a time-out. */
function defaultTarget(world: (typeof WORLDS)[number]): string {
  return world === 'embedded' ? REFERENCE : QUICK_REFERENCE;
}

const MORE_AT_A_TIME = { kind: 'take --clusters for more of them', existing: 'leave it out' } as const;
