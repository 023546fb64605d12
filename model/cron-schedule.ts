import { parseDurationMs } from './go-duration.ts';

/** Limits of a field of a schedule, and its names. */
interface Field {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
/** Descriptors and what they stand for. */
const DESCRIPTORS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
const EVERY = '@every ';
/** A duration of Go's `time.ParseDuration`. */
const DURATION = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h)(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))*$/;

/**
 * What is wrong with the schedule of a CronJob, in the words of `ParseStandard` of github.com/robfig/cron v3, by which the API server
 * checks it; undefined if it is right. Time zones in a schedule are not known here.
 */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return descriptorProblem(schedule);
  const fields = fieldsOf(schedule);
  if (fields.length !== FIELDS.length) return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [index, field] of FIELDS.entries()) {
    for (const part of (fields[index] ?? '').split(',')) {
      const range = readRange(part, field);
      if (typeof range === 'string') return range;
    }
  }
  return undefined;
}

const fieldsOf = (schedule: string): string[] => schedule.split(/\s+/).filter((field) => field !== '');

function descriptorProblem(text: string): string | undefined {
  if (DESCRIPTORS.has(text)) return undefined;
  if (!text.startsWith(EVERY)) return `unrecognized descriptor: ${text}`;
  const duration = text.slice(EVERY.length);
  if (DURATION.test(duration)) return undefined;
  return `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`;
}

/** Numbers of a field, every `step`th from `start` to `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  /** Whether it says that any value will do: `*` or `?`, without a step. */
  readonly isAny: boolean;
}

/** One of `*`, `3`, `mon-fri`, each with a step or without; or what is wrong with it. */
function readRange(text: string, { min, max, names = [] }: Field): Range | string {
  const [range = '', step, ...moreSteps] = text.split('/');
  if (moreSteps.length > 0) return `too many slashes: ${text}`;
  const [first = '', last, ...moreEnds] = range.split('-');
  if (moreEnds.length > 0) return `too many hyphens: ${text}`;
  const isAny = first === '*' || first === '?';
  const numbers = new Map<string, number>();
  for (const one of isAny ? [] : last === undefined ? [first] : [first, last]) {
    const place = names.indexOf(one.toLowerCase());
    if (place < 0 && !/^[+-]?\d+$/.test(one))
      return `failed to parse int from ${one}: strconv.Atoi: parsing ${JSON.stringify(one)}: invalid syntax`;
    numbers.set(one, place < 0 ? Number(one) : place + min);
  }
  if (step !== undefined && !/^\+?\d+$/.test(step))
    return `failed to parse int from ${step}: strconv.Atoi: parsing ${JSON.stringify(step)}: invalid syntax`;
  const start = isAny ? min : (numbers.get(first) ?? min);
  const hasNoEnd = last === undefined && step !== undefined;
  const end = isAny || hasNoEnd ? max : (numbers.get(last ?? first) ?? max);
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  const by = Number(step ?? 1);
  return by === 0 ? `step of range should be a positive number: ${text}` : { start, end, step: by, isAny: isAny && by === 1 };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * The times at which a CronJob of this schedule starts a run, in ms since 1970: after `fromMs` and not after `toMs`, as `Next` of
 * github.com/robfig/cron v3 gives them. If month and day of the week are both restricted, one of them has to match.
 * @param schedule one that the API accepts; others have no times
 * @param timeZone as in `spec.timeZone`; UTC by default, as in a control plane. Changes of its clock count from the next full hour
 */
export function cronTimes(schedule: string, { fromMs, toMs, timeZone }: { fromMs: number; toMs: number; timeZone?: string }): number[] {
  if (scheduleProblem(schedule) !== undefined) return [];
  if (schedule.startsWith(EVERY)) return timesEvery(parseDurationMs(schedule.slice(EVERY.length)), fromMs, toMs);
  const sets = fieldsOf(DESCRIPTORS.get(schedule) ?? schedule).map((text, index) => valuesOf(text, FIELDS[index] ?? { min: 0, max: 0 }));
  const times: number[] = [];
  for (let hourMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS; hourMs <= toMs; hourMs += HOUR_MS) {
    const offsetMs = timeZone === undefined ? 0 : offsetOf(timeZone, hourMs);
    for (let atMs = hourMs; atMs < hourMs + HOUR_MS && atMs <= toMs; atMs += MINUTE_MS) {
      if (atMs > fromMs && matches(sets, new Date(atMs + offsetMs))) times.push(atMs);
    }
  }
  return times;
}

/** Values of a field that match. */
interface Values {
  readonly numbers: ReadonlySet<number>;
  readonly isAny: boolean;
}

function valuesOf(text: string, field: Field): Values {
  const ranges = text.split(',').flatMap((part) => {
    const range = readRange(part, field);
    return typeof range === 'string' ? [] : [range];
  });
  const numbers = new Set<number>();
  for (const { start, end, step } of ranges) for (let value = start; value <= end; value += step) numbers.add(value);
  return { numbers, isAny: ranges.some(({ isAny }) => isAny) };
}

function matches([minute, hour, day, month, weekday]: readonly Values[], at: Date): boolean {
  const has = (values: Values | undefined, value: number): boolean => values?.numbers.has(value) === true;
  if (!has(minute, at.getUTCMinutes()) || !has(hour, at.getUTCHours()) || !has(month, at.getUTCMonth() + 1)) return false;
  const [isDay, isWeekday] = [has(day, at.getUTCDate()), has(weekday, at.getUTCDay())];
  return day?.isAny === true || weekday?.isAny === true ? isDay && isWeekday : isDay || isWeekday;
}

/** The least period of `@every`: shorter ones and those that are no whole seconds are rounded. */
const LEAST_EVERY_MS = 1_000;

function timesEvery(durationMs: number | undefined, fromMs: number, toMs: number): number[] {
  const periodMs = Math.max(LEAST_EVERY_MS, Math.floor((durationMs ?? 0) / LEAST_EVERY_MS) * LEAST_EVERY_MS);
  return Array.from({ length: Math.floor((toMs - fromMs) / periodMs) }, (_, index) => fromMs + (index + 1) * periodMs);
}

/** How far the zone's clock is ahead of UTC. */
function offsetOf(timeZone: string, atMs: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(atMs);
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((one) => one.type === type)?.value);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  return local - Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
}
