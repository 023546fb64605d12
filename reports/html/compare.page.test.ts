import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import type { TargetComparison } from '../../history/comparison.ts';
import { barriersOn, openPage, overflowOf } from '../testing/pages.ts';
import { HOSTILE_NAMES } from '../testing/sample-run.ts';
import { sampleComparison } from '../testing/sample-comparison.ts';
import { renderComparison } from './compare.ts';

/** Opens the page, and collects errors. */
function open(page: Page, path: string, comparison: TargetComparison): Promise<string[]> {
  return openPage(page, path, renderComparison(comparison));
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`shows differences, every figure with its bounds, and what is not compared (${colorScheme})`, async ({ page }, info) => {
    await page.emulateMedia({ colorScheme });
    const complaints = await open(page, info.outputPath('compare.html'), sampleComparison());
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('v1 and v2');
    await expect(page.locator('.said')).not.toContainText('->');
    await expect(page.locator('.said li')).toHaveText([
      /Worse\s*B violated invariants/,
      /Worse\s*B is worse than A/,
      /Better\s*B is better/,
      /Same\s*B is the same as A in: .*at most 4 % apart/,
      /Unclear\s*It can't be told/,
    ]);
    await expect(page.locator('#row-retries td').last()).toHaveText(/Same\s*×1.02 \(0.99 – 1.04\)\s*at most 4 % apart/);
    await expect(page.locator('#row-leaks td').last()).toHaveText(/unclear\s*\+3.3 pp/);
    const success = page.locator('#row-success');
    await expect(success.locator('td')).toHaveText([/100 %\s*95.1 % – 100 %\s*60 of 60 trials\s*600 of 600 pods/, /91.7 %/, /Worse/]);
    await expect(page.locator('#row-pending-running-p99 td').nth(1)).toContainText('≥ 2 min');
    const curves = page.locator('.curve-plot');
    await expect(curves.getByRole('img').first()).toHaveAccessibleName(
      'pending → running. A: p50 30 s, p95 39 s, 600 pods; B: p50 48 s, p95 71 s, 600 pods, of which 30 never.',
    );
    await expect(curves.locator('.told')).toHaveText('p50: B is slower: it takes 1.40 to 1.90 times as long');
    // A side has one colour on the whole page.
    const colour = (selector: string, property: string): Promise<string> =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${property}')`);
    for (const side of [0, 1]) {
      const own = await colour(`.sides .key.side-${side}`, 'background-color');
      expect(await colour(`path.curve.side-${side}`, 'stroke')).toBe(own);
      expect(await colour(`thead .key.side-${side}`, 'background-color')).toBe(own);
      expect(await colour(`.range.side-${side} .point`, 'fill')).toBe(own);
    }
    expect(await colour('path.curve.side-0', 'stroke')).not.toBe(await colour('path.curve.side-1', 'stroke'));
    await expect(page.locator('#row-monthly-cost')).toContainText('×1.11 (1.11 – 1.12)');
    await expect(page.getByRole('region', { name: 'What was not compared' })).toContainText(
      'scheduling/spot-spread, seeds 1, 2: B has none',
    );
    await expect(page.locator('body')).toHaveCSS('background-color', colorScheme === 'light' ? 'rgb(247, 246, 243)' : 'rgb(18, 19, 22)');
    expect(complaints).toEqual([]);
    expect(await barriersOn(page)).toEqual([]);
  });
}

for (const width of [360, 768, 1440]) {
  test(`fits ${width} pixels`, async ({ page }, info) => {
    await page.setViewportSize({ width, height: 900 });
    await open(page, info.outputPath('compare.html'), sampleComparison({ name: 'a-name-without-any-place-to-break'.repeat(4) }));
    expect(await overflowOf(page)).toBe(0);
    expect(await barriersOn(page)).toEqual([]);
  });
}

test('in a narrow window a row of figures is stacked, and each figure names its side', async ({ page }, info) => {
  await page.setViewportSize({ width: 360, height: 900 });
  await open(page, info.outputPath('compare.html'), sampleComparison());
  const row = page.locator('#row-success');
  const heads = await page.evaluate(
    "[...document.querySelector('#row-success').children].map((cell) => getComputedStyle(cell, '::before').content)",
  );
  expect(heads).toEqual(['none', '"A "', '"B "', '"B against A "']);
  const boxes = await Promise.all((await row.locator('th, td').all()).map((cell) => cell.boundingBox()));
  for (const box of boxes) expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(360);
});

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
