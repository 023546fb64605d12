import { Command, CommanderError } from 'commander';
import { LoadError } from '../harness/load-error.ts';
import { printable } from '../reports/paint.ts';
import type { CommandContext } from './command-context.ts';
import { defineBench } from './commands/bench.command.ts';
import { defineCanary } from './commands/canary.command.ts';
import { defineCheck } from './commands/check.command.ts';
import { defineCompare } from './commands/compare.command.ts';
import { defineCompareWorlds } from './commands/compare-worlds.command.ts';
import { defineCrashPoints } from './commands/crash-points.command.ts';
import { defineCompletion } from './commands/completion.command.ts';
import { defineDoctor } from './commands/doctor.command.ts';
import { defineExplore } from './commands/explore.command.ts';
import { defineGate } from './commands/gate.command.ts';
import { defineInit } from './commands/init.command.ts';
import { defineList } from './commands/list.command.ts';
import { defineMatrix } from './commands/matrix.command.ts';
import { defineMerge } from './commands/merge.command.ts';
import { defineMutants } from './commands/mutants.command.ts';
import { defineReplay } from './commands/replay.command.ts';
import { defineReport } from './commands/report.command.ts';
import { defineRun } from './commands/run.command.ts';
import { defineServe } from './commands/serve.command.ts';
import { defineShowReport } from './commands/show-report.command.ts';
import { defineSweep } from './commands/sweep.command.ts';
import { defineTarget } from './commands/target.command.ts';
import { defineWorld } from './commands/world.command.ts';
import { processConsole } from './console.ts';
import type { Console } from './console.ts';
import { HELP_CONFIGURATION, examplesText } from './help.ts';
import type { Example } from './help.ts';
import { ownVersion } from './own-version.ts';
import { EXIT, InterruptedError, UsageError } from './usage-error.ts';

/** Commands under one heading of the help. */
interface CommandGroup {
  readonly heading: string;
  readonly commands: readonly ((program: Command, context: CommandContext) => void)[];
}

const HELP_GROUP = 'Help:';

/**
 * Every command, in the order of the help. A definition has only the flags and imports the code when it is called: importing all
 * of it takes a second.
 */
const GROUPS: readonly CommandGroup[] = [
  { heading: 'Run and judge:', commands: [defineRun, defineExplore, defineCheck, defineReplay, defineList] },
  { heading: 'Reports:', commands: [defineReport, defineShowReport, defineMerge] },
  { heading: 'Evaluate a version:', commands: [defineGate, defineCompare, defineMatrix, defineCanary, defineServe, defineInit] },
  { heading: 'Crashes, planted bugs, cost:', commands: [defineCrashPoints, defineMutants, defineBench] },
  { heading: 'Worlds and targets:', commands: [defineWorld, defineTarget] },
  { heading: 'Real clusters:', commands: [defineCompareWorlds, defineDoctor, defineSweep] },
  { heading: HELP_GROUP, commands: [defineCompletion] },
];

const EXAMPLES: readonly Example[] = [
  { line: 'run', does: 'every scenario, with the bundled reference autoscaler' },
  { line: 'run --target ./target.yaml --suite capacity', does: 'one suite, with your autoscaler' },
  { line: 'gate --baseline karpenter@1.14.0 --candidate karpenter@1.14.1', does: 'promote, reject or hold an upgrade' },
  { line: 'show-report', does: 'open the report of the last run' },
];

/**
 * The command.
 * @param argv the arguments after the program's name
 * @returns the exit code: 0 pass, 1 fail, 2 usage error, 3 unknown
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
      // It may quote an untrusted file.
      console.err(`scaleproof: ${printable(error.message.replaceAll('\n', ' '))}\n`);
      return EXIT.usage;
    }
    if (error instanceof InterruptedError) {
      console.err(`scaleproof: ${error.message}\n`);
      return EXIT.unknown;
    }
    console.err(
      `scaleproof: internal error, a bug in Scaleproof: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return EXIT.unknown;
  }
}

/** The program with all its commands. @param finish takes the exit code of the command that was called */
export function commandLine(console: Console, finish: (code: number) => void): Command {
  const program = new Command('scaleproof')
    .description(
      'Tests whether a Kubernetes node autoscaler can be trusted, by injecting faults into its world and judging how it responds.',
    )
    .version(ownVersion(), '--version')
    .exitOverride()
    .configureHelp(HELP_CONFIGURATION)
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
    .addHelpText('after', `${examplesText(EXAMPLES)}\n\nExit codes: 0 pass, 1 fail, 2 usage error, 3 unknown.`);

  for (const { heading, commands } of GROUPS) {
    program.commandsGroup(heading);
    for (const define of commands) define(program, { console, finish });
  }
  return program.commandsGroup(HELP_GROUP).helpCommand(true);
}
