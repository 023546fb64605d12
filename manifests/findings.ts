import type { Feasibility } from './feasibility.ts';

/** What a finding means, for terminals and reports. */
export function describeFinding(kind: Feasibility['kind']): string {
  const words = {
    servable: 'it can be served',
    partly: 'it may not be served in full, even if nothing goes wrong',
    unservable: 'it CAN NOT BE SERVED by these pools, even if nothing goes wrong',
    untestable: 'it can not be tested here',
  };
  return words[kind];
}
