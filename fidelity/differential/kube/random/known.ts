import type { KnownClasses } from '../../agreement.ts';

const reason = 'an empty map is dropped before validation: a refusal shows null where the real server shows {}';
const nameFor = (plural: string): string => `apply ${plural} 422 Invalid: body.details.causes.*.message differs`;

/** Classes of differences between our API server and the real one. May only shrink. */
export const KNOWN_CLASSES: KnownClasses = { [nameFor('replicasets')]: { reason, most: 1, example: 'r672' } };

/** Classes and limits when 5,000 scripts of the recording's seed are run. May only shrink, too. */
export const KNOWN_BEYOND: KnownClasses = {
  [nameFor('replicasets')]: { reason, most: 2, example: 'r672' },
  [nameFor('deployments')]: { reason, most: 1, example: 'r3395' },
  [nameFor('statefulsets')]: { reason, most: 1, example: 'r4874' },
};
