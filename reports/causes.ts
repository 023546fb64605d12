import type { CheckResult } from '../history/verdict.ts';

/** The check for the target's life cycle. */
const LIFE = 'target-alive';
/** Its findings after which the target does not work any more: they may cause all other findings. */
const DEADLY: readonly string[] = ['exited', 'panicked', 'not-ready', 'hung', 'spun', 'out-of-memory', 'flooded'];

/** The checks of a trial in order, except that a dead target comes first, before everything that it did not do. */
export function causesFirst<T extends Pick<CheckResult, 'check' | 'findings'>>(checks: readonly T[]): T[] {
  const isCause = ({ check, findings }: T): boolean => check === LIFE && findings.some(({ code }) => DEADLY.includes(code));
  return [...checks.filter(isCause), ...checks.filter((check) => !isCause(check))];
}
