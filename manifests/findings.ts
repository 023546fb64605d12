import type { Feasibility } from './feasibility.ts';

/** The text of a finding, for terminals and reports. */
export function describeFinding(kind: Feasibility['kind']): string {
  const words = {
    servable: 'it can be served',
    partly: 'it may not be served completely, even without faults',
    unservable: 'it CAN NOT BE SERVED by these pools, even without faults',
    untestable: 'it can not be tested here',
  };
  return words[kind];
}
