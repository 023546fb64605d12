import type { CheckResult } from '../history/verdict.ts';

/** The check that looks at the target's life. */
const LIFE = 'target-alive';
/** Its findings that leave nobody to do the work: everything else that is found may come of them. */
const DEADLY: readonly string[] = ['exited', 'panicked', 'not-ready', 'hung', 'spun', 'out-of-memory', 'flooded'];

/** The checks of a trial in their order, but a target that did not live before all that it left undone. */
export function causesFirst<T extends Pick<CheckResult, 'check' | 'findings'>>(checks: readonly T[]): T[] {
  const isCause = ({ check, findings }: T): boolean => check === LIFE && findings.some(({ code }) => DEADLY.includes(code));
  return [...checks.filter(isCause), ...checks.filter((check) => !isCause(check))];
}
