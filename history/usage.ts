import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { HistoryError } from './reader.ts';

/** What a target's memory is: of a program in WebAssembly the memory that it has, which only grows; of another its resident memory. */
const memoryKindSchema = z.enum(['webassembly', 'resident']);
export type MemoryKind = z.infer<typeof memoryKindSchema>;

const amount = z.number().nonnegative();

/**
 * What a target used of the machine in a trial. It is measured, so it differs a little from run to run: it is kept beside the history,
 * whose bytes are the same each time.
 */
export const usageSchema = z.object({
  /** Processor time of all incarnations, user and system. */
  cpuMs: amount,
  memory: memoryKindSchema,
  /** The most memory that an incarnation had. */
  peakMiB: amount,
  /** Where a scenario expects steady memory: what an incarnation held, without garbage, at times since the start of the trial. */
  samples: z.array(z.object({ t: amount, incarnation: z.number().int().positive(), heapMiB: amount })),
});
export type Usage = z.infer<typeof usageSchema>;

/** The file beside a history. @param history its path */
export function usagePath(history: string): string {
  return history.replace(/\.jsonl$/, '.usage.json');
}

/** Writes what was measured beside a history. */
export function writeUsage(history: string, usage: Usage): void {
  writeFileSync(usagePath(history), `${JSON.stringify(usage)}\n`);
}

/**
 * Reads what was measured beside a history.
 * @returns undefined if nothing was: the target shares the trial's process, or that process was killed
 * @throws HistoryError when the file is damaged
 */
export function readUsage(history: string): Usage | undefined {
  const path = usagePath(history);
  if (!existsSync(path)) return undefined;
  try {
    return usageSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new HistoryError(`${path}: can't be read (${error instanceof Error ? error.message : String(error)})`);
  }
}

/** Removes a history, with what was measured beside it. */
export function removeHistory(history: string): void {
  for (const path of [history, usagePath(history)]) rmSync(path, { force: true });
}
