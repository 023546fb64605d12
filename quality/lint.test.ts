import { relative } from 'node:path';
import { expect, test } from '@playwright/test';
import { ESLint } from 'eslint';
import { root } from './sources.ts';

/** To check the types of all files takes more than a minute of processor time, which the other workers' trials may slow down several times. */
const TIMEOUT_MS = 30 * 60_000;

// Serial, because the tests share a TypeScript program, which takes most of the time.
test.describe.configure({ mode: 'default', timeout: TIMEOUT_MS });

const eslint = new ESLint({
  cwd: root,
  // The planted file need not exist. Set for all files, because the project service keeps the options of its first file.
  overrideConfig: {
    files: ['**/*.ts'],
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: ['controller/planted.ts'], defaultProject: 'tsconfig.json' } },
    },
  },
});

test('the code keeps the lint rules, and every exception has a reason', { tag: '@long' }, async () => {
  const results = await eslint.lintFiles('.');
  const complaints = results.flatMap(({ filePath, messages, suppressedMessages }) => [
    ...messages.map(({ line, message, ruleId }) => `${relative(root, filePath)}:${line} ${message} (${ruleId ?? 'parser'})`),
    ...suppressedMessages
      .filter(({ suppressions }) => suppressions.some(({ justification }) => justification.trim() === ''))
      .map(
        ({ line, ruleId }) =>
          `${relative(root, filePath)}:${line} ${ruleId ?? 'a rule'} is disabled without a reason: add one after \`--\``,
      ),
  ]);
  expect(complaints.length, complaints.join('\n')).toBe(0);
});

const TIME = 'scaleproof/time-and-chance';
const STATE = 'scaleproof/module-state';
const OPTIONAL = 'scaleproof/optional-fields';

/** Lines of a file in controller/, each with the rule that it breaks, if any. */
const PLANTED: readonly (readonly [line: string, rule?: string])[] = [
  ["import { createHash, randomBytes as bytes } from 'node:crypto';", TIME],
  ["import { randomUUID as id } from 'crypto';", TIME],
  ["import { setTimeout as pause } from 'node:timers/promises';", TIME],
  ["import { scheduler } from 'node:timers/promises';"],
  ["import * as crypto from 'node:crypto';"],
  ["import timers from 'node:timers';"],
  ["import { hrtime as clock } from 'node:process';", TIME],
  ["import '../runtime/clock.ts';", 'no-restricted-syntax'],
  ['export const started = Date.now();', TIME],
  ["export const again = globalThis.Date['now']();", TIME],
  ['export const { now } = Date;', TIME],
  ['export const { random: dice } = Math;', TIME],
  ['export const today = new Date();', TIME],
  ['export const text = Date();', TIME],
  ['const MyDate = Date;'],
  ['export const mine = new MyDate();', TIME],
  ['export const wait = () => globalThis.setTimeout(() => undefined, 1);', TIME],
  ['export const soon = () => setImmediate(() => undefined);', TIME],
  ['export const often = () => timers.setInterval(() => undefined, 1);', TIME],
  ['export const later = setTimeout;', TIME],
  ['export const rest = () => scheduler.wait(1);', TIME],
  ['export const limit = () => AbortSignal.timeout(1);', TIME],
  ['export const sinceMs = () => performance.now();', TIME],
  ['export const high = () => process.hrtime.bigint();', TIME],
  ['export const web = () => globalThis.crypto.getRandomValues(new Uint8Array(1));', TIME],
  ['export const uuid = () => crypto.randomUUID();', TIME],
  ['export const day = new Date(0), own = { now: () => 1, random: () => 2 }.now();'],
  ['export const used = [createHash, bytes, id, pause, clock, dice] as const;'],
  ['let count = 0;', STATE],
  ['export const next = () => (count += 1);'],
  ['export const cache = new Map<string, number>();', STATE],
  ['export const list = [1, 2];', STATE],
  ['export const seen: ReadonlySet<string> = new Set();'],
  ["export const NAMES = ['a', 'b'] as const;"],
  ['const totals = { launched: 0 };'],
  ['export const launch = () => (totals.launched += 1);', STATE],
  ['export class Pool { static size = 1; static readonly LIMIT = 2; }', STATE],
  ['export const sized = (cpu?: number) => ({ ...(cpu === undefined ? {} : { cpu: String(cpu) }) });', OPTIONAL],
  ['export const named = (name?: string) => ({ ...(undefined !== name ? { name } : {}) });', OPTIONAL],
  ['export const small = (cpu?: number) => ({ ...(cpu === 1 ? {} : { cpu }), ...(cpu === undefined ? { cpu: 1 } : {}) });'],
  ['export const parts = (cpu?: number) => [...(cpu === undefined ? [] : [cpu])];'],
  ['export const parsed = (value: any) => String(value);', '@typescript-eslint/no-explicit-any'],
  ['export const first = (values: string[]) => values[0]!;', '@typescript-eslint/no-non-null-assertion'],
  ['export const forget = (work: () => Promise<void>) => { work(); };', '@typescript-eslint/no-floating-promises'],
  ['export const unused = () => { const nothing = 1; };', '@typescript-eslint/no-unused-vars'],
  ["export const print = () => { console.log('x'); };", 'no-console'],
  ['launch();', 'no-restricted-syntax'],
];

test('every rule finds its planted violation, and nothing else', { tag: '@long' }, async () => {
  const [result] = await eslint.lintText(PLANTED.map(([line]) => line).join('\n'), { filePath: 'controller/planted.ts' });
  const found = PLANTED.map(([line], index) => {
    const rules = result?.messages.filter((message) => message.line === index + 1).map(({ ruleId }) => ruleId) ?? [];
    return rules.length === 0 ? [line] : [line, [...new Set(rules)].join(' and ')];
  });
  expect(found, JSON.stringify(result?.messages.find(({ fatal }) => fatal === true))).toEqual(PLANTED);
});
