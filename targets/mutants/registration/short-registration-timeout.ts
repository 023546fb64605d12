import { QUICK, STANDARD } from '../../../controller/periods.ts';
import type { Periods } from '../../../controller/periods.ts';
import { constantsOf, referenceWith } from '../../reference.ts';
import type { Target } from '../../target.ts';
import type { Mutant } from '../mutant.ts';

/** The share of the declared timeout after which it gives up. */
const SHARE = 1 / 3;

function hasty(name: string, periods: Periods): Target {
  const summary = 'removes nodes long before the timeout that it declares: slow nodes are launched and terminated again and again';
  // The planted bug: it waits for less than it declares.
  const target = referenceWith({ name, summary }, { ...periods, registrationTimeoutMs: periods.registrationTimeoutMs * SHARE });
  return { ...target, constants: constantsOf(periods) };
}

export const shortRegistrationTimeout: Mutant = {
  target: { ...hasty('mutant:short-registration-timeout', STANDARD), quick: hasty('mutant:short-registration-timeout:quick', QUICK) },
  resembles: 'a timeout terminated each slow node before it could register (karpenter#2920)',
  caughtBy: {
    scenario: 'registration/slow-kubelets',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
