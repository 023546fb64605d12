import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../model/package-root.ts';
import { awsOperations } from './testing/aws-operations.ts';
import { skipWithout, withRunningWorld } from './testing/running-world.ts';

test('boto3 against a running world', async ({}, testInfo) => {
  skipWithout('python3', ['-c', 'import boto3']);
  test.setTimeout(300_000);
  await withRunningWorld(testInfo, async ({ run }) => {
    const { code, stdout, stderr } = await run('python3', [join(packageRoot(), 'cli/world/testing/clients/python/ec2.py')]);
    expect(code, stderr).toBe(0);
    expect(stdout.trim().split('\n')).toEqual([
      'describe_instance_types',
      'describe_spot_price_history',
      'run_instances',
      'describe_instances',
      'create_fleet',
      'terminate_instances',
      'receive_message',
    ]);
  });
});

test('boto3 calls every AWS operation that docs/fidelity.md lists', async ({}, testInfo) => {
  skipWithout('python3', ['-c', 'import boto3']);
  test.setTimeout(300_000);
  await withRunningWorld(testInfo, async ({ run }) => {
    const { code, stdout, stderr } = await run('python3', [join(packageRoot(), 'cli/world/testing/clients/python/operations.py')]);
    expect(code, stderr).toBe(0);
    expect(stdout.trim().split('\n').sort()).toEqual(awsOperations());
  });
});
