import { CutShortError } from '../../../model/cut-short.ts';

/** A trial hit the user's limit of instances: what it would have done with more is unknown. */
export class OverBudgetError extends CutShortError {
  /** @param what happened to the instances, `launched` or `seen` */
  constructor(maxInstances: number, what: 'launched' | 'seen') {
    super(
      `the instance budget was reached: more than ${maxInstances} would have been ${what} in this trial (--max-instances allows more); what happened before stands`,
    );
    this.name = 'OverBudgetError';
  }
}
