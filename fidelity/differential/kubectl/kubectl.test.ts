import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../../model/package-root.ts';
import { KUBECTL, versionOf, withKubectl } from '../../../world/testing/kubectl.ts';
import { KNOWN_DIFFERENCES } from './known.ts';
import { KUBECTL_ANSWERS, runSession } from './session.ts';
import type { KubectlAnswers } from './session.ts';
import { SESSIONS } from './sessions.ts';

/** The least number of commands that print the same. */
const MIN_EQUAL = 249;

const real = JSON.parse(readFileSync(join(packageRoot(), KUBECTL_ANSWERS), 'utf8')) as KubectlAnswers;
const version = versionOf(KUBECTL);

/** As in the recording: roles decide, and no cloud controller deletes nodes without an instance. */
const LIKE_THE_REAL_ONE: Parameters<typeof withKubectl>[1] = {
  started: true,
  without: ['cloud-controller'],
  targetAccount: { namespace: 'kube-system', name: 'app' },
};

test('every session has a recorded answer', () => {
  expect(Object.keys(real.sessions)).toEqual(SESSIONS.map(({ id }) => id));
  for (const { id, steps } of SESSIONS) expect(real.sessions[id], id).toHaveLength(steps.length);
  expect(
    Object.keys(KNOWN_DIFFERENCES).filter(
      (name) => !SESSIONS.some(({ id, steps }) => steps.some((step) => nameOf(id, step.args) === name)),
    ),
  ).toEqual([]);
});

test(`kubectl prints what it prints for ${real.version}`, async ({}, testInfo) => {
  test.skip(version !== real.version, `${KUBECTL} is ${version ?? 'missing'}: KUBECTL has to name a kubectl ${real.version}`);
  test.setTimeout(600_000);
  const different: string[] = [];
  const surprises: string[] = [];
  await withKubectl(testInfo.outputPath('home'), LIKE_THE_REAL_ONE, async (kubectl) => {
    for (const session of SESSIONS) {
      const ours = await runSession(session, kubectl);
      for (const [index, { args }] of session.steps.entries()) {
        const name = nameOf(session.id, args);
        try {
          expect(ours[index]).toEqual(real.sessions[session.id]?.[index]);
        } catch (error) {
          different.push(name);
          if (KNOWN_DIFFERENCES[name] === undefined) surprises.push(`${name}: ${String(error)}`);
        }
      }
    }
  });
  const commands = SESSIONS.reduce((sum, { steps }) => sum + steps.length, 0);
  const equal = commands - different.length;
  const known = Object.entries(KNOWN_DIFFERENCES).map(([name, why]) => `${name}: ${why}`);
  testInfo.annotations.push({ type: 'measured', description: [`${equal} of ${commands} commands print the same`, ...known].join('; ') });
  expect(surprises.join('\n\n')).toBe('');
  expect(different, 'listed differences that are none any more').toEqual(Object.keys(KNOWN_DIFFERENCES));
  expect(equal).toBeGreaterThanOrEqual(MIN_EQUAL);
});

/** A command within its session; the same command may be there twice. */
function nameOf(session: string, args: readonly string[]): string {
  return `${session}: ${args.join(' ')}`;
}
