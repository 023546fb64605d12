import { substitute } from '../../targets/command/variables.ts';
import { createPrograms } from '../../world/kind/programs.ts';
import type { ProgramEnd, ProgramOptions } from '../../world/kind/programs.ts';

/** The end of what a program said that is shown. */
const SHOWN = 600;

/**
 * Runs a program of the plan: `${NAME}` stands for a value, which is in its environment as SCALEPROOF_NAME, too. What it leaves
 * running in its process group ends with it.
 * @returns how it ended, and what was run
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

/** How a program ended that did not do what it should, with the end of what it said. */
export function describeEnd({ code, isMissing, isLate, stdout, stderr }: ProgramEnd, limitMs: number): string {
  const how = isMissing
    ? 'there is no such program'
    : isLate
      ? `it did not end within ${limitMs / 1_000} s`
      : code === undefined
        ? 'it could not be started, or a signal ended it'
        : `it ended with exit code ${code}`;
  const said = `${stderr}${stdout}`.trim().slice(-SHOWN);
  return said === '' ? how : `${how}; it said: ${said}`;
}
