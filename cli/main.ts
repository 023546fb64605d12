import { EC2S, ENDPOINT_VARIABLE } from './choose-ec2.ts';
import { MACHINES, WORLDS } from './choose-world.ts';
import { Command, CommanderError, Option } from 'commander';
import { LoadError } from '../harness/load-error.ts';
import type { Profile } from '../history/events.ts';
import { printable } from '../reports/paint.ts';
import { DEFAULT_PREFIX } from '../world/real/tenant/tenant.ts';
import type { ReportOptions } from './commands/report.ts';
import { processConsole } from './console.ts';
import { DEFAULT_MAX_INSTANCES, MODES } from './existing/flags.ts';
import { KITS } from './init/kits.ts';
import type { Console } from './console.ts';
import { ownVersion } from './own-version.ts';
import {
  COMPARISON_FORMATS,
  DEFAULT_NODES_FLAG,
  DEFAULT_PORT,
  DEFAULT_SEEDS,
  QUICK_REFERENCE,
  REFERENCE,
  parseClusters,
  parseMaxInstances,
  parseNodes,
  parsePort,
  parseProfile,
  parseSeed,
  parseSeeds,
  parseShard,
  parseTrials,
  parseWorkers,
} from './options.ts';
import type { NodesFlag } from './options.ts';
import type { Shard } from '../reports/report-input.ts';
import type { WorldFlags } from './provide-world.ts';
import { CONTROL_VARIABLE } from './world/control.ts';
import { EXIT, InterruptedError, UsageError } from './usage-error.ts';

/**
 * The command.
 * @param argv the arguments after the program's name
 * @returns the exit code: 0 pass, 1 fail, 2 wrong usage, 3 unknown
 */
