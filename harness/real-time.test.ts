import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { stringify } from 'yaml';
import type { EventOf, EventType } from '../history/events.ts';
import { readHistory } from '../history/reader.ts';
import type { TrialResult } from '../history/verdict.ts';
import { packageRoot } from '../model/package-root.ts';
import { realTimeLimitMs } from './real-time-limit.ts';
import { worldFor } from './world-for.ts';
import { runTrial } from './run.ts';
import { quietTarget } from './testing/quiet-target.ts';

const scenarios = new URL('./testing/real-time.ts', import.meta.url).href;
const STUB = join(packageRoot(), 'targets/command/testing/stub.ts');

/** For a program that has little to do, so that waits in real time are short. */
const SHORT = {
  batchMax: '500ms',
  retryPeriod: '500ms',
  launchTimeout: '1s',
  registrationTimeout: '1s',
  collection: '1s',
  emptyAfter: '1s',
  termination: '1s',
};

const stub = {
  name: 'stub',
  constants: SHORT,
  pools: { command: ['${NODE}', STUB, 'exit', '0'] },
  ready: { delay: '0s' },
};

/** Runs a trial of a program. @returns the result, the codes of its findings, and a function that finds events by type */
async function runProgram(info: TestInfo, scenario: string, file: object) {
  const directory = info.outputPath('run');
  mkdirSync(join(directory, 'histories'), { recursive: true });
  const path = info.outputPath('target.yaml');
  writeFileSync(path, stringify(file));
  const result: TrialResult = await runTrial({
    scenario: { module: scenarios, export: scenario },
    target: { file: pathToFileURL(path).href },
    directory,
  });
  const { events } = readHistory(join(directory, result.history));
  return {
    result,
    codes: result.checks.flatMap(({ findings }) => findings.map(({ code }) => code)),
    messages: result.checks.flatMap(({ findings }) => findings.map(({ message }) => message)).join('\n'),
    ofType: <T extends EventType>(type: T) => events.filter((event): event is EventOf<T> => event.type === type),
  };
}

test('the reference as a process: killed by the world at its launch, restarted, and passes', { tag: '@long' }, async ({}, info) => {
  test.setTimeout(180_000);
  const { result, ofType, messages } = await runProgram(info, 'onePod', {
    name: 'reference as a process',
    command: ['${NODE}', join(packageRoot(), 'bin/reference-controller.js')],
    environment: { METRICS: '${METRICS_PORT}' },
    // Less than it needs at worst, so that the trial need not wait as long for the world to settle.
    constants: { batchMax: '1s', retryPeriod: '1s', emptyAfter: '70s', termination: '35s' },
    pools: { as: 'karpenter' },
    ready: { http: 'http://127.0.0.1:${METRICS_PORT}/readyz' },
  });
  expect(messages).toBe('');
  expect(result.verdict).toBe('pass');
  expect(result.replay).toMatch(/target=[^,@]+target\.yaml@[0-9a-f]{12},/);
  expect(ofType('target.exit')).toMatchObject([{ incarnation: 1, provoked: true, reason: 'killed at ec2:CreateFleet' }]);
  expect(ofType('target.ready').map(({ incarnation }) => incarnation)).toEqual([1, 2]);
  const launches = ofType('request.start').filter(({ operation }) => operation === 'ec2:CreateFleet');
  expect(new Set(launches.map(({ incarnation }) => incarnation))).toEqual(new Set([1, 2]));
  const [begin] = ofType('trial.begin');
  expect(begin?.world.capabilities).not.toContain('time.virtual');
  expect(ofType('said').some(({ by, principal }) => by === 'log' && principal === 'target')).toBe(true);
});

test('a program that exits at once: a finding with its exit code and last output', { tag: '@long' }, async ({}, info) => {
  const { result, codes, messages } = await runProgram(info, 'nothing', { ...stub, command: ['${NODE}', STUB, 'exit', '3'] });
  expect(result.verdict).toBe('fail');
  expect(codes).toContain('exited');
  expect(messages).toContain('exited with code 3; its last output: no configuration');
});

test("the harness stops waiting for a program that never becomes ready at its probe's limit", { tag: '@long' }, async ({}, info) => {
  const ready = { http: 'http://127.0.0.1:${PORT}/readyz', within: '1s' };
  const { result, codes, messages } = await runProgram(info, 'nothing', { ...stub, command: ['${NODE}', STUB, 'idle'], ready });
  expect(result.verdict).toBe('fail');
  expect(codes).toContain('exited');
  expect(messages).toMatch(/no healthy response from http:\/\/127\.0\.0\.1:\d+\/readyz within 1 s of its start/);
});

test('a crash fault kills the program at a request, and the next one is started at once', async ({}, info) => {
  const { ofType } = await runProgram(info, 'crashAtAsking', {
    ...stub,
    command: ['${NODE}', STUB, 'ask'],
    ready: { log: 'asked' },
  });
  expect(ofType('target.exit')).toMatchObject([{ incarnation: 1, provoked: true, reason: 'killed at ec2:DescribeInstances' }]);
  expect(ofType('target.start').map(({ incarnation }) => incarnation)).toEqual([1, 2]);
  const outcomesOf = (incarnation: number) => {
    const asked = ofType('request.start').filter((request) => request.principal === 'target' && request.incarnation === incarnation);
    return ofType('request.end').flatMap(({ span, outcome }) => (asked.some((request) => request.span === span) ? [outcome] : []));
  };
  expect(outcomesOf(1).at(-1)).toBe('info');
  // The end of the trial may cut off the last request, so the first one is tested.
  expect(outcomesOf(2)[0]).toBe('ok');
});

test('a program that was told to stop is gone when the trial is over, with its folder and sockets', async ({}, info) => {
  const { result, ofType } = await runProgram(info, 'nothing', { ...stub, command: ['${NODE}', STUB, 'idle'] });
  expect(result.verdict).toBe('pass');
  const home =
    ofType('said')
      .find(({ message }) => message.startsWith('home '))
      ?.message.slice('home '.length) ?? '';
  expect(home).toContain('scaleproof-target-');
  expect(existsSync(home)).toBe(false);
});

test('a failure of the program that translates pools is a finding', async ({}, info) => {
  const pools = { command: ['${NODE}', STUB, 'exit', '1'] };
  const { result, codes, messages } = await runProgram(info, 'nothing', { ...stub, command: ['${NODE}', STUB, 'idle'], pools });
  expect(result.verdict).toBe('fail');
  expect(codes).toContain('panicked');
  expect(messages).toContain('apply exited with code 1; its last output: no configuration');
});

test('real time has a limit derived from the bounds; virtual time has none', () => {
  const { constants } = quietTarget();
  const size = { nodes: 10, offerings: 9 };
  const real = worldFor({ time: 'real' });
  expect(realTimeLimitMs(constants, worldFor({}), size)).toBeUndefined();
  const short = realTimeLimitMs(constants, real, size) ?? 0;
  expect(short).toBeGreaterThan(120_000);
  expect(realTimeLimitMs({ ...constants, emptyAfterMs: 60_000 }, real, size)).toBeGreaterThan(short);
  expect(realTimeLimitMs({ ...constants, emptyAfterMs: 1e9 }, real, size)).toBe(6 * 3_600_000);
});
