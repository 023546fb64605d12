import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../../model/defined.ts';
import { packageRoot } from '../../../model/package-root.ts';
import { ANSWERS, API_CASES, runCase } from './run-case.ts';
import type { Send } from './case.ts';
import type { Answers } from './run-case.ts';
import { withWebhooks } from './webhook-answers.ts';

/**
 * Runs every case on a real API server and records its answers, for the test to compare the emulated server with:
 *
 *     kubectl proxy --port 8001 &
 *     npx node fidelity/differential/kube/record.ts http://127.0.0.1:8001
 *
 * The cluster should be new; its version is recorded. With ids after the address, only those cases are run again. That cluster must
 * have the same version and none of their objects. It must be able to connect to this machine's loopback address: webhooks are there.
 */
const [base, ...ids] = process.argv.slice(2);
if (base === undefined) throw new Error('usage: record.ts URL-OF-AN-API-SERVER [ID...] (see kubectl proxy)');

const send: Send = async (method, path, headers, body) => {
  const answer = await fetch(new URL(path, base), { method, headers, ...defined({ body }) });
  return { status: answer.status, text: await answer.text(), warnings: answer.headers.get('warning') ?? '' };
};

const { text } = await send('GET', '/version', {}, undefined);
const { gitVersion } = JSON.parse(text) as { gitVersion: string };
const file = join(packageRoot(), ANSWERS);
const before = ids.length === 0 ? undefined : (JSON.parse(readFileSync(file, 'utf8')) as Answers);
if (before !== undefined && before.server !== gitVersion) throw new Error(`the other answers are from ${before.server}: run all cases`);
const unknown = ids.find((id) => !API_CASES.some((one) => one.id === id));
if (unknown !== undefined) throw new Error(`there is no case ${unknown}`);

const answers: Answers = { server: gitVersion, cases: {} };
await withWebhooks(send, async (sendFilled) => {
  for (const one of API_CASES) {
    const kept = ids.includes(one.id) ? undefined : before?.cases[one.id];
    answers.cases[one.id] = kept ?? (await runCase(one, sendFilled));
  }
});
writeFileSync(file, `${JSON.stringify(answers, undefined, 1)}\n`);
console.log(`${ids.length === 0 ? API_CASES.length : ids.length} cases answered by ${gitVersion}`);
