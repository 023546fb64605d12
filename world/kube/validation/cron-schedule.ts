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
const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const EVERY = '@every ';
/** A duration of Go's `time.ParseDuration`. */
const DURATION = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h)(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))*$/;

/**
 * What is wrong with the schedule of a CronJob, in the words of `ParseStandard` of github.com/robfig/cron v3, by which the API server
 * checks it; undefined if it is right. Time zones in a schedule are not known here.
 */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return descriptorProblem(schedule);
  const fields = schedule.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== FIELDS.length) return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [index, field] of FIELDS.entries()) {
    for (const part of (fields[index] ?? '').split(',')) {
      const problem = rangeProblem(part, field);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function descriptorProblem(text: string): string | undefined {
  if (DESCRIPTORS.includes(text)) return undefined;
  if (!text.startsWith(EVERY)) return `unrecognized descriptor: ${text}`;
  const duration = text.slice(EVERY.length);
  if (DURATION.test(duration)) return undefined;
  return `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`;
}

/** One of `*`, `3`, `mon-fri`, each with a step or without. */
function rangeProblem(text: string, { min, max, names = [] }: Field): string | undefined {
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
  return step !== undefined && Number(step) === 0 ? `step of range should be a positive number: ${text}` : undefined;
}
