import type { KnownClasses } from '../../agreement.ts';

/** Classes of differences between our API server and the real one. May only shrink. */
export const KNOWN_CLASSES: KnownClasses = {
  'apply replicasets 422 Invalid: body.details.causes.*.message differs': {
    reason: 'an empty map is dropped before validation: a refusal shows null where the real server shows {}',
    most: 1,
    example: 'r672',
  },
};
