import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../../model/package-root.ts';
import { createRandom } from '../../../runtime/random.ts';
import { createRealTimeline } from '../../../runtime/timeline.ts';
import { createEmbeddedWorld } from '../../../world/embedded.ts';
import { openSockets } from '../../../world/sockets.ts';
import { KUBECTL, kubectlOn, versionOf } from './kubectl.ts';
import { KNOWN_DIFFERENCES } from './known.ts';
import { KUBECTL_ANSWERS, runSession } from './session.ts';
import type { Kubectl, KubectlAnswers } from './session.ts';
import { SESSIONS } from './sessions.ts';

/** The least number of commands that print the same. */
const MIN_EQUAL = 249;

const real = JSON.parse(readFileSync(join(packageRoot(), KUBECTL_ANSWERS), 'utf8')) as KubectlAnswers;
const version = versionOf(KUBECTL);

async function withKubectl(folder: string, work: (kubectl: Kubectl) => Promise<void>): Promise<void> {
  const fail = (error: unknown): never => {
    throw error;
  };
  const world = createEmbeddedWorld(
    {
      timeline: createRealTimeline(),
      random: createRandom(1),
      recorder: { record: () => 0 },
      onKill: () => undefined,
      onFailure: fail,
      onFlood: fail,
    },
    // As in the recording: roles decide, and no cloud controller deletes nodes without an instance.
    { without: ['cloud-controller'], targetAccount: { namespace: 'kube-system', name: 'app' } },
  );
  await world.start();
  await mkdir(folder, { recursive: true });
  const kubeconfigPath = join(folder, 'kubeconfig');
  const sockets = await openSockets({ world, principal: 'scenario', kubeconfigPath, log: () => undefined });
  try {
    await work(kubectlOn(KUBECTL, kubeconfigPath, folder));
  } finally {
    await sockets.close();
    await world.stop();
  }
}

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
  await withKubectl(testInfo.outputPath('home'), async (kubectl) => {
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
