import type { KnownClasses } from '../../kube/differential/random/agreement.ts';

/** Classes of differences between our EC2 and SQS and LocalStack's. May only shrink. */
export const KNOWN_CLASSES: KnownClasses = {};
