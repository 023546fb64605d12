import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../../model/package-root.ts';
import { KUBECTL, kubectlOn, versionOf } from '../../../world/testing/kubectl.ts';
import { KUBECTL_ANSWERS, namespaceOf, run, runSession } from './session.ts';
import type { KubectlAnswers } from './session.ts';
import { SESSIONS } from './sessions.ts';

/**
 * Runs every session against a real control plane and records what kubectl printed, for the test to compare the emulated server with:
 *
 *     KUBECTL=FILE npx node fidelity/differential/kubectl/record.ts --kubeconfig FILE [ID...]
 *
 * kubectl and the cluster should have the same version, since both decide what is printed. With ids only those sessions are run again.
 */
const { values, positionals } = parseArgs({ options: { kubeconfig: { type: 'string' } }, allowPositionals: true });
if (values.kubeconfig === undefined) throw new Error('usage: record.ts --kubeconfig FILE [ID...]');
const unknown = positionals.find((id) => !SESSIONS.some((session) => session.id === id));
if (unknown !== undefined) throw new Error(`there is no session ${unknown}`);
const version = versionOf(KUBECTL);
if (version === undefined) throw new Error(`${KUBECTL} can't be run: name another one in KUBECTL`);

const file = join(packageRoot(), KUBECTL_ANSWERS);
const before = positionals.length === 0 ? undefined : (JSON.parse(readFileSync(file, 'utf8')) as KubectlAnswers);
if (before !== undefined && before.version !== version) throw new Error(`the other sessions are from ${before.version}: run all`);
const folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
try {
  const kubectl = kubectlOn(KUBECTL, values.kubeconfig, folder);
  const answers: KubectlAnswers = { version, sessions: {} };
  for (const session of SESSIONS) {
    const kept = positionals.includes(session.id) ? undefined : before?.sessions[session.id];
    if (kept !== undefined) {
      answers.sessions[session.id] = kept;
      continue;
    }
    answers.sessions[session.id] = await runSession(session, kubectl);
    await kubectl(run(`delete namespace ${namespaceOf(session)} --wait=false`));
  }
  writeFileSync(file, `${JSON.stringify(answers, undefined, 1)}\n`);
  const steps = SESSIONS.reduce((sum, session) => sum + session.steps.length, 0);
  console.log(`${SESSIONS.length} sessions, ${steps} commands, answered by ${version}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
