import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeOfferings, offeringParams, selectorOf } from './offering-params.ts';

const params = z.strictObject(offeringParams);

/** As quoted in aws/karpenter-provider-aws#5850, where on-demand launches without a mistake in them met it for 70 minutes. */
const REFUSAL = {
  code: 'InvalidParameterValue',
  message: 'You cannot specify tags for Spot instances requests if there are no Spot instances requests being created by the request.',
} as const;

/**
 * Launches into offerings are refused, and not for lack of capacity. RunInstances is refused; a fleet's answer has the refusal
 * among its errors, beside the instances that other offerings gave. Legal: it has happened, and what an account may launch
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
