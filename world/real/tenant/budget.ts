import { CutShortError } from '../../../model/cut-short.ts';

/** A trial came to the most instances that its user allows: what it would have done with more, nobody knows. */
export class OverBudgetError extends CutShortError {
  /** @param what became of the instances, `launched` or `seen` */
  constructor(maxInstances: number, what: 'launched' | 'seen') {
    super(
      `the instance budget was reached: more than ${maxInstances} would have been ${what} in this trial (--max-instances allows more); what happened before stands`,
    );
    this.name = 'OverBudgetError';
  }
}
