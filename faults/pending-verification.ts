import { z } from 'zod';
import { defineFault } from './fault.ts';
import { EC2_LAUNCHES } from '../history/launch-requests.ts';

const params = z.strictObject({});

/** As quoted by people whose new account or region was being verified, with status 400. */
const REFUSAL = {
  status: 400,
  code: 'PendingVerification',
  message:
    'Your request for accessing resources in this region is being validated, and you will not be able to launch additional resources in this region until the validation is complete. We will notify you by email once your request has been validated. While normally resolved within minutes, please allow up to 4 hours for this process to complete.',
} as const;

/**
 * AWS verifies the account, and refuses every launch until that is done; those of Auto Scaling groups end as failed activities.
 * Legal: it happens in new accounts and regions. Sources: "Error codes for the Amazon EC2 API" (PendingVerification); for groups,
 * kubernetes/kops#3606, and eksctl-io/eksctl#1022, where Auto Scaling quotes the message.
 */
export const pendingVerification = defineFault({
  name: 'pending-verification',
  summary: 'the account is being verified: every launch is refused with PendingVerification, also those of Auto Scaling groups',
  params,
  legal: true,
  capabilities: () => ['wire.aws', 'capacity.set'],
  color: '#7c2d12',
  describe: () => 'the account is being verified, and may not launch instances',
  inject: (_given, { arm, ports, fired }) => {
    const { code, message } = REFUSAL;
    const allowGroups = ports.capacity.refuse({ selector: {}, refusal: { code, message }, fired });
    const allow = arm({
      trigger: { match: { operations: EC2_LAUNCHES }, when: { kind: 'always' }, moment: 'before' },
      effect: { kind: 'refuse', refusal: REFUSAL },
      fired: (span) => fired(span),
    });
    return () => {
      allow();
      return allowGroups();
    };
  },
});
