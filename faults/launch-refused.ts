import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeOfferings, offeringParams, selectorOf } from './offering-params.ts';

/**
 * What EC2 says, by code: errors that fleets have reported. Sources: aws/karpenter-provider-aws#5850, where correct on-demand
 * launches were refused for 70 minutes; #9498, with the message quoted in aws/aws-parallelcluster-node#415; #2177; and #6483.
 */
const MESSAGES = {
  InvalidParameterValue:
    'You cannot specify tags for Spot instances requests if there are no Spot instances requests being created by the request.',
  SpotMaxPriceTooLow: 'Your Spot request price of 0.001 is lower than the minimum required Spot request fulfillment price of 0.0374.',
  Unsupported: 'The requested configuration is currently not supported. Please check the documentation for supported configurations.',
  InvalidFleetConfiguration: 'Your requested instance type is not supported in your requested Availability Zone.',
} as const;

const params = z
  .strictObject({
    ...offeringParams,
    code: z
      .enum(['InvalidParameterValue', 'SpotMaxPriceTooLow', 'Unsupported', 'InvalidFleetConfiguration'])
      .default('InvalidParameterValue')
      .describe('the code of the error; SpotMaxPriceTooLow, which says that spot costs more than the launch may pay, is for spot only'),
  })
  .refine(({ code, capacityTypes = ['on-demand'] }) => code !== 'SpotMaxPriceTooLow' || !capacityTypes.includes('on-demand'), {
    path: ['capacityTypes'],
    message: 'SpotMaxPriceTooLow needs capacityTypes ["spot"]',
  });

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
  withholds: (given) => selectorOf(given),
  capabilities: () => ['capacity.set'],
  color: '#92400e',
  describe: (given) => `launches into ${describeOfferings(given)} are refused with ${given.code}`,
  inject: (given, { ports, fired }) =>
    ports.capacity.refuse({
      selector: selectorOf(given),
      refusal: { code: given.code, message: MESSAGES[given.code] },
      fired: (span) => fired(span),
    }),
});
