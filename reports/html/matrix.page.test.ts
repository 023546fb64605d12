import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { barriersOn, openPage, overflowOf } from '../testing/pages.ts';
import { mixedMatrix, sampleMatrix } from '../testing/sample-matrix.ts';
import type { SampleMatrixOptions } from '../testing/sample-matrix.ts';
import { HOSTILE_NAMES } from '../testing/sample-run.ts';
import { renderMatrix } from './matrix.ts';

function open(page: Page, path: string, options: SampleMatrixOptions = {}): Promise<string[]> {
  return openPage(page, path, renderMatrix(sampleMatrix(options)));
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the riskiest upgrade and why come first, then what changed, then every result (${colorScheme})`, async ({ page }, info) => {
    await page.emulateMedia({ colorScheme });
    const complaints = await open(page, info.outputPath('matrix.html'));
    await expect(page.locator('.riskiest')).toHaveText(
      /Riskiest upgrade\s*v2 → v3: 3 MUST requirements newly broken, 2 scenarios newly fail/,
    );
    await expect(page.locator('.reason')).toHaveText(/crashes\/killed-after-launch newly fails: leaked-instance: Instance/);
    await expect(page.locator('.upgrade h3')).toHaveText([/Regression\s*v2 → v3/, /Nothing worse\s*v1 → v2/]);
    const worst = page.locator('.upgrade').first();
    await expect(worst.getByRole('link', { name: 'v3: fail, 1 of 2' })).toHaveAttribute('href', /^v3\/report\.html#scenario-\d+$/);
    await expect(worst).toContainText('scaleproof replay sp1,scenario=crashes/killed-after-launch');
    await expect(worst).toContainText(/Monthly cost of a 100-node cluster: \$6,307 before, \$7,008 now\s*worse ×1.11/);
    const row = page.locator('#row-SCH-11');
    await expect(row.locator('td')).toHaveText([/✓ pass/, /✓ pass/, /✗ fail.*was pass/s]);
    // A scenario can fail by another requirement than the one that it stands below.
    const killed = (requirement: string): Locator => page.locator(`#row-${requirement} + tr.sub td`).last();
    await expect(killed('CRA-02')).toHaveText(/✗ fail.*1 of 2 leaked-instance\s*was pass/s);
    await expect(killed('CRA-01')).toContainText('1 of 2 leaked-instance, not of this requirement');
    await expect(page.locator('body')).toHaveCSS('background-color', colorScheme === 'light' ? 'rgb(247, 246, 243)' : 'rgb(18, 19, 22)');
    expect(complaints).toEqual([]);
    expect(await barriersOn(page)).toEqual([]);
  });
}

test('only a failed cell says how many trials failed, all others how many passed', async ({ page }, info) => {
  await openPage(page, info.outputPath('matrix.html'), renderMatrix(mixedMatrix()));
  await expect(page.locator('tr.sub td small:not(.was)')).toHaveText(['2 of 20', '17 of 20', '17 of 20']);
});

test('rows are filtered by what changed, what failed and words; scenarios unfold', async ({ page }, info) => {
  await open(page, info.outputPath('matrix.html'));
  const [heads, subs] = [page.locator('tr.requirement:visible'), page.locator('tr.sub:visible')];
  const all = await heads.count();
  await expect(page.locator('#row-PRV-01 + tr.sub')).toBeHidden();
  await page.getByRole('button', { name: '2 scenarios of PRV-01' }).click();
  await expect(page.locator('#row-PRV-01 ~ tr.sub:visible')).toHaveCount(2);
  await page.getByRole('button', { name: 'Changed' }).click();
  await expect(page.locator('#row-PRV-01')).toBeHidden();
  await expect(page.locator('#row-SCH-11')).toBeVisible();
  expect(await heads.count()).toBeLessThan(all);
  await expect(subs.filter({ hasText: 'negative-max-skew' }).first()).toBeVisible();
  await expect(page.locator('.filters [role=status]')).toHaveText(/^\d+ of \d+$/);
  await page.getByRole('button', { name: 'All' }).click();
  await page.keyboard.press('/');
  await page.keyboard.type('killed-after');
  await expect(subs).toHaveText([/crashes\/killed-after-launch/, /crashes\/killed-after-launch/]);
  await page.keyboard.press('Escape');
  expect(await heads.count()).toBe(all);
});

test('by keyboard: past the top to the results, and to the report of a cell', async ({ page }, info) => {
  await open(page, info.outputPath('matrix.html'));
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the results' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'All', exact: true })).toBeFocused();
  for (let times = 0; times < 5; times += 1) await page.keyboard.press('Tab');
  // Past the filters, the search and the table itself: the first requirement's button, and then its cells.
  await expect(page.getByRole('button', { name: '2 scenarios of PRV-01' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.locator(':focus')).toHaveText('✓ pass in PRV-01, v1');
  expect(await page.locator(':focus').getAttribute('href')).toBe('v1/report.html#requirement-PRV-01');
});

test('the head of the table stays in view', async ({ page }, info) => {
  await page.setViewportSize({ width: 1440, height: 500 });
  await open(page, info.outputPath('matrix.html'));
  const table = page.getByRole('region', { name: 'Results' });
  await table.evaluate('(region) => { region.scrollTop = 200; region.scrollIntoView(); }');
  const [region, head] = await Promise.all([table.boundingBox(), table.locator('thead th').last().boundingBox()]);
  expect(head?.y).toBeCloseTo(region?.y ?? -1, 0);
});

test('a link to a requirement shows its row, below the head of the table', async ({ page }, info) => {
  await page.setViewportSize({ width: 1440, height: 500 });
  await open(page, info.outputPath('matrix.html'));
  await page.getByRole('button', { name: 'Failed' }).click();
  await page.getByRole('searchbox').fill('nothing like it');
  await expect(page.locator('#row-TEL-03')).toBeHidden();
  await page.locator('.upgrade').first().getByRole('link', { name: 'TEL-03' }).first().click();
  const row = page.locator('#row-TEL-03');
  await expect(row).toBeInViewport();
  const [head, box] = await Promise.all([page.locator('.results thead th').first().boundingBox(), row.boundingBox()]);
  expect(box?.y).toBeGreaterThanOrEqual((head?.y ?? Infinity) + (head?.height ?? 0) - 1);
});

for (const width of [360, 768, 1440]) {
  test(`fits ${width} pixels`, async ({ page }, info) => {
    await page.setViewportSize({ width, height: 900 });
    await open(page, info.outputPath('matrix.html'), { name: 'a-name-without-any-place-to-break'.repeat(4) });
    expect(await overflowOf(page)).toBe(0);
    expect(await barriersOn(page)).toEqual([]);
  });
}

test('in a narrow window each result names its version', async ({ page }, info) => {
  await page.setViewportSize({ width: 360, height: 900 });
  await open(page, info.outputPath('matrix.html'));
  const heads = await page.evaluate(
    "[...document.querySelectorAll('#row-SCH-11 td')].map((cell) => getComputedStyle(cell, '::before').content)",
  );
  expect(heads).toEqual(['"v1"', '"v2"', '"v3"']);
});

test('a hostile name is escaped', async ({ page }, info) => {
  const { image, script, attribute, style } = HOSTILE_NAMES;
  const name = `${image}${script}${attribute}${style}`;
  const complaints = await open(page, info.outputPath('matrix.html'), { name });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`v1, v2 and ${name}`);
  await expect(page.locator('img')).toHaveCount(0);
  await expect(page.locator('script')).toHaveCount(1);
  expect(complaints).toEqual([]);
});
