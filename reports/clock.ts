import type { RunReport } from './run-report.ts';

/** Whether the trials ran in virtual time. */
export function isVirtual({ world }: Pick<RunReport['run'], 'world'>): boolean {
  return world.capabilities.includes('time.virtual');
}

/** The name of the trials' time. */
export function timeName(run: Pick<RunReport['run'], 'world'>): 'virtual time' | 'real time' {
  return isVirtual(run) ? 'virtual time' : 'real time';
}
