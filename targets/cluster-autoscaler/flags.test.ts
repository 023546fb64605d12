import { expect, test } from '@playwright/test';
import { constantsWith } from './constants.ts';
import { withFlags } from './flags.ts';

const OWN = ['--v=1', '--expander=priority,least-waste', '--balance-similar-node-groups'];

test("a user's flags replace those of the same name, and may be repeated", () => {
  expect(withFlags(OWN, ['--expander=random', '--startup-taint=a', '--startup-taint=b'])).toEqual([
    '--v=1',
    '--balance-similar-node-groups',
    '--expander=random',
    '--startup-taint=a',
    '--startup-taint=b',
  ]);
});

for (const { flag, message } of [
  { flag: '--kubeconfig=/etc/own', message: '--kubeconfig is decided by the world' },
  { flag: '--scan-interval=soon', message: '--scan-interval must be a duration such as 10s or 1m30s, not "soon"' },
  { flag: 'scan-interval=10s', message: '"scan-interval=10s" must be written as --NAME=VALUE' },
]) {
  test(`refused: ${flag}`, () => {
    expect(() => withFlags(OWN, [flag])).toThrow(message);
  });
}

test('constants follow from flags', () => {
  const { emptyAfterMs: before } = constantsWith([]);
  const { emptyAfterMs, batchMaxMs } = constantsWith(['--scale-down-unneeded-time=2m', '--scan-interval=30s']);
  expect(before - emptyAfterMs).toBe(8 * 60_000 - 2 * 20_000);
  expect(batchMaxMs).toBe(32_000);
});
