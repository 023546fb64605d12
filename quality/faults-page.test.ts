import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { formatFaults } from '../cli/faults-page.ts';
import { faultCatalogue } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import { root } from './sources.ts';

const text = formatFaults(faultCatalogue);

test('docs/faults.md matches the catalogue', ({}, { config }) => {
  const path = join(root, 'docs', 'faults.md');
  if (config.updateSnapshots === 'changed' || config.updateSnapshots === 'all') writeFileSync(path, text);
  const hint = 'it is out of date: run `npx playwright test quality/faults-page.test.ts --update-snapshots` and commit it';
  expect(readFileSync(path, 'utf8'), hint).toBe(text);
});

test('every fault of docs/faults.md has an example, and each example can be injected', () => {
  const examples = [...text.matchAll(/^npx scaleproof world inject ([\w-]+)(?: '(.*)')?$/gm)];
  for (const [, name = '', params = '{}'] of examples) {
    const fault = faultCatalogue.find((one) => one.name === name);
    if (fault === undefined) throw new Error(`unknown fault ${name}`);
    expect(specify(fault, JSON.parse(params)).description, name).not.toBe('');
  }
  expect(new Set(examples.map(([, name]) => name))).toEqual(new Set(faultCatalogue.map(({ name }) => name)));
});

/** Source: "List the AWS FIS actions using the AWS CLI" and "AWS FIS Actions reference". */
const FIS_ACTIONS = [
  'aws:ec2:api-insufficient-instance-capacity-error',
  'aws:ec2:asg-insufficient-instance-capacity-error',
  'aws:ec2:send-spot-instance-interruptions',
  'aws:ec2:stop-instances',
  'aws:ec2:terminate-instances',
  'aws:eks:pod-delete',
  'aws:eks:pod-network-blackhole-port',
  'aws:eks:pod-network-latency',
  'aws:eks:pod-network-packet-loss',
  'aws:eks:terminate-nodegroup-instances',
  'aws:fis:inject-api-internal-error',
  'aws:fis:inject-api-throttle-error',
  'aws:fis:inject-api-unavailable-error',
  'aws:network:disrupt-connectivity',
];

test('every AWS FIS action that a fault names exists, and each action has a fault', () => {
  expect([...new Set(faultCatalogue.flatMap(({ fis = [] }) => fis))].sort()).toEqual(FIS_ACTIONS);
});
