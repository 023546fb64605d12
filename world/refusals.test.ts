import { expect, test } from '@playwright/test';
import type { NewEvent } from '../history/events.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import { readText } from '../wire/wire.ts';
import { createEmbeddedWorld } from './embedded.ts';

const DESCRIBE = {
  method: 'POST',
  path: '/',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: 'Action=DescribeInstances&Version=2016-11-15',
};

for (const { wire, request, refusal, headers, says } of [
  {
    wire: 'kube',
    request: { method: 'GET', path: '/api/v1/pods', headers: {} },
    refusal: { status: 429, code: 'TooManyRequests', message: 'too many requests', retryAfterSeconds: 3 },
    headers: { 'content-type': 'application/json', 'retry-after': '3' },
    says: /^{"kind":"Status".*"message":"too many requests","reason":"TooManyRequests","details":{"retryAfterSeconds":3},"code":429}$/,
  },
  {
    wire: 'aws',
    request: DESCRIBE,
    refusal: { status: 503, code: 'RequestLimitExceeded', message: 'Request limit exceeded.' },
    headers: { 'content-type': 'text/xml;charset=UTF-8' },
    says: /<Errors><Error><Code>RequestLimitExceeded<\/Code><Message>Request limit exceeded\.<\/Message><\/Error><\/Errors>/,
  },
] as const) {
  test(`throttling on the ${wire} wire uses the service's own message, and is recorded with its code`, async () => {
    const events: NewEvent[] = [];
    const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
    const nothing = (): void => undefined;
    const world = createEmbeddedWorld({
      timeline,
      random: createRandom(1),
      recorder: { record: (event) => events.push(event) },
      onKill: nothing,
      onFailure: nothing,
      onFlood: nothing,
    });
    world.arm({
      trigger: { match: { operations: ['*'] }, when: { kind: 'always' }, moment: 'before' },
      effect: { kind: 'refuse', refusal },
      fired: nothing,
    });
    const response = await timeline.run(world.open('target', 1, timeline.scope('target'))[wire](request));
    expect(response).toMatchObject({ status: refusal.status, headers });
    expect(await readText(response.body)).toMatch(says);
    const { status, code, message: note } = refusal;
    expect(events.at(-1)).toMatchObject({ type: 'request.end', outcome: 'fail', status, code, note });
  });
}
