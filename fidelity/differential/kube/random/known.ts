import type { KnownClasses } from '../../agreement.ts';

/** Classes of differences between our API server and the real one. May only shrink. */
export const KNOWN_CLASSES: KnownClasses = {
  'apply replicasets 422 Invalid: body.details.causes.*.message differs': {
    reason: 'an empty map that was sent is left out before it is validated: a refusal shows null where the real one shows {}',
    most: 1,
    example: 'r672',
  },
};
