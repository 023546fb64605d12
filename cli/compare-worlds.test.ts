import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { comparisonSchema } from '../fidelity/compare-worlds.ts';
import type { HistoryEvent } from '../history/events.ts';
import { sampleRun } from '../reports/testing/sample-run.ts';
import { scaleproofHere } from './testing/command.ts';
import { folderWith } from './testing/files.ts';

const SCENARIO = 'provisioning/scale-out-and-back';

/** A run directory of one scenario, in a world with this name. */
function runDirectory(testInfo: TestInfo, world: string, rewrite: (events: HistoryEvent[]) => HistoryEvent[] = (events) => events): string {
  const { run, trials } = sampleRun({ only: [SCENARIO], rewrite });
  const directory = join(folderWith(testInfo), world);
  mkdirSync(join(directory, 'histories'), { recursive: true });
  writeFileSync(join(directory, 'run.json'), JSON.stringify({ ...run, world: { ...run.world, name: world } }));
  for (const { result, events } of trials)
    writeFileSync(join(directory, result.history), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  return directory;
}

/** Delays all events by a minute, starting with the first Ready node. */
function slowToBeReady(events: HistoryEvent[]): HistoryEvent[] {
  const from = events.findIndex((event) => event.type === 'node' && event.to === 'ready');
  return events.map((event, index) => (index < from ? event : { ...event, t: event.t + 60_000 }));
}

test('two runs that agree: a table of phases and exit code 0', async ({}, testInfo) => {
  const [a, b] = [runDirectory(testInfo, 'embedded'), runDirectory(testInfo, 'existing')];
  const { code, stdout, stderr } = await scaleproofHere(['compare-worlds', a, b]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(SCENARIO);
  expect(stdout).toMatch(/registered -> ready +\S+ +\S+ +\+0ms +\S+ +agrees/);
  expect(stdout).toContain('✓ THE WORLDS AGREE');
});

test('a phase that is slow in one of them: named in table and JSON, exit code 1', async ({}, testInfo) => {
  const [a, b] = [runDirectory(testInfo, 'embedded'), runDirectory(testInfo, 'existing', slowToBeReady)];
  const { code, stdout } = await scaleproofHere(['compare-worlds', a, b]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/registered -> ready .* DIFFERS/);
  const json = await scaleproofHere(['compare-worlds', a, b, '--json']);
  expect(json.code).toBe(1);
  const comparison = comparisonSchema.parse(JSON.parse(json.stdout));
  expect(comparison.scenarios[0]?.phases.find(({ phase }) => phase === 'registered -> ready')).toMatchObject({ outcome: 'differs' });
});

test('only the selected scenarios are compared; none is unknown', async ({}, testInfo) => {
  const [a, b] = [runDirectory(testInfo, 'embedded'), runDirectory(testInfo, 'existing', slowToBeReady)];
  const { code, stdout } = await scaleproofHere(['compare-worlds', a, b, '--scenario', 'no/such']);
  expect(code).toBe(3);
  expect(stdout).toContain('? UNKNOWN');
});

for (const line of ['compare-worlds', 'compare-worlds one', 'compare-worlds a b c', 'compare-worlds a b --world kind']) {
  test(`refused: ${line}`, async () => {
    const { code, stderr } = await scaleproofHere(line.split(' '));
    expect(code).toBe(2);
    expect(stderr).toContain('compare-worlds takes the directories of two runs, or --world kind or existing to run both');
  });
}

for (const flag of ['--seed 2', '--trials 1', '--target plain', '--suite capacity', '--keep', '--nodes 3', '--ec2 embedded', '--out x']) {
  test(`refused with two existing runs: ${flag}`, async () => {
    const { code, stderr } = await scaleproofHere(['compare-worlds', 'a', 'b', ...flag.split(' ')]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `${flag.split(' ')[0] ?? ''} is for compare-worlds --world kind or existing, which runs both worlds; leave it out`,
    );
  });
}

test('--machines is for the embedded world', async () => {
  const { code, stderr } = await scaleproofHere(['run', '--world', 'kind', '--machines', 'quick']);
  expect(code).toBe(2);
  expect(stderr).toContain('--machines is for --world embedded');
});