export async function main(argv: readonly string[], console: Console = processConsole()): Promise<number> {
  let code: number = EXIT.pass;
  const program = commandLine(console, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.pass : EXIT.usage;
    if (error instanceof UsageError || error instanceof LoadError) {
      // It may quote a file that somebody else wrote.
      console.err(`scaleproof: ${printable(error.message.replaceAll('\n', ' '))}\n`);
      return EXIT.usage;
    }
    if (error instanceof InterruptedError) {
      console.err(`scaleproof: ${error.message}\n`);
      return EXIT.unknown;
    }
    console.err(
      `scaleproof: this is an error of Scaleproof itself: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return EXIT.unknown;
  }
}

/** In real time nobody waits a quarter of an hour for a time-out. */
function defaultTarget(world: (typeof WORLDS)[number]): string {
  return world === 'embedded' ? REFERENCE : QUICK_REFERENCE;
}

const MORE_AT_A_TIME = { kind: 'take --clusters for more of them', existing: 'leave it out' } as const;

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
  readonly json: boolean;
}

function nodesOption(): Option {
  return new Option(
    '--nodes <n|simulated|real>',
    'nodes that scenarios of a free size shall reach; in --world kind also how they come to be',
  )
    .default(DEFAULT_NODES_FLAG, `${DEFAULT_NODES_FLAG.count}, ${DEFAULT_NODES_FLAG.kind}`)
    .argParser(parseNodes);
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

/** @throws UsageError when a flag is given that says nothing of two runs that are there */
function refuseRunFlags(command: Command): void {
  const ofDirectories: readonly string[] = ['scenario', 'json'];
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) === 'cli' && !ofDirectories.includes(name))
      throw new UsageError(`${option.long ?? name} is for compare-worlds --world kind or existing, which runs both worlds; leave it out`);
  }
}

const collect = (value: string, previous: readonly string[]): readonly string[] => [...previous, value];

/** Each command's code is read when it is called: all of it together takes a second. */
function commandLine(console: Console, finish: (code: number) => void): Command {
  const program = new Command('scaleproof')
    .description('Finds out whether a Kubernetes node autoscaler can be trusted: breaks its world on purpose and judges what it does.')
    .version(ownVersion(), '--version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => console.out(text),
      writeErr: (text) => console.err(text),
      outputError: (text, write) =>
        write(
          `scaleproof: ${text
            .replace(/^error: /, '')
            .trim()
            .replaceAll('\n', ' ')}\n`,
        ),
    })
    .addHelpText('after', '\nExit codes: 0 pass, 1 fail, 2 wrong usage, 3 unknown.');

  withWorldOptions(program.command('run'))
    .description('run scenarios against a target, judge them, write a run directory')
    .addOption(new Option('--suite <name>', 'only this suite; may be given again').argParser(collect).default([], 'all'))
    .addOption(
      new Option('--profile <name>', 'only scenarios of this profile; may be given again').argParser(parseProfile).default([], 'all'),
    )
    .addOption(
      new Option('--scenario <id|./file>', 'only this scenario, or those of your file; may be given again')
        .argParser(collect)
        .default([], 'all'),
    )
    .option('--manifests <dir>', 'only the scenarios over your own manifests: node pools, workloads, budgets')
    .option('--target <name|./file>', 'the autoscaler to test (default: reference, in a real cluster reference:quick)')
    .addOption(new Option('--seed <n>', 'seed of the first trial').default(1).argParser(parseSeed))
    .addOption(new Option('--trials <n>', 'trials of each scenario, with the seeds that follow').default(1).argParser(parseTrials))
    .option('--out <dir>', 'the run directory, new or empty (default: a new one in runs/)')
    .addOption(new Option('--workers <n>', 'processes side by side (default: the number of processors)').argParser(parseWorkers))
    .addOption(
      new Option('--shard <i/n>', 'only the i-th of n parts of the trials: `scaleproof merge` joins the run directories').argParser(
        parseShard,
      ),
    )
    .option('--crash-points', 'kill the target at side effects also where its trials take long, as those of programs in Go do')
    .option('--no-crash-points', 'do not also kill the target at each side effect of the scenarios that are marked for it')
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
        json,
      } = flags;
      const { crashPoints: isAsked } = flags;
      const crashes = isAsked === false ? {} : { crashPoints: { of: 'marked', isAsked: isAsked === true } as const };
      if (workers !== undefined && flags.world !== 'embedded')
        throw new UsageError(`--workers is for --world embedded; a cluster takes one trial at a time: ${MORE_AT_A_TIME[flags.world]}`);
      const { provideWorld } = await import('./provide-world.ts');
      const where = provideWorld(flags.world, flags, console);
      const what = { suites: suite, profiles: profile, scenarios: scenario, manifests, target, seed, trials, nodes: nodes.count };
      const { run } = await import('./commands/run.ts');
      finish(await run({ ...what, ...crashes, out, workers, clusters, shard: flags.shard, json, ...where }, console));
    });

  program
    .command('check')
    .description('recompute every verdict and report of a run directory from its files alone')
    .argument('<dir>', 'the run directory')
    .addOption(
      new Option('--check <./file>', 'also the checks of your file; may be given again').argParser(collect).default([], 'those there are'),
    )
    .option('--json', 'print the report as JSON', false)
    .action(async (directory: string, { check: checks, json }: { check: readonly string[]; json: boolean }) =>
      finish(await (await import('./commands/check.ts')).check(directory, { checks, json }, console)),
    );

  program
    .command('merge')
    .description('join the run directories of all shards of a run into one, and judge it as one')
    .argument('<dirs...>', 'the run directories, in any order')
    .option('--out <dir>', 'the run directory of the whole, new or empty (default: a new one in runs/)')
    .option('--json', 'print the report as JSON', false)
    .action(async (directories: string[], { out, json }: { out?: string; json: boolean }) =>
      finish(await (await import('./commands/merge.ts')).merge(directories, { out, json }, console)),
    );

  program
    .command('replay')
    .description('run a failure again from its replay line')
    .argument('<line>', 'the line, as it was printed beside the failure')
    .option('--kubeconfig <file>', 'of the cluster, for a line of --world existing')
    .addOption(new Option('--ec2 <name>', 'where machines are, for a line of a real cluster').choices(EC2S))
    .option('--aws-endpoint <url>', 'of a LocalStack that is there, for a line of a real cluster')
    .addOption(new Option('--mode <name>', 'for a line of --world existing (default: routed)').choices(MODES))
    .option('--yes', 'do it without asking, for a line of --world existing')
    .option('--out <dir>', 'the run directory, new or empty (default: a new one in runs/)')
    .option('--json', 'print the report as JSON', false)
    .action(
      async (
        line: string,
        flags: {
          kubeconfig?: string;
          awsEndpoint?: string;
          ec2?: (typeof EC2S)[number];
          mode?: (typeof MODES)[number];
          yes?: boolean;
          out?: string;
          json: boolean;
        },
      ) => {
        const { kubeconfig, awsEndpoint, ec2, mode, yes, out, json } = flags;
        const { replay } = await import('./commands/replay.ts');
        finish(await replay(line, { kubeconfig, awsEndpoint, ec2, mode, yes, keep: false, reuse: undefined, out, json }, console));
      },
    );

  program
    .command('crash-points')
    .description('kill the target at each of its side effects in a scenario, before and after it took effect, in a trial each')
    .addOption(new Option('--scenario <id|./file>', 'the scenario').makeOptionMandatory())
    .option('--target <name|./file>', 'the autoscaler to test', REFERENCE)
    .addOption(new Option('--seed <n>', 'seed of all trials').default(1).argParser(parseSeed))
    .option('--out <dir>', 'the run directory, new or empty (default: a new one in runs/)')
    .addOption(new Option('--workers <n>', 'processes side by side (default: the number of processors)').argParser(parseWorkers))
    .option('--json', 'print the report as JSON', false)
    .action(async (flags: { scenario: string; target: string; seed: number; out?: string; workers?: number; json: boolean }) =>
      finish(await (await import('./commands/crash-points.ts')).crashPoints({ ...flags, out: flags.out, workers: flags.workers }, console)),
    );

  program
    .command('compare-worlds')
    .description('whether a real cluster and the embedded world agree: verdicts, and how long each phase takes')
    .argument('[runs...]', 'the directories of two runs to compare; without them both are run')
    .addOption(new Option('--world <name>', 'the real cluster to run in').choices(['kind', 'existing']))
    .option('--kubeconfig <file>', 'of the cluster of --world existing, as its administrator')
    .addOption(new Option('--ec2 <name>', 'where machines and messages of the real cluster are (default: embedded)').choices(EC2S))
    .option('--aws-endpoint <url>', 'of a LocalStack that is there')
    .option('--yes', 'do it without asking in --world existing')
    .option('--keep', 'leave the cluster of --world kind', false)
    .option('--reuse <cluster>', 'use a cluster of kind that is there, and leave it')
    .addOption(new Option('--suite <name>', 'only this suite; may be given again').argParser(collect).default([], 'all'))
    .addOption(new Option('--scenario <id>', 'only this scenario; may be given again').argParser(collect).default([], 'all'))
    .option('--target <name|./file>', 'the autoscaler to run', QUICK_REFERENCE)
    .addOption(new Option('--seed <n>', 'seed of the first trial').default(1).argParser(parseSeed))
    .addOption(new Option('--trials <n>', 'trials of each scenario, with the seeds that follow').default(1).argParser(parseTrials))
    .addOption(nodesOption())
    .option('--out <dir>', 'where both run directories are made (default: a new one in runs/)')
    .option('--json', 'print the comparison as JSON', false)
    .action(
      async (
        runs: string[],
        flags: {
          world?: Exclude<(typeof WORLDS)[number], 'embedded'>;
          kubeconfig?: string;
          ec2?: (typeof EC2S)[number];
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
          json: boolean;
        },
        command: Command,
      ) => {
        const { world, kubeconfig, ec2, awsEndpoint, yes, keep, reuse, suite, scenario, nodes, out, json, ...rest } = flags;
        const [a, b, ...more] = runs;
        if (a !== undefined && b !== undefined && more.length === 0 && world === undefined) {
          refuseRunFlags(command);
          finish((await import('./commands/compare-worlds.ts')).compareRuns({ a, b, scenarios: scenario }, { json }, console));
          return;
        }
        if (world === undefined || a !== undefined)
          throw new UsageError('compare-worlds takes the directories of two runs, or --world kind or existing to run both');
        // Machines in memory draw the same delays in both worlds.
        const machines = ec2 ?? (awsEndpoint === undefined ? 'embedded' : undefined);
        const { provideWorld } = await import('./provide-world.ts');
        const where = provideWorld(world, { kubeconfig, ec2: machines, awsEndpoint, nodes, yes, keep, reuse }, console);
        const { runAndCompare } = await import('./commands/compare-worlds.ts');
        finish(
          await runAndCompare(
            { ...rest, nodes: nodes.count, suites: suite, scenarios: scenario },
            { ...where, name: world },
            { out, json },
            console,
          ),
        );
      },
    );

  program
    .command('list')
    .description('show what there is: suites, scenarios, requirements, faults, checks, targets')
    .argument('[what]', 'suites, scenarios, requirements, faults, checks or targets')
    .argument('[name]', 'only those with this in their names')
    .option('--json', 'print an array of objects', false)
    .action(async (what: string | undefined, name: string | undefined, flags: { json: boolean }) =>
      finish((await import('./commands/list.ts')).list(what, name, flags, console)),
    );

  program
    .command('mutants')
    .description('run planted bugs through the scenarios: whether each is caught as it declared, and what mattered to no verdict')
    .addOption(new Option('--mutant <name>', 'only this mutant; may be given again').argParser(collect).default([], 'all'))
    .addOption(new Option('--scenario <id>', 'only this scenario; may be given again').argParser(collect).default([], 'all'))
    .addOption(
      new Option('--seeds <n>', 'seeds of a mutant that some seeds expose, in its scenario; of others three')
        .default(DEFAULT_SEEDS)
        .argParser(parseSeeds),
    )
    .option('--all', 'every mutant in every scenario, which takes about four times as long', false)
    .addOption(new Option('--workers <n>', 'processes side by side (default: the number of processors)').argParser(parseWorkers))
    .option('--out <dir>', 'where mutants.json is written, new or empty (default: a new directory in runs/)')
    .option('--json', 'print the report as JSON', false)
    .action(
      async ({
        mutant,
        scenario,
        workers,
        out,
        ...rest
      }: {
        mutant: string[];
        scenario: string[];
        seeds: number;
        all: boolean;
        workers?: number;
        out?: string;
        json: boolean;
      }) =>
        finish(
          await (await import('./commands/mutants.ts')).mutants({ ...rest, mutants: mutant, scenarios: scenario, workers, out }, console),
        ),
    );

  program
    .command('bench')
    .description('what trials of a target cost: processor time, events a second, time until it is ready, memory')
    .option('--target <name|./file>', 'whose trials', REFERENCE)
    .addOption(new Option('--scenario <id>', 'only this scenario; may be given again').argParser(collect).default([], 'all'))
    .addOption(new Option('--trials <n>', 'trials of each scenario, with the seeds from 1 on').default(1).argParser(parseTrials))
    .option('--json', 'print JSON', false)
    .action(async ({ scenario, ...rest }: { scenario: string[]; target: string; trials: number; json: boolean }) =>
      finish(await (await import('./commands/bench.ts')).bench({ ...rest, scenarios: scenario }, console)),
    );

  program
    .command('doctor')
    .description('whether everything is here that --world kind needs, and how to mend what is not')
    .option('--json', 'print JSON', false)
    .action(async (flags: { json: boolean }) => finish(await (await import('./commands/doctor.ts')).doctor(flags, console)));

  program
    .command('sweep')
    .description('remove the clusters, containers, processes and folders that killed runs left, and nothing else')
    .option('--dry-run', 'only show them', false)
    .option('--json', 'print JSON', false)
    .action(async (flags: { dryRun: boolean; json: boolean }) => finish(await (await import('./commands/sweep.ts')).sweep(flags, console)));

  const target = program
    .command('target')
    .description('autoscalers in Go that run inside trials: build them, see what is built, remove it');
  target
    .command('build')
    .description('compile one for WebAssembly, with the Go that is installed (docs/go-targets.md); what is built is kept and found again')
    .argument('<program@version>', 'karpenter@1.14.1, karpenter@COMMIT, or with --source karpenter@NAME')
    .option('--source <dir>', 'from this checkout of it')
    .option('--core <dir>', 'with this checkout of its core module')
    .option('--json', 'print what was built as JSON', false)
    .addHelpText('after', '\nExit codes: 0 built or found, 1 it does not compile, 2 wrong usage or no Go, 3 interrupted.')
    .action(async (version: string, flags: { source?: string; core?: string; json: boolean }) =>
      finish(await (await import('./commands/target.ts')).targetBuild(version, flags, console)),
    );
  target
    .command('list')
    .description('what is built: when, how large, with which Go')
    .option('--json', 'print JSON', false)
    .action(async (flags: { json: boolean }) => finish((await import('./commands/target.ts')).targetList(flags, console)));
  target
    .command('prune')
    .description('remove what is built')
    .argument('[name]', 'only this version, or folder, as `scaleproof target list` shows it')
    .option('--keep <n>', 'all but the newest so many of each program')
    .option('--older-than <duration>', 'what was built longer ago: 30d, 12h')
    .option('--all', 'everything', false)
    .option('--dry-run', 'only show it', false)
    .option('--json', 'print JSON', false)
    .action(async (name: string | undefined, flags: { keep?: string; olderThan?: string; all: boolean; dryRun: boolean; json: boolean }) =>
      finish((await import('./commands/target.ts')).targetPrune(name, flags, console)),
    );

  const world = program.command('world').description('an embedded world on sockets, for any program');
  world
    .command('up')
    .description('start one in real time, until Ctrl-C; prints kubeconfig and AWS variables')
    .addOption(new Option('--seed <n>', 'seed of its delays and markets').default(1).argParser(parseSeed))
    .option('--quick', 'machines that boot and end within seconds', false)
    .option('--history <file>', 'write a history of what happens, a new file')
    .option('--json', 'print how it is reached as one line of JSON', false)
    .action(async (flags: { seed: number; quick: boolean; history?: string; json: boolean }) =>
      finish(await (await import('./world/up.ts')).worldUp({ ...flags, history: flags.history }, console)),
    );
  const remote = (command: Command): Command =>
    command.option('--control <url>', `where the world is controlled (default: ${CONTROL_VARIABLE})`).option('--json', 'print JSON', false);
  remote(
    world
      .command('inject')
      .argument('<fault>', 'its name, as `scaleproof list faults` shows it')
      .argument('[params]', 'its parameters, as JSON'),
  )
    .description('inject a fault into a running world: change its market, break its wires')
    .action(async (fault: string, params: string | undefined, flags: { control?: string; json: boolean }) =>
      finish(await (await import('./world/remote.ts')).worldInject(fault, params, { control: flags.control, json: flags.json }, console)),
    );
  remote(world.command('heal').argument('<id>', 'as inject printed it'))
    .description('heal an injected fault')
    .action(async (id: string, flags: { control?: string; json: boolean }) =>
      finish(await (await import('./world/remote.ts')).worldHeal(id, { control: flags.control, json: flags.json }, console)),
    );
  remote(world.command('faults'))
    .description('what is injected')
    .action(async (flags: { control?: string; json: boolean }) =>
      finish(await (await import('./world/remote.ts')).worldFaults({ control: flags.control, json: flags.json }, console)),
    );

  program
    .command('report')
    .description('write the reports of a run directory again, from its files alone, and others: Allure, a badge, GitHub, anonymous ones')
    .argument('<dir>', 'the run directory')
    .option('--allure [dir]', 'Allure results, and their site where `allure` is installed (default: allure/ beside the report)')
    .option('--history <file>', 'with --allure: what earlier runs came to; this one is added to it')
    .option('--badge [file]', 'a badge, and the same as JSON for shields.io (default: badge.svg beside the report)')
    .option('--github [file]', 'a step summary, and annotations on standard output (default: where GitHub Actions wants it)')
    .option('--anonymous', 'without the names of target or mutant; needs --out')
    .addOption(new Option('--hide <word>', 'with --anonymous: also this word; may be given again').argParser(collect).default([], 'none'))
    .option('--out <dir>', 'a run directory of its own, new or empty, instead of the one it is about')
    .option('--json', 'print the report as JSON', false)
    .action(async (directory: string, flags: ReportOptions) =>
      finish(await (await import('./commands/report.ts')).report(directory, flags, console)),
    );

  program
    .command('init')
    .description('write what wires Scaleproof into another system: manifests, a workflow, rules, a dashboard, a project of your own')
    .argument('[what]', KITS.map(({ name }) => name).join(', '))
    .option('--out <dir>', 'where to (default: a folder of its own, for a workflow this one)')
    .option('--force', 'replace files that are there', false)
    .option('--json', 'print JSON', false)
    .action(async (what: string | undefined, { out, force, json }: { out?: string; force: boolean; json: boolean }) =>
      finish((await import('./commands/init.ts')).init(what, { out, force, json }, console)),
    );

  program
    .command('compare')
    .description('what an upgrade decision needs, side by side: success, latency, utilisation, cost, retries, leaks, each with its bounds')
    .argument('<sides...>', 'run directories, or targets by name or ./file, which are then run: the same scenarios and seeds, in turn')
    .addOption(new Option('--suite <name>', 'only this suite; may be given again').argParser(collect).default([], 'all'))
    .addOption(
      new Option('--profile <name>', 'only scenarios of this profile; may be given again').argParser(parseProfile).default([], 'all'),
    )
    .addOption(new Option('--scenario <id|./file>', 'only this scenario; may be given again').argParser(collect).default([], 'all'))
    .addOption(new Option('--seed <n>', 'seed of the first trial (default: 1)').argParser(parseSeed))
    .addOption(new Option('--trials <n>', 'trials of each scenario, with the seeds that follow (default: 1)').argParser(parseTrials))
    .option('--nodes <n>', 'nodes that scenarios of a free size shall reach (default: 100, the cluster whose cost is told)')
    .addOption(new Option('--workers <n>', 'processes side by side (default: the number of processors)').argParser(parseWorkers))
    .option('--out <dir>', 'where compare.html and the runs are written, new or empty (default: a new directory in runs/)')
    .addOption(new Option('--format <name>', 'what is printed').choices(COMPARISON_FORMATS).default('terminal'))
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
          json: boolean;
        },
      ) => {
        const { suite: suites, profile: profiles, scenario: scenarios, seed, trials, workers, out } = flags;
        const nodes = flags.nodes === undefined ? undefined : parseNodes(flags.nodes, DEFAULT_NODES_FLAG).count;
        const format = flags.json ? 'json' : flags.format;
        const { compare } = await import('./commands/compare.ts');
        finish(await compare(sides, { suites, profiles, scenarios, seed, trials, nodes, workers, out, format }, console));
      },
    );

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
    .addOption(new Option('--scenario <id|./file>', 'only this scenario; may be given again').argParser(collect).default([], 'all'))
    .addOption(
      new Option('--profile <name>', 'only scenarios of this profile; may be given again').argParser(parseProfile).default([], 'all'),
    )
    .addOption(new Option('--seed <n>', 'seed of the first trial (default: 1)').argParser(parseSeed))
    .addOption(new Option('--workers <n>', 'processes side by side (default: the number of processors)').argParser(parseWorkers))
    .option('--out <dir>', 'where gate.json and the runs are written, new or empty (default: a new directory in runs/)')
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
          ...rest
        } = flags;
        const versions = { baselineVersion, candidateVersion };
        const { gate } = await import('./commands/gate.ts');
        finish(await gate({ ...rest, ...versions, scenarios, profiles, policy, state, seed, workers, out }, console));
      },
    );

  program
    .command('canary')
    .description('a staged rollout that stops by itself: stages, probes, soak times, and hooks that deploy and roll back')
    .requiredOption('--plan <file>', 'in YAML: docs/canary.md')
    .option('--state <dir>', 'where its journal and runs are kept (default: runs/canary-NAME)')
    .option('--dry-run', 'only show what would be done', false)
    .option('--resume', 'go on with one that was killed, or held', false)
    .option('--rollback', 'undo one that was killed, or held', false)
    .addOption(new Option('--workers <n>', 'processes side by side (default: the number of processors)').argParser(parseWorkers))
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      '\nExit codes: 0 rolled out, 1 rolled back, 2 wrong usage, 3 held or interrupted: it can go on, or be rolled back.',
    )
    .action(
      async (flags: {
        plan: string;
        state?: string;
        dryRun: boolean;
        resume: boolean;
        rollback: boolean;
        workers?: number;
        json: boolean;
      }) => finish(await (await import('./commands/canary.ts')).canary({ ...flags, state: flags.state, workers: flags.workers }, console)),
    );

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
    .addOption(new Option('--scenario <id|./file>', 'only this scenario; may be given again').argParser(collect).default([], 'all'))
    .addOption(
      new Option('--profile <name>', 'only scenarios of this profile; may be given again').argParser(parseProfile).default([], 'all'),
    )
    .addOption(new Option('--workers <n>', 'processes side by side (default: the number of processors)').argParser(parseWorkers))
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
        const { serve } = await import('./commands/serve.ts');
        finish(await serve({ ...rest, ...versions, targets, scenarios, profiles, policy, state, workers, out }, console));
      },
    );

  return program;
}
