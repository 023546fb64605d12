import { Command, CommanderError, Option } from 'commander';
import { LoadError } from '../harness/load.ts';
import { check } from './commands/check.ts';
import { list } from './commands/list.ts';
import { replay } from './commands/replay.ts';
import { run } from './commands/run.ts';
import { processConsole } from './console.ts';
import type { Console } from './console.ts';
import { ownVersion } from './own-version.ts';
import { parseSeed, parseTrials, parseWorkers } from './options.ts';
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
    .option('--target <name|./file>', 'the autoscaler to test', 'reference')
    .addOption(new Option('--seed <n>', 'seed of the first trial').default(1).argParser(parseSeed))
    .addOption(new Option('--trials <n>', 'trials of each scenario, with the seeds that follow').default(1).argParser(parseTrials))
    .option('--out <dir>', 'the run directory, new or empty (default: a new one in runs/)')
    .addOption(new Option('--workers <n>', 'processes side by side (default: the number of processors)').argParser(parseWorkers))
    .option('--json', 'print the report as JSON', false)
    .action(
      async (flags: {
        suite: string[];
        scenario: string[];
        target: string;
        seed: number;
        trials: number;
        out?: string;
        workers?: number;
        json: boolean;
      }) => {
        const { suite, scenario, out, workers, ...rest } = flags;
        finish(await run({ ...rest, suites: suite, scenarios: scenario, out, workers }, console));
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
    .option('--out <dir>', 'the run directory, new or empty (default: a new one in runs/)')
    .option('--json', 'print the report as JSON', false)
    .action(async (line: string, flags: { out?: string; json: boolean }) =>
      finish(await replay(line, { out: flags.out, json: flags.json }, console)),
    );

  program
    .command('list')
    .description('show what there is: suites, scenarios, faults, checks, targets')
    .argument('<what>', 'suites, scenarios, faults, checks or targets')
    .option('--json', 'print an array of objects', false)
    .action((what: string, flags: { json: boolean }) => finish(list(what, flags, console)));

  return program;
}
