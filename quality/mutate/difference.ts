import { readHistory } from '../../history/reader.ts';
import type { HistoryEvent } from '../../history/events.ts';

/** The first event that is not the same in two histories. */
export interface Difference {
  /** Virtual milliseconds since the start of the trial: the earlier of both. */
  readonly atMs: number;
  /** What happened there, in a few words; absent if the history was over. */
  readonly without?: string;
  readonly with?: string;
}

/**
 * The first difference between two histories, without log lines: those cross neither wire.
 * @param unchanged path of the history of the unchanged controller
 * @throws HistoryError when one can't be read
 */
export function differenceOf(unchanged: string, changed: string): Difference | undefined {
  return differenceIn(readHistory(unchanged).events, readHistory(changed).events);
}

/** The same, of events. */
export function differenceIn(unchanged: readonly HistoryEvent[], changed: readonly HistoryEvent[]): Difference | undefined {
  const [before, after] = [unchanged, changed].map((events) => events.filter((event) => event.type !== 'said' || event.by !== 'log'));
  const [old = [], now = []] = [before, after];
  for (let index = 0; index < Math.max(old.length, now.length); index += 1) {
    const [one, other] = [old[index], now[index]];
    if (one !== undefined && other !== undefined && contentOf(one) === contentOf(other)) continue;
    return {
      atMs: Math.min(one?.t ?? Infinity, other?.t ?? Infinity),
      ...(one && { without: nameOf(one) }),
      ...(other && { with: nameOf(other) }),
    };
  }
  return undefined;
}

/** An event without its index, which counts log lines too. */
function contentOf({ i: _i, ...content }: HistoryEvent): string {
  return JSON.stringify(content);
}

const MAX_NAME_LENGTH = 160;

function nameOf({ i: _i, t, type, ...content }: HistoryEvent): string {
  const words = Object.entries(content).map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const name = `${t} ms: ${type} ${words.join(' ')}`;
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}...` : name;
}
