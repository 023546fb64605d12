import { expect, test } from '@playwright/test';
import { buildReport } from './build-report.ts';
import { MAX_ANNOTATIONS, MAX_SUMMARY_BYTES, formatAnnotations, formatSummary, markdown } from './github.ts';
import type { RunReport } from './run-report.ts';
import { sampleRun } from './testing/sample-run.ts';

test('the summary starts with the verdict, describes problems with replay lines, and lists the rest', () => {
  const summary = formatSummary(buildReport(sampleRun({ trials: 1 })));
  expect(summary).toMatch(/^## ❌ Scaleproof: fail\n/);
  expect(summary).toContain('| Scenarios | 3 passed, 2 failed, 1 unknown, 1 not run |');
  expect(summary).toContain('- ❌ **crashes/killed-after-launch seed 1: fail**\n  - leaked-instance: Instance');
  expect(summary).toContain('  - `scaleproof replay sp1,scenario=crashes/killed-after-launch@');
  expect(summary).toContain('- capacity/reserved-capacity: the target does not declare the feature');
  const good = formatSummary(buildReport(sampleRun({ trials: 1, only: ['scheduling/spot-spread'] })));
  expect(good).toContain('## ✅ Scaleproof: pass');
  expect(good).not.toContain('What went wrong');
});

test('workloads of manifests that no trial shows to be served are named', () => {
  const report = buildReport(sampleRun({ trials: 1, only: ['scheduling/spot-spread'] }));
  const gap = { workload: 'Deployment a/<b>', where: 'w.yaml, document 1', kind: 'unservable' as const, why: 'no pool has GPUs' };
  const manifests = { directory: './shop', workloads: 3, gaps: [gap], strict: true };
  const summary = formatSummary({ ...report, run: { ...report.run, manifests } });
  expect(summary).toContain('1 of 3 workloads in ./shop is not shown to be served. With --strict they decide the verdict.');
  expect(summary).toContain('- Deployment a/&lt;b&gt;: it CANNOT BE SERVED');
  expect(formatSummary(report)).not.toContain('not served');
});

test('failures are errors and unknowns are warnings, each on its own line', () => {
  const lines = formatAnnotations(buildReport(sampleRun({ trials: 1 })))
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => line.replace(/::[^:]*$/, '').slice(0, 60))).toHaveLength(3);
  expect(lines.filter((line) => line.startsWith('::error title='))).toHaveLength(2);
  expect(lines.filter((line) => line.startsWith('::warning title=api-pressure/lost-launch-answer seed 1%3A unknown::'))).toHaveLength(1);
});

/** A failing trial with this message. */
function saying(message: string, trials = 1): RunReport {
  const report = buildReport(sampleRun({ trials, only: ['scheduling/negative-max-skew'] }));
  return {
    ...report,
    scenarios: report.scenarios.map((scenario) => ({
      ...scenario,
      results: scenario.results.map((trial) => ({
        ...trial,
        verdict: 'fail' as const,
        checks: [
          {
            check: 'c',
            verdict: 'fail' as const,
            summary: '',
            measurements: [],
            findings: [{ code: 'x', object: 'o', events: [], message, evidence: [] }],
          },
        ],
      })),
    })),
  };
}

test('hostile text becomes neither a command nor markup', () => {
  const hostile = 'a\n::error::forged\r\n%0A<img src=x> [x](http://evil) `code` @everyone | ## *b* ![i](x)';
  const report = saying(hostile);
  expect(formatAnnotations(report).trimEnd().split('\n')).toHaveLength(1);
  expect(formatAnnotations(report)).toContain('a%0A::error::forged%0D%0A%250A<img');
  const summary = formatSummary(report);
  expect(summary).not.toMatch(/<img|(?<!\\)\[x|http:\/\/|@everyone|(?<!\\)`code|\n::error/);
});

test('text from a cluster is escaped in Markdown', () => {
  expect(markdown('a\nb\tc')).toBe('a b c');
  expect(markdown('# <b> *x* $y$')).toBe('\\# &lt;b&gt; \\*x\\* \\$y\\$');
});

test('annotations beyond GitHub’s limit are counted, and a summary that is too long loses its tables', () => {
  const many = saying('m', 25);
  const lines = formatAnnotations(many).trimEnd().split('\n');
  expect(lines).toHaveLength(MAX_ANNOTATIONS);
  expect(lines.at(-1)).toBe(`::error title=Scaleproof::${25 - MAX_ANNOTATIONS + 1} more, in the step summary`);

  const [scenario] = many.scenarios;
  const long = {
    ...many,
    notRun: Array.from({ length: 500 }, (_, index) => ({
      scenario: `${'s'.repeat(490)}${index}`,
      title: '',
      suite: '',
      seed: 1,
      reason: '<'.repeat(499),
    })),
  };
  const summary = formatSummary({ ...long, scenarios: scenario === undefined ? [] : [scenario] });
  expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(MAX_SUMMARY_BYTES);
  expect(summary).toContain('The tables are left out');
});
