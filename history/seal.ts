import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { EventOf, HistoryEvent } from './events.ts';

/**
 * Completes the history of a trial whose process could not: drops an incomplete last line, and adds the supervisor's event and
 * the end. A trial that wrote nothing gets a history of only these lines; if a process failed after completing its history,
 * the supervisor's event and a second end are appended.
 */
export function sealHistory(path: string, event: Omit<EventOf<'supervisor'>, 'i' | 't'>): void {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const lastLine = whole.trimEnd().split('\n').at(-1) ?? '';
  const last = lastLine === '' ? undefined : (JSON.parse(lastLine) as Pick<HistoryEvent, 'i' | 't'>);
  const seal: HistoryEvent[] = [
    { i: (last?.i ?? -1) + 1, t: last?.t ?? 0, ...event },
    { i: (last?.i ?? -1) + 2, t: last?.t ?? 0, type: 'trial.end' },
  ];
  writeFileSync(path, whole + seal.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
