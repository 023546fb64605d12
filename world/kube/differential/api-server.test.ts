import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../../model/package-root.ts';
import { readText } from '../../../wire/wire.ts';
import { withServer } from '../api-server.test.support.ts';
import type { Bench } from '../api-server.test.support.ts';
import { ANSWERS, API_CASES, ask } from './ask.ts';
import type { Answers, Send } from './ask.ts';

/** Written by `record.ts` from a real API server. */
const real = JSON.parse(readFileSync(join(packageRoot(), ANSWERS), 'utf8')) as Answers;

test('every case has been asked of a real API server', () => {
  expect(API_CASES.length).toBeGreaterThanOrEqual(200);
  expect(Object.keys(real.cases)).toEqual(API_CASES.map(({ id }) => id));
});

test(`our API server answers every case as ${real.server} did`, async () => {
  await withServer(async (bench) => {
    const differing: string[] = [];
    for (const one of API_CASES) {
      const ours = await ask(one, senderTo(bench));
      try {
        expect(ours).toEqual(real.cases[one.id]);
      } catch (error) {
        differing.push(`${one.id}: ${String(error)}`);
      }
    }
    expect(differing.join('\n\n')).toBe('');
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
