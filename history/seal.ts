import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import type { EventOf, HistoryEvent } from './events.ts';

/** Where the last line is looked for first: most lines are much shorter. */
const TAIL_BYTES = 64 * 1024;

/**
 * Completes the history of a trial whose process could not: drops an incomplete last line, and adds the supervisor's event and
 * the end. A trial that wrote nothing gets a history of only these lines; if a process failed after completing its history,
 * the supervisor's event and a second end are appended.
 */
export function sealHistory(path: string, event: Omit<EventOf<'supervisor'>, 'i' | 't'>): void {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT);
  try {
    const { line, endsAt } = lastLine(file);
    const last = line === '' ? undefined : (JSON.parse(line) as Pick<HistoryEvent, 'i' | 't'>);
    const seal: HistoryEvent[] = [
      { i: (last?.i ?? -1) + 1, t: last?.t ?? 0, ...event },
      { i: (last?.i ?? -1) + 2, t: last?.t ?? 0, type: 'trial.end' },
    ];
    ftruncateSync(file, endsAt);
    writeSync(file, seal.map((one) => `${JSON.stringify(one)}\n`).join(''), endsAt);
  } finally {
    closeSync(file);
  }
}

/** The last line that is complete, empty if there is none, and the offset of what follows it. */
function lastLine(file: number): { readonly line: string; readonly endsAt: number } {
  const { size } = fstatSync(file);
  for (let length = TAIL_BYTES; ; length *= 2) {
    const from = Math.max(0, size - length);
    const tail = Buffer.alloc(size - from);
    readSync(file, tail, { position: from });
    const end = tail.lastIndexOf('\n');
    const before = end <= 0 ? -1 : tail.lastIndexOf('\n', end - 1);
    if (before === -1 && from > 0) continue;
    return { line: tail.toString('utf8', before + 1, Math.max(0, end)), endsAt: from + end + 1 };
  }
}
