import { createInterface } from 'node:readline/promises';
import type { Console } from '../console.ts';
import { UsageError } from '../usage-error.ts';

/** Whether somebody is there to be asked. */
function isTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/**
 * Asks whether to go on. @throws UsageError when nobody is there to be asked, or the answer is no
 * @param answer what asks, for tests; by default the terminal
 */
export async function askToContinue(console: Console, answer: (() => Promise<string>) | undefined = fromTerminal()): Promise<void> {
  if (answer === undefined) {
    throw new UsageError(
      'there is no terminal to confirm this plan: give --yes to skip the confirmation, or --plan to only print the plan',
    );
  }
  console.err('Continue? [y/N] ');
  const said = (await answer()).trim().toLowerCase();
  if (said !== 'y' && said !== 'yes') throw new UsageError('not confirmed: nothing was done');
}

function fromTerminal(): (() => Promise<string>) | undefined {
  if (!isTerminal()) return undefined;
  return async () => {
    const lines = createInterface({ input: process.stdin });
    try {
      return await lines.question('');
    } finally {
      lines.close();
    }
  };
}
