import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { defined } from '../../../model/defined.ts';
import { packageRoot } from '../../../model/package-root.ts';
import { createRandom } from '../../../runtime/random.ts';
import { createRealTimeline } from '../../../runtime/timeline.ts';
import { readText } from '../../../wire/wire.ts';
import { createApiServer } from '../../../world/kube/api-server.ts';
import type { ApiServer } from '../../../world/kube/api-server.ts';
import { withServer } from '../../../world/kube/testing/api-server.ts';
import type { Bench } from '../../../world/kube/testing/api-server.ts';
import { createWebhookClient } from '../../../world/kube/webhooks/https-client.ts';
import type { ApiCase, Send } from './case.ts';
import { ANSWERS, API_CASES, CALLED_CASES, runCase } from './run-case.ts';
import type { Answers } from './run-case.ts';
import { withWebhooks } from './webhook-answers.ts';

/** As the real one, ours lets roles decide; the requests of the cases are an administrator's. */
const ACCOUNT = { namespace: 'kube-system', name: 'app' };

/** The minimum number of agreeing cases. */
const MIN_AGREEING = 818;

/** Written by `record.ts` from a real API server. */
const real = JSON.parse(readFileSync(join(packageRoot(), ANSWERS), 'utf8')) as Answers;

test('every case has a recorded answer of a real API server', () => {
  expect(Object.keys(real.cases)).toEqual(API_CASES.map(({ id }) => id));
});

/** Cases that the emulated server answers differently, and why. May only shrink: remove those that agree. */
const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  'type-of-enum': "this package's API types lack the names of Go's string types (v1.RestartPolicy)",
  'rule-broken-logical': 'the library does not report which operand has the wrong type',
  'rule-broken-index': 'the library does not report the type of a list that is indexed by a string',
  'rule-broken-syntax': 'syntax errors of a rule have the message of another parser',
  'rule-broken-syntax-bracket': 'as above',
  'policy-syntax': 'as above',
};

test(`the emulated API server answers every case as ${real.server} did`, async () => {
  const differing: string[] = [];
  const different = new Set<string>();
  const compare = async (one: ApiCase, send: Send): Promise<void> => {
    const ours = await runCase(one, send);
    try {
      expect(ours).toEqual(real.cases[one.id]);
    } catch (error) {
      different.add(one.id);
      if (KNOWN_DIFFERENCES[one.id] === undefined) differing.push(`${one.id}: ${String(error)}`);
    }
  };
  await withServer(
    async (bench) => {
      for (const one of API_CASES.filter((each) => !CALLED_CASES.includes(each))) await compare(one, senderTo(bench));
    },
    1,
    ACCOUNT,
  );
  await withRealTime((toServer) =>
    withWebhooks(toServer, async (send) => {
      for (const one of CALLED_CASES) await compare(one, send);
    }),
  );
  const agreeing = API_CASES.length - different.size;
  const measured = `${agreeing} of ${API_CASES.length} cases answered as by ${real.server}`;
  const known = Object.entries(KNOWN_DIFFERENCES).map(([id, why]) => `${id}: ${why}`);
  test.info().annotations.push({ type: 'measured', description: [measured, ...known].join('; ') });
  expect(differing.join('\n\n')).toBe('');
  expect([...different]).toEqual(Object.keys(KNOWN_DIFFERENCES));
  expect(agreeing).toBeGreaterThanOrEqual(MIN_AGREEING);
});

/** Webhooks are called in real time only. */
async function withRealTime(work: (send: Send) => Promise<void>): Promise<void> {
  const clock = createRealTimeline().scope('test');
  const server = createApiServer({
    clock,
    random: createRandom(1),
    targetAccount: ACCOUNT,
    webhooks: createWebhookClient(clock, new Map()),
  });
  await work((...request) => answerOf(server, ...request));
  server.stop();
}

function senderTo({ server, clock }: Bench): Send {
  return async (...request) => {
    const answer = await answerOf(server, ...request);
    // Let controllers react to the change.
    await clock.sleep(SETTLE_MS);
    return answer;
  };
}

async function answerOf({ backend }: ApiServer, ...[method, path, headers, body]: Parameters<Send>): ReturnType<Send> {
  const request = { method, path, headers, ...defined({ body }) };
  const caller = { principal: 'scenario', incarnation: 1, span: 0 } as const;
  const answer = await backend.handle(request, backend.describe(request), caller);
  return { status: answer.status, text: await readText(answer.body), warnings: answer.headers['warning'] ?? '' };
}

const SETTLE_MS = 100;
