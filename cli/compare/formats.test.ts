import { expect, test } from '@playwright/test';
import type { TargetComparison } from '../../history/comparison.ts';
import { HOSTILE_NAMES } from '../../reports/testing/sample-run.ts';
import { sampleComparison } from '../../reports/testing/sample-comparison.ts';
import { sources } from '../../suites/catalogue.ts';
import { formatComparisonMarkdown } from './markdown.ts';
import { COMPARED_SCENARIOS } from './scenarios.ts';
import { formatTargetComparison } from './terminal.ts';

const plain = (comparison: TargetComparison, columns = 100): string => formatTargetComparison(comparison, { color: false, columns });

test('the scenarios for single figures exist', () => {
  const ids = sources.map(({ scenario }) => scenario.id);
  expect(ids).toEqual(expect.arrayContaining([...COMPARED_SCENARIOS.scaleOut.scenarios, ...COMPARED_SCENARIOS.cost.scenarios]));
});

test('the terminal shows sides, figures with their bounds, what is missing and why, and the differences', () => {
  const text = plain(sampleComparison());
  expect(text).toContain('A  v1 in embedded, 60 trials (runs/a)');
  expect(text).toMatch(/Provisioned: all scenarios +100 % +91.7 % +WORSE/);
  expect(text).toContain('95.1 % – 100 %');
  expect(text).toMatch(/pending -> running p99 +40 s +≥ 2 min/);
  expect(text).toContain('p99: no upper bound below 299 trials');
  expect(text).toMatch(/Monthly cost of a 100-node cluster +\$6,307 +\$7,008 +WORSE ×1.11 \(1.11 – 1.12\)/);
  expect(text).toMatch(/Retries per launch +0.2 +0\.204 +same ×1.02 \(0.99 – 1.04\)/);
  expect(text).toMatch(/at most 4 % apart/);
  expect(text).toMatch(/spread +100 % +100 % +same 0 pp\n.* -4.9 – \+4.9\n.* at most 5 pp apart/);
  expect(text).toMatch(/Leaked an instance +0 % +3\.3 % +unclear \+3.3 pp/);
  expect(text).toContain('B is the same as A in: Provisioned: topology spread (at most 5 pp apart);');
  expect(text).toContain("It can't be told whether B is the same as A in: Leaked an instance.");
  expect(text).toContain('B: leaked-instance (no-leaked-instances) in 2 trials');
  expect(text).toContain('scheduling/spot-spread, seeds 1, 2: B has none');
  expect(text).toContain('B violated invariants that A did not: leaked-instance (2 trials).');
  expect(text).toContain('B is better than A in: Requests per pod.');
});

test('lines keep to the width of the terminal', () => {
  expect(
    Math.max(
      ...plain(sampleComparison(), 80)
        .split('\n')
        .map((line) => line.length),
    ),
  ).toBeLessThanOrEqual(80);
});

test('colour is only for terminals', () => {
  const escape = '\u001b[';
  expect(plain(sampleComparison())).not.toContain(escape);
  expect(formatTargetComparison(sampleComparison(), { color: true, columns: 100 })).toContain(`${escape}31mWORSE`);
});

test('Markdown has a table for each section', () => {
  const text = formatComparisonMarkdown(sampleComparison());
  expect(text).toContain('| Measure | A | B | B / A |\n| --- | --: | --: | --: |');
  expect(text).toContain('| Provisioned: all scenarios | 100 %<br>(95.1 % – 100 %)<br><sub>60 of 60 trials; 600 of 600 pods</sub> |');
  expect(text).toContain('same ×1.02 (0.99 – 1.04)<br><sub>at most 4 % apart</sub> |');
  expect(text).toContain('- **B violated invariants that A did not: leaked-instance (2 trials).**');
});

test('names from a run stay text', () => {
  const hostile = sampleComparison({ name: `${HOSTILE_NAMES.image}|@everyone [x](https://example.com)\u001b[31m` });
  const markdown = formatComparisonMarkdown(hostile);
  expect(markdown).not.toMatch(/<img|[^\\]\|@|@everyone|[^\\]\]\(|https:\/\//);
  expect(plain(hostile)).not.toContain('\u001b');
});

test('with nothing in common it says so', () => {
  const none = sampleComparison({ nothing: true });
  expect(plain(none)).toContain('NOTHING TO COMPARE');
  expect(formatComparisonMarkdown(none)).toContain('Nothing to compare');
});
