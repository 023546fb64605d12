import { expect, test } from '@playwright/test';
import { RUN_VARIABLE } from '../../model/program-environment.ts';
import { hostEnvironment } from './environment.ts';

test.afterEach(() => {
  delete process.env[RUN_VARIABLE];
});

test("a program's environment has the name of its run for the sweep, if there is one", () => {
  const { PATH = '' } = process.env;
  expect(hostEnvironment('/folder')).toEqual({ PATH, HOME: '/folder', TMPDIR: '/folder' });
  process.env[RUN_VARIABLE] = 'run1';
  expect(hostEnvironment('/folder')).toEqual({ PATH, HOME: '/folder', TMPDIR: '/folder', [RUN_VARIABLE]: 'run1' });
});
