import { STANDARD, QUICK } from '../../../controller/periods.ts';
import type { Periods } from '../../../controller/periods.ts';
import { referenceWith } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

const variant = {
  name: 'mutant:counts-unready-nodes',
  summary: 'counts a node that registered but never becomes Ready as free capacity forever: pods wait for it',
};

/** The planted bug: it waits forever for nodes that are not ready. */
function patient(periods: Periods): Periods {
  return { ...periods, readyPatienceMs: Infinity, initializationTimeoutMs: Infinity };
}

export const countsUnreadyNodes: Mutant = {
  target: {
    ...referenceWith(variant, patient(STANDARD)),
    quick: referenceWith({ ...variant, name: `${variant.name}:quick` }, patient(QUICK)),
  },
  resembles: 'nodes that were never ready kept every scale-up waiting (autoscaler#5959)',
  caughtBy: {
    scenario: 'registration/capacity-on-unready-node',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/second-*',
    seeds: 'every',
  },
};
