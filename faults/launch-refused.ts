import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeOfferings, offeringParams, selectorOf } from './offering-params.ts';

const params = z.strictObject(offeringParams);

/** As quoted in aws/karpenter-provider-aws#5850, where correct on-demand launches were refused for 70 minutes. */
const REFUSAL = {
  code: 'InvalidParameterValue',
  message: 'You cannot specify tags for Spot instances requests if there are no Spot instances requests being created by the request.',
} as const;

/**
 * Launches into offerings are refused, for another reason than capacity. RunInstances is refused; a fleet's response lists the
 * refusal among its errors, besides the instances of other offerings. Legal: it has happened, and what an account may launch
 * differs by type and zone.
 */
export const launchRefused = defineFault({
  name: 'launch-refused',
  summary: 'launches into offerings (by type, zone and capacity type) are refused for a reason other than capacity',
  params,
  legal: true,
  capabilities: () => ['capacity.set'],
  color: '#92400e',
  describe: (given) => `launches into ${describeOfferings(given)} are refused with ${REFUSAL.code}`,
  inject: (given, { ports, fired }) =>
    ports.capacity.refuse({ selector: selectorOf(given), refusal: REFUSAL, fired: (span) => fired(span) }),
});
