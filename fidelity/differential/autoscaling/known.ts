import type { KnownClasses } from '../agreement.ts';

/** Classes of differences between our Auto Scaling and moto's. May only shrink. */
export const KNOWN_CLASSES: KnownClasses = {
  'DescribeAutoScalingGroups: body.groups.*.cooldown differs': {
    reason: 'a group that is created with a cooldown of 0 has one of 300 in moto, which takes 0 for nothing',
    most: 16,
    example: 'a14',
  },
  'DescribeAutoScalingGroups: body.groups.*.template.* differs': {
    reason: 'moto forgets the policy of mixed instances in an update of other settings; that it stays is not said in so many words',
    most: 4,
    example: 'a15',
  },
};
