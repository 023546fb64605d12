/**
 * Instance types that most clusters are made of, and one or two of each rarer kind. A target that computes long on each type may have
 * a region with these alone: as many as a small region has, of every size from 2 to 96 processors.
 */
const FAMILIES = [
  ...['m5', 'm5a', 'm5d', 'm5n', 'm6a', 'm6g', 'm6i', 'm7a', 'm7g', 'm7i'],
  ...['c5', 'c6g', 'c6i', 'c7g', 'c7i'],
  ...['r5', 'r6a', 'r6g', 'r6i', 'r7a'],
] as const;
const SIZES = ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '24xlarge'] as const;
/** Burstable ones, accelerators, local disks, large memory, bare metal. */
const OTHERS = [
  ...['t3.small', 't3.medium', 't3.large', 't3.xlarge', 't4g.medium', 't4g.large'],
  ...['g4dn.xlarge', 'g4dn.12xlarge', 'g5.xlarge', 'g5g.xlarge', 'inf2.xlarge', 'trn1.2xlarge'],
  ...['i3.large', 'i4i.xlarge', 'x2iedn.xlarge', 'm5.metal', 'c5.metal', 'm6g.metal'],
] as const;

/** Their names; not every size is there of each family. */
export const COMMON_TYPES: ReadonlySet<string> = new Set([
  ...FAMILIES.flatMap((family) => SIZES.map((size) => `${family}.${size}`)),
  ...OTHERS,
]);
