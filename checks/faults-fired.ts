import type { FaultLife } from '../history/lives.ts';
import type { Check } from './check.ts';
import { count, unknownPart } from './parts.ts';

/** A trial whose fault never fired tested nothing: its verdict is unknown. */
export const faultsFired: Check = {
  name: 'faults-fired',
  summary: 'every fault that has to fire did fire',
  codes: {},
  judge: (view) => {
    if (view.faults.length === 0) return undefined;
    const vacuous = view.faults.filter(({ fired }) => fired.length === 0);
    const silent = vacuous.filter(({ armed }) => armed.fault.firing === 'must-fire');
    if (silent.length > 0) return unknownPart(`never fired: ${list(silent)}`);
    const summary = `${view.faults.length - vacuous.length} of ${count(view.faults.length, 'fault')} fired`;
    return {
      verdict: 'pass',
      summary: vacuous.length === 0 ? summary : `${summary}; vacuous: ${list(vacuous)}`,
      findings: [],
      measurements: [],
    };
  },
};

function list(faults: readonly FaultLife[]): string {
  return faults.map(({ armed }) => `${armed.fault.id} (${armed.fault.description})`).join(', ');
}
