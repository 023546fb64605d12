/** A schedule as cron has it, in UTC: the values that each field allows. */
export interface Cron {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** Both say which days: then one of them is enough. */
  readonly eitherDay: boolean;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/**
 * Reads the five fields of a cron schedule, or a macro such as `@daily`: what Kubernetes' CronJobs and Karpenter's budgets
 * take. Source: robfig/cron v3, `ParseStandard`.
 * @returns undefined if it can't be read
 */
export function parseCron(text: string): Cron | undefined {
  const fields = (MACROS[text.trim()] ?? text.trim()).split(/\s+/);
  if (fields.length !== 5) return undefined;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const minutes = parseField(minute, 0, 59);
  const hours = parseField(hour, 0, 23);
  const days = parseField(day, 1, 31);
  const months = parseField(month, 1, 12, MONTHS);
  const weekdays = parseField(weekday, 0, 6, WEEKDAYS);
  if (minutes === undefined || hours === undefined || days === undefined || months === undefined || weekdays === undefined)
    return undefined;
  return { minutes, hours, days, months, weekdays, eitherDay: !isAny(day) && !isAny(weekday) };
}

/** Whether the schedule begins anything in the minute of this moment. @param ms since the Unix epoch */
export function isHit(cron: Cron, ms: number): boolean {
  const date = new Date(ms);
  const isDay = cron.days.has(date.getUTCDate());
  const isWeekday = cron.weekdays.has(date.getUTCDay());
  return (
    cron.minutes.has(date.getUTCMinutes()) &&
    cron.hours.has(date.getUTCHours()) &&
    cron.months.has(date.getUTCMonth() + 1) &&
    (cron.eitherDay ? isDay || isWeekday : isDay && isWeekday)
  );
}

function isAny(field: string): boolean {
  return field.startsWith('*') || field.startsWith('?');
}

/** Lists of values and ranges, each with a step; undefined if one of them is none. */
function parseField(field: string, min: number, max: number, names: readonly string[] = []): Set<number> | undefined {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [, range = '', stepText] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
    const [fromText = '', toText] = range.split('-');
    const isAll = range === '*' || range === '?';
    const from = isAll ? min : numberOf(fromText, min, names);
    const last = isAll || (toText === undefined && stepText !== undefined) ? max : numberOf(toText ?? fromText, min, names);
    const step = Number(stepText ?? 1);
    if (from === undefined || last === undefined || from < min || last > max || from > last || step < 1) return undefined;
    for (let value = from; value <= last; value += step) values.add(value);
  }
  return values;
}

function numberOf(text: string, min: number, names: readonly string[]): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  if (named !== -1) return named + min;
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
