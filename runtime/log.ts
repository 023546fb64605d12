/** Structured facts of a log line: plain JSON values. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** `panic`: a bug that this program caught, but that would have crashed a less careful one. */
export type LogLevel = 'info' | 'warn' | 'error' | 'panic';

/** A logger is one function: in a trial it writes into the history, in a process to standard error. */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

/**
 * Logs a failure that was handled. An error of the language itself (a TypeError, say) is a bug, not an answer from outside: it is
 * logged as a panic, with its place in the code. Anything else is logged at the level given.
 */
export function logFailure(log: Log, level: LogLevel, message: string, error: unknown, fields?: LogFields): void {
  const isBug = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  if (isBug || level === 'panic') log('panic', message, { ...fields, at: placeOf(error) });
  else log(level, message, fields);
}

/** The line of code that an error came from. */
function placeOf(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const line = stack.split('\n').find((one) => one.trimStart().startsWith('at '));
  return line?.trim().replace(/^at /, '');
}
