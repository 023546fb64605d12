import { createHash } from 'node:crypto';
import { uidOf } from '../../../controller/api.ts';
import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { noCollection } from '../no-collection.ts';

const NONCE_DIGITS = 16;

export const tokenLostInCrash: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:token-lost-in-crash',
    summary:
      'derives client tokens from state that is lost with its process: if it is killed between a launch and its record, it launches twice',
    makeParts: (context) => {
      // The planted bug: another process has another nonce, so it does not repeat the launch but launches again.
      const nonce = context.runtime.random.hex(NONCE_DIGITS);
      const token = (text: string): string => createHash('sha256').update(`${nonce}/${text}`).digest('hex');
      return {
        ...createParts(context),
        launcher: createLauncher(context, { token: (claim, attempt) => token(`${uidOf(claim)}/${attempt.number}`) }),
        collector: noCollection,
      };
    },
  }),
  resembles: 'a crash between the launch and its record left an instance behind (karpenter-provider-aws#549, #1380)',
  caughtBy: {
    scenario: 'crashes/killed-at-side-effect',
    check: 'no-leaked-instances',
    code: 'leaked-instance',
    object: 'instance/*',
    seeds: 'some',
    needs: 'crash',
  },
};
