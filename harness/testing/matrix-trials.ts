import { reference } from '../../targets/reference.ts';
import type { Declaration, Mutant } from '../../targets/mutants/mutant.ts';
import type { MatrixTrial } from '../mutant-trial.ts';

/** A trial of the reference that passes. */
export function passing(scenario: string, seed = 1, more: Partial<MatrixTrial> = {}): MatrixTrial {
  const judged = { verdict: 'pass', replay: 'line', findings: [], unknowns: [], fired: [], bounds: [] } as const;
  return { target: reference.name, scenario, seed, ...judged, ...more };
}

/** A trial with one finding per check, in this order, of code `CHECK-code` about `instance/i-1`. */
export function failing(target: string, scenario: string, checks: readonly string[], more: Partial<MatrixTrial> = {}): MatrixTrial {
  const findings = checks.map((check) => ({ check, code: `${check}-code`, object: 'instance/i-1', message: `${check} says so` }));
  const [first] = findings;
  const proof = first === undefined ? {} : { first: { ...first, atMs: 1_000 } };
  return { ...passing(scenario), target, verdict: 'fail', findings, ...proof, ...more };
}

/** A mutant that declares `CHECK-code` about an instance with every seed. */
export function mutantOf(name: string, scenario: string, check: string, more: Partial<Declaration> = {}): Mutant {
  const caughtBy = { scenario, check, code: `${check}-code`, object: 'instance/*', seeds: 'every', ...more } as const;
  return { target: { ...reference, name }, resembles: 'nothing', caughtBy };
}
