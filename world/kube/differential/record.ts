import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../model/package-root.ts';
import { ANSWERS, API_CASES, ask } from './ask.ts';
import type { Answers } from './ask.ts';

/**
 * Asks a real API server every case and writes its answers down, for the test to compare ours with:
 *
 *     kubectl proxy --port 8001 &
 *     npx node world/kube/differential/record.ts http://127.0.0.1:8001
 *
 * The cluster should be new; its version is noted.
 */
const [base] = process.argv.slice(2);
if (base === undefined) throw new Error('usage: record.ts URL-OF-AN-API-SERVER (see kubectl proxy)');

const send = async (method: string, path: string, headers: Readonly<Record<string, string>>, body: string | undefined) => {
  const answer = await fetch(new URL(path, base), { method, headers, ...(body === undefined ? {} : { body }) });
  return { status: answer.status, text: await answer.text() };
};

const { text } = await send('GET', '/version', {}, undefined);
const { gitVersion } = JSON.parse(text) as { gitVersion: string };
const answers: Answers = { server: gitVersion, cases: {} };
for (const one of API_CASES) answers.cases[one.id] = await ask(one, send);
writeFileSync(join(packageRoot(), ANSWERS), `${JSON.stringify(answers, undefined, 1)}\n`);
console.log(`${API_CASES.length} cases answered by ${gitVersion}`);
