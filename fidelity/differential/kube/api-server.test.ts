import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../../model/package-root.ts';
import { readText } from '../../../wire/wire.ts';
import { withServer } from '../../../world/kube/testing/api-server.ts';
import type { Bench } from '../../../world/kube/testing/api-server.ts';
import { ANSWERS, API_CASES, ask } from './ask.ts';
import type { Answers, Send } from './ask.ts';

/** Cases that agree, at least. */
const LEAST_AGREEING = 505;

/** Written by `record.ts` from a real API server. */
const real = JSON.parse(readFileSync(join(packageRoot(), ANSWERS), 'utf8')) as Answers;

test('every case has been asked of a real API server', () => {
  expect(Object.keys(real.cases)).toEqual(API_CASES.map(({ id }) => id));
});

/** Cases that ours answers differently, and why that stays so. May only shrink: what agrees has to leave. */
const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  'type-of-enum': "the types of the API that this package has leave out the names of Go's string types (v1.RestartPolicy)",
  'rule-broken-logical': 'the library does not say which operand has the wrong type',
  'rule-broken-index': 'nor the type of a list that is indexed by a text',
  'rule-broken-syntax': 'what is wrong with the syntax of a rule is said in the words of another parser',
  'rule-broken-syntax-bracket': 'as above',
};

test(`our API server answers every case as ${real.server} did`, async () => {
  await withServer(async (bench) => {
    const differing: string[] = [];
    const different = new Set<string>();
    for (const one of API_CASES) {
      const ours = await ask(one, senderTo(bench));
      try {
        expect(ours).toEqual(real.cases[one.id]);
      } catch (error) {
        different.add(one.id);
        if (KNOWN_DIFFERENCES[one.id] === undefined) differing.push(`${one.id}: ${String(error)}`);
      }
    }
    const agreeing = API_CASES.length - different.size;
    const measured = `${agreeing} of ${API_CASES.length} cases answered as ${real.server} answers them`;
    const known = Object.entries(KNOWN_DIFFERENCES).map(([id, why]) => `${id}: ${why}`);
    test.info().annotations.push({ type: 'measured', description: [measured, ...known].join('; ') });
    expect(differing.join('\n\n')).toBe('');
    expect([...different]).toEqual(Object.keys(KNOWN_DIFFERENCES));
    expect(agreeing).toBeGreaterThanOrEqual(LEAST_AGREEING);
  });
});

function senderTo({ server, clock }: Bench): Send {
  return async (method, path, headers, body) => {
    const request = { method, path, headers, ...(body === undefined ? {} : { body }) };
    const caller = { principal: 'target', incarnation: 1, span: 0 } as const;
    const answer = await server.backend.handle(request, server.backend.describe(request), caller);
    const text = await readText(answer.body);
    // What follows from a change has time to.
    await clock.sleep(SETTLE_MS);
    return { status: answer.status, text };
  };
}

const SETTLE_MS = 100;
