import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../model/package-root.ts';
import { skipWithout, withRunningWorld } from './testing/running-world.ts';

test('boto3 against IAM, STS and SSM of a running world', async ({}, testInfo) => {
  skipWithout('python3', ['-c', 'import boto3']);
  test.setTimeout(300_000);
  await withRunningWorld(testInfo, async ({ run }) => {
    const { code, stdout, stderr } = await run('python3', [join(packageRoot(), 'cli/world/testing/clients/python/account.py')]);
    expect(code, stderr).toBe(0);
    expect(stdout.trim().split('\n')).toEqual([
      'get_caller_identity',
      'assume_role',
      'get_role',
      'get_instance_profile',
      'list_instance_profiles',
      'delete_instance_profile',
      'get_parameter',
    ]);
  });
});
