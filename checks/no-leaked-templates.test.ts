import { expect, test } from '@playwright/test';
import { createView } from '../history/view.ts';
import { HistoryBuilder, soundHistory } from '../history/testing/history-builder.ts';
import { noLeakedTemplates } from './no-leaked-templates.ts';

function judge(builder: HistoryBuilder): ReturnType<typeof noLeakedTemplates.judge> {
  return noLeakedTemplates.judge(createView(builder.events));
}

/** The target creates a template. */
function withTemplate(): HistoryBuilder {
  return template(new HistoryBuilder().act().at(10).request(1, 'ec2:CreateLaunchTemplate'), 'created', 1).answer(1, 'ok');
}

function template(builder: HistoryBuilder, to: 'created' | 'deleted', span: number): HistoryBuilder {
  return builder.add({ type: 'launch-template', template: 'lt-1', name: 'nodes', to, span });
}

test('nothing to judge for a target that creates no templates, or for templates of others', () => {
  expect(judge(soundHistory())).toBeUndefined();
  expect(judge(template(new HistoryBuilder().act(), 'created', 7).finish())).toBeUndefined();
});

test('a template that exists after the last phase is leaked', () => {
  const result = judge(withTemplate().at(50).finish());
  expect(result).toMatchObject({ verdict: 'fail', findings: [{ code: 'leaked-launch-template', object: 'launchtemplate/lt-1' }] });
  expect(result?.findings[0]?.message).toBe(
    'Launch template nodes (lt-1), created at 0 s by incarnation 1, still existed when the trial was over, although all pools had been ' +
      'removed (bound teardown, 0.4 s).',
  );
});

test('a template that anyone deletes before the end passes, and the time since the removal is measured', () => {
  const builder = withTemplate().at(50).phase('heal').phase('settle').at(60).phase('remove').at(90);
  expect(judge(template(builder, 'deleted', 99).at(100).phase('over'))).toMatchObject({
    verdict: 'pass',
    measurements: [{ bound: { name: 'teardown' }, worst: 30, object: 'launchtemplate/lt-1' }],
  });
});

test('a template that is deleted after the trial was over is leaked; a trial that was cut off is unknown', () => {
  expect(judge(template(withTemplate().at(50).finish().at(60), 'deleted', 99))).toMatchObject({ verdict: 'fail' });
  expect(judge(withTemplate())).toMatchObject({ verdict: 'unknown', findings: [] });
});
