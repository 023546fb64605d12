import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import type { TargetComparison } from '../../history/comparison.ts';
import { HOSTILE_NAMES } from '../testing/sample-run.ts';
import { sampleComparison } from '../testing/sample-comparison.ts';
import { renderComparison } from './compare.ts';

/** Opens the page, and collects errors. */
async function open(page: Page, path: string, comparison: TargetComparison): Promise<string[]> {
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  writeFileSync(path, renderComparison(comparison));
  await page.goto(`file://${path}`);
  page.on('request', (request) => complaints.push(request.url()));
  return complaints;
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`shows differences, every figure with its bounds, and what is not compared (${colorScheme})`, async ({ page }, info) => {
    await page.emulateMedia({ colorScheme });
    const complaints = await open(page, info.outputPath('compare.html'), sampleComparison());
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('v1 and v2');
    await expect(page.locator('.said li')).toHaveText([
      /Worse\s*B violated invariants/,
      /Worse\s*B is worse than A/,
      /Better\s*B is better/,
    ]);
    const success = page.locator('#row-success');
    await expect(success.locator('td')).toHaveText([/100 %\s*95.1 % – 100 %\s*60 of 60 trials\s*600 of 600 pods/, /91.7 %/, /Worse/]);
    await expect(page.locator('#row-pending-running-p99 td').nth(1)).toContainText('≥ 2 min');
    await expect(page.locator('#row-monthly-cost')).toContainText('×1.11 (1.11 – 1.12)');
    await expect(page.getByRole('region', { name: 'What was not compared' })).toContainText(
      'scheduling/spot-spread, seeds 1, 2: B has none',
    );
    await expect(page.locator('body')).toHaveCSS('background-color', colorScheme === 'light' ? 'rgb(247, 246, 243)' : 'rgb(18, 19, 22)');
    expect(complaints).toEqual([]);
    // The page's policy allows no other scripts, so this one is injected by the debugger.
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
    const barriers = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>('axe.run().then(({ violations }) => violations)');
    expect(barriers.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
  });
}

test('a hostile name is escaped', async ({ page }, info) => {
  const { image, script, attribute, style } = HOSTILE_NAMES;
  const name = `${image}${script}${attribute}${style}`;
  const complaints = await open(page, info.outputPath('compare.html'), sampleComparison({ name }));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`v1 and ${name}`);
  await expect(page.locator('img, script')).toHaveCount(0);
  await expect(page.locator('body')).toBeVisible();
  expect(complaints).toEqual([]);
});

test('with nothing in common the page says so', async ({ page }, info) => {
  await open(page, info.outputPath('compare.html'), sampleComparison({ nothing: true }));
  await expect(page.locator('.context')).toHaveText('Nothing was compared: the sides have no trial in common.');
  await expect(page.locator('table')).toHaveCount(0);
});
