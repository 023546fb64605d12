import type { VacuityReason } from '../harness/vacuity.ts';

/**
 * Why something may stay that matters to no verdict of `scaleproof mutants` (docs/mutants.md): a line for each that it
 * prints, and none for what it does not.
 */
export const VACUITY_REASONS: readonly VacuityReason[] = [
  {
    kind: 'check',
    names: ['faults-fired'],
    state: 'nothing-alone',
    reason: 'it finds no fault with a target, but makes a trial unknown in which a fault did not fire that had to',
  },
  {
    kind: 'check',
    names: ['harness'],
    state: 'nothing-alone',
    reason: 'it finds no fault with a target, but makes a trial unknown in which the harness failed or was interrupted',
  },
];
