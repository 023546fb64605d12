/** A cron schedule in UTC: the values that each field allows. */
export interface Cron {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** Both day fields are restricted: then one match is enough. */
  readonly eitherDay: boolean;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const MACROS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** How far ahead the next hit is searched. */
const YEARS_AHEAD = 5;

/**
 * Parses the five fields of a cron schedule, or a macro such as `@daily`: what Kubernetes' CronJobs and Karpenter's budgets
 * accept, except `@every`. Source: robfig/cron v3, `ParseStandard`.
 * @returns undefined if it can't be parsed
 */
export function parseCron(text: string): Cron | undefined {
  const fields = (MACROS.get(text.trim()) ?? text.trim()).split(/\s+/);
  if (fields.length !== 5) return undefined;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const minutes = parseField(minute, 0, 59);
  const hours = parseField(hour, 0, 23);
  const days = parseField(day, 1, 31);
  const months = parseField(month, 1, 12, MONTHS);
  const weekdays = parseField(weekday, 0, 6, WEEKDAYS);
  if (minutes === undefined || hours === undefined || days === undefined || months === undefined || weekdays === undefined)
    return undefined;
  return {
    minutes: minutes.values,
    hours: hours.values,
    days: days.values,
    months: months.values,
    weekdays: weekdays.values,
    eitherDay: !days.isAny && !weekdays.isAny,
  };
}

/** Whether the schedule hits the minute of this moment. @param ms since the Unix epoch */
export function isHit(cron: Cron, ms: number): boolean {
  const date = new Date(ms);
  return cron.minutes.has(date.getUTCMinutes()) && cron.hours.has(date.getUTCHours()) && isDay(cron, date);
}

/**
 * The first hit of the schedule after this moment. It searches day by day and skips whole months, so that it is cheap even if
 * the hit is far away.
 * @param afterMs since the Unix epoch
 * @returns undefined if there is none before the end of the fifth year from now, for example for 30 February
 */
export function nextHit(cron: Cron, afterMs: number): number | undefined {
  const hours = [...cron.hours].sort((a, b) => a - b);
  const minutes = [...cron.minutes].sort((a, b) => a - b);
  const lastYear = new Date(afterMs).getUTCFullYear() + YEARS_AHEAD;
  let dayMs = Math.floor(afterMs / DAY_MS) * DAY_MS;
  for (;;) {
    const date = new Date(dayMs);
    if (date.getUTCFullYear() > lastYear) return undefined;
    if (isDay(cron, date)) {
      for (const hour of hours) {
        for (const minute of minutes) {
          const ms = dayMs + (60 * hour + minute) * MINUTE_MS;
          if (ms > afterMs) return ms;
        }
      }
    }
    dayMs = cron.months.has(date.getUTCMonth() + 1) ? dayMs + DAY_MS : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  }
}

/**
 * All hits of the schedule after one moment and up to another, in ms since the Unix epoch.
 * @param timeZone of the schedule, as in a CronJob's `spec.timeZone`; a change of its clock counts from the next full hour of UTC
 */
export function hitsWithin(
  cron: Cron,
  { fromMs, toMs, timeZone = 'UTC' }: { readonly fromMs: number; readonly toMs: number; readonly timeZone?: string },
): number[] {
  const hits: number[] = [];
  const clock = timeZone === 'UTC' ? undefined : clockOf(timeZone);
  for (let hourMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS; hourMs <= toMs; hourMs += HOUR_MS) {
    const offsetMs = clock === undefined ? 0 : offsetOf(clock, hourMs);
    for (let ms = hourMs; ms < hourMs + HOUR_MS && ms <= toMs; ms += MINUTE_MS)
      if (ms > fromMs && isHit(cron, ms + offsetMs)) hits.push(ms);
  }
  return hits;
}

/** To read the zone's clock. It takes longer to create than to use. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
}

/** How far the zone's clock is ahead of UTC at a full minute, in ms. */
function offsetOf(clock: Intl.DateTimeFormat, ms: number): number {
  const parts = clock.formatToParts(ms);
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((one) => one.type === type)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute')) - ms;
}

function isDay(cron: Cron, date: Date): boolean {
  const isOfMonth = cron.days.has(date.getUTCDate());
  const isOfWeek = cron.weekdays.has(date.getUTCDay());
  return cron.months.has(date.getUTCMonth() + 1) && (cron.eitherDay ? isOfMonth || isOfWeek : isOfMonth && isOfWeek);
}

interface Field {
  readonly values: ReadonlySet<number>;
  /** Whether one of its parts is a wildcard: a star without a step above one. */
  readonly isAny: boolean;
}

/** Parses a list of values and ranges, each with a step; undefined if one is invalid. Empty parts between commas are allowed. */
function parseField(field: string, min: number, max: number, names: readonly string[] = []): Field | undefined {
  const parts = field.split(',').filter((part) => part !== '');
  const parsed = parts.map((part) => parsePart(part, min, max, names)).filter((part) => part !== undefined);
  if (parsed.length < parts.length) return undefined;
  return { values: new Set(parsed.flatMap(({ values }) => values)), isAny: parsed.some(({ isAny }) => isAny) };
}

/** Source: robfig/cron v3, `getRange`: anything between a star and a step is also ignored. */
function parsePart(part: string, min: number, max: number, names: readonly string[]): { values: number[]; isAny: boolean } | undefined {
  const [range = '', stepText, ...moreSteps] = part.split('/');
  const [fromText = '', toText, ...moreRange] = range.split('-');
  const isStar = fromText === '*' || fromText === '?';
  if (moreSteps.length > 0 || (!isStar && moreRange.length > 0)) return undefined;
  const from = isStar ? min : numberOf(fromText, min, names);
  const isOpen = isStar || (toText === undefined && stepText !== undefined);
  const last = isOpen ? max : numberOf(toText ?? fromText, min, names);
  const step = stepText === undefined ? 1 : numberOf(stepText, 0, []);
  if (from === undefined || last === undefined || step === undefined) return undefined;
  if (from < min || last > max || from > last || step < 1) return undefined;
  const values = [];
  for (let value = from; value <= last; value += step) values.push(value);
  return { values, isAny: isStar && step === 1 };
}

function numberOf(text: string, min: number, names: readonly string[]): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  if (named !== -1) return named + min;
  return /^\+?\d+$/.test(text) ? Number(text) : undefined;
}
