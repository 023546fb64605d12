import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { appendDurably, wholeLines } from '../../gate/append.ts';
import type { PlannedTrial } from '../../harness/run.ts';
import type { RunFacts } from '../../reports/report-input.ts';
import { ownVersion } from '../own-version.ts';
import { UsageError } from '../usage-error.ts';

/** The trials of one version that are done, a line each, beside its run.json. */
export const CELLS_FILE = 'cells.jsonl';

/** The key of a history that is not a done trial's. */
const NONE = '';

const lineSchema = z.strictObject({ history: z.string(), key: z.string() });

/** What a trial depends on besides its own plan. */
export interface CellSources {
  /** SHA-256 of all code that a trial may run, with the scenarios, the harness and the bundled targets. */
  readonly sources: string;
  /** Of its target: SHA-256 of its file or program; undefined for a bundled one. */
  readonly target: string | undefined;
  readonly digests: RunFacts['digests'];
}

/**
 * Everything that decides a trial's history, as one digest: scenario and target with their sources, seed, nodes, instance types,
 * prices, Scaleproof and Node. Bounds follow from these. Verdicts are judged anew from the history.
 */
export function cellKeyOf({ replay, digest }: PlannedTrial, { sources, target, digests }: CellSources): string {
  const parts = [ownVersion(), process.version, sources, replay, digest, target ?? '', digests.catalogue, digests.prices];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** The trials that a version has a verdict for, kept on disk. One process at a time. */
export class Cells {
  readonly #path: string;
  readonly #directory: string;
  readonly #keys = new Map<string, string>();
  #wholeBytes = 0;

  /** @param directory of the version; it may be empty. @throws UsageError if the file is damaged */
  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, CELLS_FILE);
    if (!existsSync(this.#path)) return;
    const { lines, wholeBytes } = wholeLines(readFileSync(this.#path));
    this.#wholeBytes = wholeBytes;
    try {
      for (const line of lines) {
        const { history, key } = lineSchema.parse(JSON.parse(line));
        this.#keys.set(history, key);
      }
    } catch {
      throw new UsageError(`${this.#path} is damaged; remove it, and the trials of this version are run again`);
    }
  }

  /** Whether its history is that of exactly this trial. */
  has({ history }: PlannedTrial, key: string): boolean {
    return this.#keys.get(history) === key && existsSync(join(this.#directory, history));
  }

  /** Adds a trial that has a verdict. It is on disk when this returns. */
  add(history: string, key: string): void {
    this.#append(history, key);
  }

  /** Before a history is replaced: what is there until the new trial has a verdict belongs to no trial. */
  forget(history: string): void {
    if ((this.#keys.get(history) ?? NONE) !== NONE) this.#append(history, NONE);
  }

  #append(history: string, key: string): void {
    const line = `${JSON.stringify({ history, key })}\n`;
    appendDurably(this.#path, this.#wholeBytes, line);
    this.#wholeBytes += Buffer.byteLength(line);
    this.#keys.set(history, key);
  }
}
