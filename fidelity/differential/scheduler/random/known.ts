import type { KnownClasses } from '../../agreement.ts';

/** Classes of differences between our scheduler and the real one. May only shrink. */
export const KNOWN_CLASSES: KnownClasses = {
  'other victims': {
    reason: 'of pods that no kubelet started none is the oldest: which of equals goes is not determined',
    most: 4,
    example: 's127',
  },
};
