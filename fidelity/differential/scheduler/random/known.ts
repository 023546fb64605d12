import type { KnownClasses } from '../../agreement.ts';

/** Classes of differences between our scheduler and the real one. May only shrink. */
export const KNOWN_CLASSES: KnownClasses = {
  'other victims': {
    reason: 'pods that no kubelet started have no start time: the choice among equals is random',
    most: 4,
    example: 's127',
  },
};

/** The same for random cases with storage. */
export const STORAGE_KNOWN: KnownClasses = {};
