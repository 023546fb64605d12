import type { Console } from '../cli/console.ts';

const COLUMNS = 120;

/** What a worker has to say, which Playwright shows beside its tests. */
export function workerConsole(): Console {
  const write = (text: string): void => void process.stderr.write(text);
  return { out: write, err: write, interactive: false, color: false, columns: COLUMNS };
}
