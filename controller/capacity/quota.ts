/** Families with their own vCPU quotas; all others count as standard. The longest matching prefix counts. */
const OWN_QUOTA: readonly string[] = ['dl', 'f', 'g', 'hpc', 'inf', 'p', 'trn', 'u', 'vt', 'x'];

/**
 * The vCPU quota of an instance type, one each for spot and on demand: `standard` (A, C, D, H, I, M, R, T, Z) or the family's
 * own. Source: EC2 User Guide, "Amazon EC2 instance type quotas".
 */
export function quotaOf(instanceType: string): string {
  const [, letters = ''] = /^([a-z]+)/.exec(instanceType) ?? [];
  if (letters === 'vt') return 'g';
  if (OWN_QUOTA.includes(letters)) return letters;
  // g5g, g6f, p4de, ...: the letters after the generation don't matter; u-24tb1 and u7i are one family.
  return 'standard';
}
