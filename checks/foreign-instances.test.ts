import { expect, test } from '@playwright/test';
import { createView } from '../history/view.ts';
import type { EventOf } from '../history/events.ts';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { defined } from '../model/defined.ts';
import { foreignInstances } from './foreign-instances.ts';

const TAGS = { Name: 'somebody-elses' };

function judge(builder: HistoryBuilder): ReturnType<typeof foreignInstances.judge> {
  return foreignInstances.judge(createView(builder.events));
}

function foreign(builder: HistoryBuilder, to: EventOf<'foreign-instance'>['to'], span?: number): HistoryBuilder {
  return builder.add({ type: 'foreign-instance', instance: 'i-other', to, tags: TAGS, ...defined({ span }) });
}

function found(): HistoryBuilder {
  return foreign(new HistoryBuilder().act(), 'found').at(10);
}

test('nothing to judge without foreign instances; one that is left alone passes', () => {
  expect(judge(new HistoryBuilder().act().launch(1, 'i-1').finish())).toBeUndefined();
  expect(judge(found().launch(1, 'i-1').finish())).toMatchObject({
    verdict: 'pass',
    summary: '0 of 1 foreign instance touched',
    findings: [],
  });
});

for (const [to, operation, what] of [
  ['shutting-down', 'ec2:TerminateInstances', 'terminated'],
  ['stopping', 'ec2:StopInstances', 'stopped'],
  ['retagged', 'ec2:CreateTags', 'changed the tags of'],
] as const) {
  test(`${to} by a request of the target fails; by another client it does not`, () => {
    const result = judge(foreign(found().request(1, operation), to, 1).answer(1, 'ok').finish());
    expect(result).toMatchObject({ verdict: 'fail', findings: [{ code: 'foreign-instance-ended', object: 'instance/i-other' }] });
    expect(result?.findings[0]?.message).toBe(
      `The target (incarnation 1) ${what} i-other with ${operation} at 0 s: it belongs to someone else (tags {"Name":"somebody-elses"}).`,
    );
    expect(judge(foreign(found(), to, 7).finish())).toMatchObject({ verdict: 'pass' });
  });
}
