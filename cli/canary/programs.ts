import { substitute } from '../../targets/command/variables.ts';
import { createPrograms } from '../../world/kind/programs.ts';
import type { ProgramEnd, ProgramOptions } from '../../world/kind/programs.ts';

/** Characters of a program's output, from the end, that an error message shows. */
const MAX_SHOWN = 600;

/**
 * Runs a program of the plan: `${NAME}` stands for a value, which its environment has as SCALEPROOF_NAME, too. When it exits, all
 * that still runs in its process group is killed.
 * @returns how it ended, and the command line
 * @throws the signal's reason when it is aborted
 */
export async function runProgram(
  command: readonly string[],
  values: Readonly<Record<string, string>>,
  options: ProgramOptions & { readonly signal: AbortSignal },
): Promise<{ readonly end: ProgramEnd; readonly line: string }> {
  const [program = '', ...args] = command.map((text) => substitute(text, values));
  const environment = Object.fromEntries(Object.entries(values).map(([name, value]) => [`SCALEPROOF_${name}`, value]));
  const end = await createPrograms(environment).run(program, args, { ...options, leavesNothing: true });
  options.signal.throwIfAborted();
  return { end, line: [program, ...args].join(' ') };
}

/** How a failed program ended, with the end of its output. */
export function describeEnd({ code, isMissing, isLate, stdout, stderr }: ProgramEnd, limitMs: number): string {
  const how = isMissing
    ? 'there is no such program'
    : isLate
      ? `it did not finish within ${limitMs / 1_000} s`
      : code === undefined
        ? 'it could not be started, or a signal killed it'
        : `exit code ${code}`;
  const output = `${stderr}${stdout}`.trim().slice(-MAX_SHOWN);
  return output === '' ? how : `${how}; its output: ${output}`;
}
