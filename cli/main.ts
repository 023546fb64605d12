import { WORLDS } from './choose-world.ts';
import { Command, CommanderError, Option } from 'commander';
import { LoadError } from '../harness/load.ts';
import { DEFAULT_NODES } from '../harness/trial-spec.ts';
import { check } from './commands/check.ts';
import { doctor } from './commands/doctor.ts';
import { list } from './commands/list.ts';
import { replay } from './commands/replay.ts';
import { run } from './commands/run.ts';
import { sweep } from './commands/sweep.ts';
import { processConsole } from './console.ts';
import type { Console } from './console.ts';
import { ownVersion } from './own-version.ts';
import { parseNodes, parseSeed, parseTrials, parseWorkers } from './options.ts';
import { provideWorld } from './provide-world.ts';
import { CONTROL_VARIABLE } from './world/control.ts';
import { worldFaults, worldHeal, worldInject } from './world/remote.ts';
import { worldUp } from './world/up.ts';
import { EXIT, UsageError } from './usage-error.ts';

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
      console.err(`scaleproof: ${error.message.replaceAll('\n', ' ')}\n`);
      return EXIT.usage;
    }
    console.err(
      `scaleproof: this is an error of Scaleproof itself: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return EXIT.unknown;
  }
}

const collect = (value: string, previous: readonly string[]): readonly string[] => [...previous, value];

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

  program
    .command('run')
    .description('run scenarios against a target, judge them, write a run directory')
    .addOption(new Option('--suite <name>', 'only this suite; may be given again').argParser(collect).default([], 'all'))
    .addOption(
      new Option('--scenario <id|./file>', 'only this scenario, or those of your file; may be given again')
        .argParser(collect)
        .default([], 'all'),
    )
    .option('--manifests <dir>', 'only the scenarios over your own manifests: node pools, workloads, budgets')
    .option('--target <name|./file>', 'the autoscaler to test', 'reference')
    .addOption(new Option('--seed <n>', 'seed of the first trial').default(1).argParser(parseSeed))
    .addOption(new Option('--trials <n>', 'trials of each scenario, with the seeds that follow').default(1).argParser(parseTrials))
    .addOption(new Option('--nodes <n>', 'nodes that scenarios of a free size shall reach').default(DEFAULT_NODES).argParser(parseNodes))
    .addOption(new Option('--world <name>', 'where it runs').choices(WORLDS).default('embedded'))
    .option('--kubeconfig <file>', 'of the cluster of --world existing, as its administrator')
    .option('--aws-endpoint <url>', 'of a LocalStack, to keep the machines and messages of --world existing')
    .option('--keep', 'leave the cluster of --world kind when the run is over', false)
    .option('--reuse <cluster>', 'use a cluster of kind that is there, and leave it')
    .option('--out <dir>', 'the run directory, new or empty (default: a new one in runs/)')
    .addOption(new Option('--workers <n>', 'processes side by side (default: the number of processors)').argParser(parseWorkers))
    .option('--json', 'print the report as JSON', false)
    .action(
      async (flags: {
        suite: string[];
        scenario: string[];
        manifests?: string;
        target: string;
        seed: number;
        trials: number;
        nodes: number;
        world: (typeof WORLDS)[number];
        kubeconfig?: string;
        awsEndpoint?: string;
        keep: boolean;
        reuse?: string;
        out?: string;
        workers?: number;
        json: boolean;
      }) => {
        const { suite, scenario, manifests, out, workers, world, kubeconfig, awsEndpoint, keep, reuse, ...rest } = flags;
        const where = provideWorld(world, { kubeconfig, awsEndpoint, keep, reuse }, console);
        finish(await run({ ...rest, suites: suite, scenarios: scenario, manifests, out, workers, ...where }, console));
      },
    );

  program
    .command('check')
    .description('recompute every verdict and report of a run directory from its files alone')
    .argument('<dir>', 'the run directory')
    .option('--json', 'print the report as JSON', false)
    .action((directory: string, flags: { json: boolean }) => finish(check(directory, flags, console)));

  program
    .command('replay')
    .description('run a failure again from its replay line')
    .argument('<line>', 'the line, as it was printed beside the failure')
    .option('--kubeconfig <file>', 'of the cluster, for a line of --world existing')
    .option('--aws-endpoint <url>', 'of a LocalStack, for a line of --world existing')
    .option('--out <dir>', 'the run directory, new or empty (default: a new one in runs/)')
    .option('--json', 'print the report as JSON', false)
    .action(async (line: string, flags: { kubeconfig?: string; awsEndpoint?: string; out?: string; json: boolean }) => {
      const { kubeconfig, awsEndpoint, out, json } = flags;
      finish(await replay(line, { kubeconfig, awsEndpoint, keep: false, reuse: undefined, out, json }, console));
    });

  program
    .command('list')
    .description('show what there is: suites, scenarios, faults, checks, targets')
    .argument('[what]', 'suites, scenarios, faults, checks or targets')
    .argument('[name]', 'only those with this in their names')
    .option('--json', 'print an array of objects', false)
    .action((what: string | undefined, name: string | undefined, flags: { json: boolean }) => finish(list(what, name, flags, console)));

  program
    .command('doctor')
    .description('whether everything is here that --world kind needs, and how to mend what is not')
    .option('--json', 'print JSON', false)
    .action(async (flags: { json: boolean }) => finish(await doctor(flags, console)));

  program
    .command('sweep')
    .description('remove the clusters, containers, processes and folders that killed runs left, and nothing else')
    .option('--dry-run', 'only show them', false)
    .option('--json', 'print JSON', false)
    .action(async (flags: { dryRun: boolean; json: boolean }) => finish(await sweep(flags, console)));

  const world = program.command('world').description('an embedded world on sockets, for any program');
  world
    .command('up')
    .description('start one in real time, until Ctrl-C; prints kubeconfig and AWS variables')
    .addOption(new Option('--seed <n>', 'seed of its delays and markets').default(1).argParser(parseSeed))
    .option('--quick', 'machines that boot and end within seconds', false)
    .option('--history <file>', 'write a history of what happens, a new file')
    .option('--json', 'print how it is reached as one line of JSON', false)
    .action(async (flags: { seed: number; quick: boolean; history?: string; json: boolean }) =>
      finish(await worldUp({ ...flags, history: flags.history }, console)),
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
      finish(await worldInject(fault, params, { control: flags.control, json: flags.json }, console)),
    );
  remote(world.command('heal').argument('<id>', 'as inject printed it'))
    .description('heal an injected fault')
    .action(async (id: string, flags: { control?: string; json: boolean }) =>
      finish(await worldHeal(id, { control: flags.control, json: flags.json }, console)),
    );
  remote(world.command('faults'))
    .description('what is injected')
    .action(async (flags: { control?: string; json: boolean }) =>
      finish(await worldFaults({ control: flags.control, json: flags.json }, console)),
    );

  return program;
}
