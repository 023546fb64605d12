import { expect, test } from '@playwright/test';
import { badgeOf, formatBadge, formatEndpoint } from './badge.ts';
import { buildReport } from './build-report.ts';
import { sampleRun } from './testing/sample-run.ts';

const PASSING = ['provisioning/scale-out-and-back', 'scheduling/spot-spread'];

test('a badge counts scenarios by result; only a complete pass is green', () => {
  const of = (input: ReturnType<typeof sampleRun>): { message: string; color: string } => badgeOf(buildReport(input));
  const green = of(sampleRun({ trials: 1, only: PASSING }));
  expect(green.message).toBe('2 of 2 passed');
  const failed = of(sampleRun({ trials: 1 }));
  expect(failed.message).toBe('2 of 6 failed');
  const unknown = of(sampleRun({ trials: 1, only: [...PASSING, 'api-pressure/lost-launch-answer'] }));
  expect(unknown.message).toBe('1 of 3 unknown');
  const { run, trials } = sampleRun({ trials: 1, only: PASSING });
  const [first] = run.scenarios;
  const left = { scenario: 'capacity/x', title: '', suite: 'capacity', seed: 1, reason: 'no' };
  const partial = of({
    run: { ...run, scenarios: [...run.scenarios, { ...(first ?? run.scenarios[0]), id: left.scenario }] as typeof run.scenarios },
    trials,
    notRun: [left],
  });
  expect(partial.message).toBe('2 of 2 passed, 1 not run');
  const nothing = of({ ...sampleRun({ trials: 1, only: [] }), trials: [] });
  expect(nothing.message).toBe('nothing was run');
  expect([failed, unknown, partial, nothing].map(({ color }) => color)).not.toContain(green.color);
});

test('the image needs no network, and texts are escaped', () => {
  const svg = formatBadge({ label: '<script>', message: '"&', color: '#fff' });
  expect(svg).not.toContain('<script>');
  expect(svg).toContain('<title>&lt;script&gt;: &quot;&amp;</title>');
  expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:/);
});

test('the endpoint has the format of shields.io', () => {
  const badge = badgeOf(buildReport(sampleRun({ trials: 1 })));
  expect(JSON.parse(formatEndpoint(badge))).toEqual({ schemaVersion: 1, ...badge, isError: true });
});
