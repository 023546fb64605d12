import type { RunReport } from './run-report.ts';

/** Whether the trials' clock was a virtual one: in real time nothing passes faster than on the wall. */
export function isVirtual({ world }: Pick<RunReport['run'], 'world'>): boolean {
  return world.capabilities.includes('time.virtual');
}

/** What the trials' time is called. */
export function timeName(run: Pick<RunReport['run'], 'world'>): 'virtual time' | 'real time' {
  return isVirtual(run) ? 'virtual time' : 'real time';
}
