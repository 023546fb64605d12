import { expect, test } from '@playwright/test';
import { HOSTILE_NAMES } from '../../reports/testing/sample-run.ts';
import { mixedMatrix, sampleMatrix } from '../../reports/testing/sample-matrix.ts';
import { formatMatrixMarkdown } from './markdown.ts';
import { formatMatrixSummary } from './terminal.ts';

test('Markdown: what changed first, then a row for each requirement, scenario and measurement', () => {
  const text = formatMatrixMarkdown(sampleMatrix());
  expect(text).toContain(
    '**Riskiest upgrade: v2 → v3**: 3 MUST requirements newly broken, 2 scenarios newly fail, 3 measurements got worse.',
  );
  expect(text).toContain('| v3 | 3 | 2 | 1 | 1 | 0 | 3 MUST |');
  expect(text.indexOf('### v2 → v3')).toBeLessThan(text.indexOf('### v1 → v2'));
  expect(text).toContain('- SCH-11 (MUST) is newly broken: A constraint that cannot be met delays no pod but its own.');
  expect(text).toContain('- Monthly cost of a 100-node cluster got worse: $6,307 before, $7,008 now: ×1.11');
  expect(text).toMatch(/\| CRA-02 \(MUST\) .* \| ✗ fail \| ✓ pass \| ✗ fail \|/);
  expect(text).toMatch(
    /\| crashes\/killed-after-launch \| ✗ fail 1\/2<br>leaked-instance \| ✓ pass 2\/2 \| ✗ fail 1\/2<br>leaked-instance \|/,
  );
  expect(text).toContain('| Retries per launch | 0.2 (0.19 – 0.21) |');
});

test('only a failed cell says how many trials failed, all others how many passed', () => {
  const text = formatMatrixMarkdown(mixedMatrix());
  expect(text).toContain('| ✗ fail 2/20 | ? unknown 17/20 | ✓ pass 17/20 |');
});

test('the terminal keeps to its width, and names from a run stay text', () => {
  const hostile = sampleMatrix({ name: `${HOSTILE_NAMES.image}|@everyone [x](https://example.com)\u001b[31m` });
  const markdown = formatMatrixMarkdown(hostile);
  expect(markdown).not.toMatch(/<img|[^\\]\|@|@everyone|[^\\]\]\(|https:\/\//);
  const summary = formatMatrixSummary(sampleMatrix(), { color: false, columns: 80 });
  expect(summary).not.toContain('\u001b');
  expect(Math.max(...summary.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(formatMatrixSummary(hostile, { color: false, columns: 80 })).not.toContain('\u001b');
  expect(formatMatrixSummary(sampleMatrix(), { color: true, columns: 80 })).toContain('\u001b[31m');
});
