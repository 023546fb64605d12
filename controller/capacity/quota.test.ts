import { expect, test } from '@playwright/test';
import { quotaOf } from './quota.ts';

for (const [type, quota] of [
  ['m6i.large', 'standard'],
  ['t3a.nano', 'standard'],
  ['r8gd.xlarge', 'standard'],
  ['i4i.large', 'standard'],
  ['im4gn.large', 'standard'],
  ['is4gen.large', 'standard'],
  ['g4dn.xlarge', 'g'],
  ['vt1.3xlarge', 'g'],
  ['p5.48xlarge', 'p'],
  ['x2iedn.xlarge', 'x'],
  ['u-24tb1.112xlarge', 'u'],
  ['u7i-12tb.224xlarge', 'u'],
  ['hpc7a.96xlarge', 'hpc'],
  ['inf2.xlarge', 'inf'],
  ['trn1.2xlarge', 'trn'],
] as const) {
  test(`${type} draws on ${quota}`, () => {
    expect(quotaOf(type)).toBe(quota);
  });
}
