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
  { flag: '--scale-down-enabled=false', message: "--scale-down-enabled can't be turned off" },
]) {
  test(`refused: ${flag}`, () => {
    expect(() => withFlags(OWN, [flag])).toThrow(message);
  });
}

test('constants follow from flags', () => {
  const { emptyAfterMs: before } = constantsWith([]);
  const { emptyAfterMs, batchMaxMs } = constantsWith([
    '--scale-down-unneeded-time=2m',
    '--scale-down-unready-time=2m',
    '--scan-interval=30s',
  ]);
  expect(before - emptyAfterMs).toBe(8 * 60_000 - 2 * 20_000);
  expect(batchMaxMs).toBe(32_000);
  for (const { flag, constant, more } of [
    { flag: '--new-pod-scale-up-delay=1m', constant: 'batchMaxMs', more: 58_000 },
    { flag: '--node-deletion-batcher-interval=1m', constant: 'terminationMs', more: 60_000 },
    { flag: '--scale-down-delay-after-delete=11m', constant: 'emptyAfterMs', more: 60_000 },
    { flag: '--scale-down-delay-after-failure=11m', constant: 'emptyAfterMs', more: 60_000 },
    { flag: '--unremovable-node-recheck-timeout=11m', constant: 'emptyAfterMs', more: 60_000 },
    { flag: '--scale-down-unready-time=21m', constant: 'emptyAfterMs', more: 60_000 },
  ] as const)
    expect(constantsWith([flag])[constant] - constantsWith([])[constant], flag).toBe(more);
});
