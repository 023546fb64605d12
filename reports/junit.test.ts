import { expect, test } from '@playwright/test';
import { buildReport } from './build-report.ts';
import { formatJunit } from './junit.ts';
import { sampleRun } from './testing/sample-run.ts';
import type { ReportInput } from './report-input.ts';

const ESCAPE = String.fromCharCode(27);
const LONE_SURROGATE = String.fromCharCode(0xd800);

function withFinding(message: string): ReportInput {
  const input = sampleRun({ trials: 1, only: ['provisioning/scale-out-and-back'] });
  return {
    ...input,
    trials: input.trials.map((trial) => ({
      ...trial,
      result: {
        ...trial.result,
        verdict: 'fail' as const,
        checks: [
          {
            check: 'c',
            verdict: 'fail' as const,
            summary: '',
            measurements: [],
            findings: [{ code: 'x', object: 'pods/a', events: [], message }],
          },
        ],
      },
    })),
  };
}

test('verdicts become failures, errors and skips, and are counted', () => {
  const xml = formatJunit(buildReport(sampleRun({ trials: 1 })));
  expect(xml).toContain('<testsuites name="scaleproof" tests="7" failures="2" errors="1" skipped="1" time="4.200">');
  expect(xml).toContain('<testsuite name="crashes" tests="1" failures="1" errors="0" skipped="0"');
  expect(xml).toContain('<testcase classname="provisioning" name="provisioning/scale-out-and-back seed 1" time="196.400"/>');
  expect(xml).toMatch(/<failure message="Instance i-[^"]+" type="leaked-instance">/);
  expect(xml).toMatch(/<error message="UNKNOWN [^"]+" type="unknown">/);
  expect(xml).toContain('<skipped message="the target does not declare the feature &quot;capacity-reservations&quot;"/>');
  expect(xml).toContain('replay: scaleproof replay sp1,scenario=crashes/killed-after-launch@');
});

const cases: readonly { readonly name: string; readonly message: string; readonly attribute: string; readonly text: string }[] = [
  { name: 'markup', message: '<b a="1">&\'', attribute: "&lt;b a=&quot;1&quot;&gt;&amp;'", text: '&lt;b a="1"&gt;&amp;\'' },
  { name: 'end of character data', message: ']]>', attribute: ']]&gt;', text: ']]&gt;' },
  { name: 'line breaks', message: 'a\nb\tc', attribute: 'a&#10;b&#9;c', text: 'a\nb\tc' },
  { name: 'control characters, which XML 1.0 cannot hold', message: `${ESCAPE}[31m`, attribute: '\\u001b[31m', text: '\\u001b[31m' },
  { name: 'lone surrogates, but not pairs', message: `${LONE_SURROGATE} 😀`, attribute: '\\ud800 😀', text: '\\ud800 😀' },
];

for (const { name, message, attribute, text } of cases) {
  test(`escapes ${name}`, () => {
    const xml = formatJunit(buildReport(withFinding(message)));
    expect(xml).toContain(`<failure message="${attribute}" type="x">x (c) pods/a\n${text}\n`);
  });
}

test('planned trials that never started are errors', () => {
  const input = sampleRun({ trials: 2, only: ['provisioning/scale-out-and-back'] });
  const xml = formatJunit(buildReport({ ...input, trials: [] }));
  expect(xml).toContain('tests="1" failures="0" errors="1"');
  expect(xml).toContain('<error message="UNKNOWN 2 trials never started" type="unknown"/>');
});
