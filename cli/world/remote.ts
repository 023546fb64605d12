import type { Console } from '../console.ts';
import { EXIT, UsageError } from '../usage-error.ts';
import { CONTROL_VARIABLE, askControl } from './control.ts';
import type { ControlAnswer } from './control.ts';

interface RemoteOptions {
  /** The world's control; the environment names it if not said. */
  readonly control: string | undefined;
  readonly json: boolean;
}

/** `scaleproof world inject FAULT [PARAMS]`: breaks something in a running world. */
export async function worldInject(fault: string, params: string | undefined, options: RemoteOptions, console: Console): Promise<number> {
  return ask('POST', '/faults', options, console, { fault, params: parseParams(params) });
}

/** `scaleproof world heal ID`: mends it. */
export async function worldHeal(id: string, options: RemoteOptions, console: Console): Promise<number> {
  return ask('DELETE', `/faults/${encodeURIComponent(id)}`, options, console);
}

/** `scaleproof world faults`: what is broken. */
export async function worldFaults(options: RemoteOptions, console: Console): Promise<number> {
  return ask('GET', '/faults', options, console);
}

function parseParams(text: string | undefined): unknown {
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`the parameters of a fault are JSON, which this is not: ${text}`);
  }
}

async function ask(method: string, path: string, options: RemoteOptions, console: Console, body?: unknown): Promise<number> {
  const base = options.control ?? process.env[CONTROL_VARIABLE];
  if (base === undefined)
    throw new UsageError(`which world? Set ${CONTROL_VARIABLE} as "scaleproof world up" printed it, or give --control`);
  let answers: readonly ControlAnswer[];
  try {
    answers = await askControl(base, method, path, body);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  if (options.json) console.out(`${JSON.stringify(answers, undefined, 2)}\n`);
  else for (const { id, description, firings } of answers) console.out(`${id}  ${description}; fired ${firings} times\n`);
  return EXIT.pass;
}
