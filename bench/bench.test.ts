import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { fileURLToPath } from 'node:url';

const BENCH = fileURLToPath(new URL('./bench.ts', import.meta.url));

test('the benchmark says how it is used, also to whoever uses it wrongly', async () => {
  const call = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await execa(process.execPath, [BENCH, ...args], { reject: false });
    return { exitCode, stdout: stdout.split('\n')[0], stderr: stderr.split('\n')[0] };
  };
  const usage = 'npm run bench -- [--only GROUP]... [--kubeconfig FILE] [--scale N]';
  expect(await call('--help')).toEqual({ exitCode: 0, stdout: usage, stderr: '' });
  const refused = (why: unknown): object => ({ exitCode: 2, stdout: '', stderr: why });
  expect(await call('--only', 'fleets', '--only', 'constructor')).toEqual(refused('there is no group constructor'));
  expect(await call('--scale', 'Infinity')).toEqual(refused('--scale must be a number above 0, not Infinity'));
  expect(await call('--fast')).toEqual(refused(expect.stringContaining("Unknown option '--fast'")));
  expect(await call('fleets')).toEqual(refused(expect.stringContaining("Unexpected argument 'fleets'")));
});
