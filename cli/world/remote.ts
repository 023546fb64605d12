import { formatTimes } from '../../reports/format.ts';
import type { Console } from '../console.ts';
import { EXIT, UsageError } from '../usage-error.ts';
import { CONTROL_VARIABLE, askControl } from './control.ts';
import type { ControlAnswer } from './control.ts';

interface RemoteOptions {
  /** The URL of the world's control API; by default from the environment. */
  readonly control: string | undefined;
  readonly json: boolean;
}

/** `scaleproof world inject FAULT [PARAMS]`: injects a fault into a running world. */
export async function worldInject(fault: string, params: string | undefined, options: RemoteOptions, console: Console): Promise<number> {
  const answers = await ask('POST', '/faults', options, { fault, params: parseParams(params) });
  return say(answers, options, console, ({ id, description }) => `injected ${id}: ${description}`);
}

/** `scaleproof world heal ID`: heals an injected fault. */
export async function worldHeal(id: string, options: RemoteOptions, console: Console): Promise<number> {
  const answers = await ask('DELETE', `/faults/${encodeURIComponent(id)}`, options);
  return say(answers, options, console, (one) => `healed ${one.id}: ${one.description}; ${fired(one)}`);
}

/** `scaleproof world faults`: lists the injected faults. */
export async function worldFaults(options: RemoteOptions, console: Console): Promise<number> {
  const answers = await ask('GET', '/faults', options);
  if (answers.length === 0 && !options.json) {
    console.out('no fault is injected\n');
    return EXIT.pass;
  }
  return say(answers, options, console, (one) => `${one.id}: ${one.description}; ${fired(one)}`);
}

function fired({ firings }: ControlAnswer): string {
  return firings === 0 ? 'it never fired' : `it fired ${formatTimes(firings)}`;
}

function parseParams(text: string | undefined): unknown {
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`the fault's parameters must be JSON, such as '{"count": 1}', not: ${text}`);
  }
}

/** @throws UsageError with the error of the world, or why it can't be reached */
async function ask(method: string, path: string, { control }: RemoteOptions, body?: unknown): Promise<readonly ControlAnswer[]> {
  const base = control ?? process.env[CONTROL_VARIABLE];
  if (base === undefined)
    throw new UsageError(`no world is named: set ${CONTROL_VARIABLE} to the value that "scaleproof world up" printed, or use --control`);
  try {
    return await askControl(base, method, path, body);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function say(
  answers: readonly ControlAnswer[],
  { json }: RemoteOptions,
  console: Console,
  inWords: (one: ControlAnswer) => string,
): number {
  if (json) console.out(`${JSON.stringify(answers, undefined, 2)}\n`);
  else for (const answer of answers) console.out(`${inWords(answer)}\n`);
  return EXIT.pass;
}
