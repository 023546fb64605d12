import type { NodeClaim } from '../../../controller/api.ts';
import { readAttempt, writeAttempt } from '../../../controller/launch/attempt.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The claim as if its refused attempt allowed the next one at once. */
function impatient(claim: NodeClaim): NodeClaim {
  const attempt = readAttempt(claim);
  if (attempt === undefined) return claim;
  // The planted bug: only the queue's backoff is left, and the write of each refusal starts another reconcile.
  const annotations = { ...claim.metadata.annotations, ...writeAttempt({ ...attempt, nextFromMs: undefined }) };
  return { ...claim, metadata: { ...claim.metadata, annotations } };
}

export const ignoredLaunchBackoff: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-launch-backoff',
    summary: 'records each refused launch in its claim, and that change starts the next launch at once',
    makeParts: (context) => {
      const right = createParts(context);
      const { launcher } = right;
      return { ...right, launcher: { find: (claim) => launcher.find(claim), launch: (claim) => launcher.launch(impatient(claim)) } };
    },
  }),
  resembles: 'controllers whose own status writes cancelled their backoff (cluster-api#5945, cloud-credential-operator#54)',
  caughtBy: {
    scenario: 'faulty-api/pending-verification',
    check: 'request-amplification',
    code: 'request-hammered',
    object: 'ec2:CreateFleet',
    seeds: 'every',
  },
};
