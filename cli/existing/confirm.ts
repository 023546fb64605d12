import { createInterface } from 'node:readline/promises';
import type { Console } from '../console.ts';
import { UsageError } from '../usage-error.ts';

/** Whether there is a user to ask. */
function isTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/**
 * Asks whether to continue. @throws UsageError without a terminal, or if the answer is no
 * @param answer gets the answer, for tests; by default from the terminal
 */
export async function askToContinue(console: Console, answer: (() => Promise<string>) | undefined = fromTerminal()): Promise<void> {
  if (answer === undefined) {
    throw new UsageError('there is no terminal to confirm this plan: use --yes to skip the confirmation, or --plan to only print the plan');
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
