import type { Console } from '../cli/console.ts';

const COLUMNS = 120;

/** Messages of a worker, which Playwright shows with its tests. */
export function workerConsole(): Console {
  const write = (text: string): void => void process.stderr.write(text);
  return { out: write, err: write, interactive: false, color: false, columns: COLUMNS };
}
