import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { barriersOn, openAll, openPage, overflowOf } from '../testing/pages.ts';
import { HOSTILE_NAMES } from '../testing/sample-run.ts';
import { sampleGate } from '../testing/sample-gate.ts';
import type { SampleGateOptions } from '../testing/sample-gate.ts';
import { renderGate } from './gate.ts';
import type { GateLinks } from './gate.ts';

const noLinks: GateLinks = () => undefined;

/** Opens the page, and collects errors. */
function open(page: Page, path: string, options: SampleGateOptions = {}, links = noLinks): Promise<string[]> {
  return openPage(page, path, renderGate(sampleGate(options), links));
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`shows the decision, why, both sides, and what it did not look at (${colorScheme})`, async ({ page }, info) => {
    await page.emulateMedia({ colorScheme });
    const complaints = await open(page, info.outputPath('report.html'));
    await expect(page).toHaveTitle('Reject: acme@2, scaleproof gate');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(/✗\s*Reject\s*The candidate fails invariants, success\./);
    await expect(page.locator('.sides li')).toHaveText([
      /baseline\s*reference\s*scaleproof 1.2.3\s*20 passed/,
      /candidate\s*acme@2\s*version 2.0.1\s*2 of 20 failed/,
    ]);
    await expect(page.locator('.sides li').first()).toContainText('This is the bundled reference autoscaler, not yours.');
    await expect(page.locator('.sides li').last()).not.toContainText('bundled');
    await expect(page.locator('header')).toContainText('It stopped after 40 of 150 trials');

    const criteria = page.getByRole('region', { name: 'Why' }).getByRole('listitem');
    await expect(criteria.locator('.badge')).toHaveText([/Failed/, /Failed/, /Open/, /Not compared/, /Met/]);
    await expect(criteria.nth(0)).toContainText('2 of 20 trials');
    await expect(criteria.nth(0)).toHaveText(/limit\s*none/);
    await expect(criteria.nth(2)).toHaveText(/\+4 % \(\+1 % to \+20 %\)\s*limit\s*\+10 %/);

    const trials = page.getByRole('region', { name: 'Trials of the candidate to look at' }).locator('.problem');
    await expect(trials).toHaveCount(2);
    await expect(trials.first()).toHaveText(
      /✗\s*Failed\s*a\/s1\s*seed 1\s*invariants: launches\/double .*\s*success: 9 of 10 .*\s*scaleproof replay sp1,scenario=a\/s1@d1/,
    );
    await expect(page.locator('.chart').first()).toContainText('18 of 20: 90 %, 71.7 % to 98.2 %');
    const [running, request] = [page.locator('.curve-plot').first(), page.locator('.curve-plot').last()];
    await expect(running.locator('figcaption')).toHaveText(/pending → running\s*judged/);
    await expect(running.getByRole('img').first()).toHaveAccessibleName(
      'pending → running. baseline: p50 45 s, p95 68 s, 40 pods; candidate: p50 54 s, p95 81 s, 40 pods, of which 2 never.',
    );
    await expect(running.locator('.told')).toHaveText('latency-shift, all judged phases together: +4 % (+1 % to +20 %), limit +10 %');
    await expect(running.locator('path.curve.side-0')).toHaveCount(1);
    await expect(request.locator('figcaption')).toHaveText('pending → request');

    const pairs = page.locator('.pair');
    await expect(pairs).toHaveCount(2);
    await expect(pairs.first()).toHaveText(/a\/s1\s*baseline\s*✓\s*1 passed\s*candidate\s*✗\s*1 of 1 failed\s*launches\/double/);
    await expect(pairs.first().locator('.line'), 'one trial, one replay line').toHaveCount(1);
    await expect(page.getByText('1 scenario in which every trial of both sides passed')).toBeVisible();
    const unseen = page.getByRole('region', { name: 'What it did not look at' });
    await expect(unseen).toContainText('Not covered: 90 of 100 scenarios. No scenario of profile robustness. 2 requirements untested.');
    await expect(unseen).toContainText('Deployment shop/gpu: not served');
    await expect(page.locator('.caution'), 'beside the decision').toHaveText([
      /^laxer than/,
      '1 of 5 workloads in ./shop is not shown to be served',
    ]);
    await expect(page.getByRole('region', { name: 'Notes' }), 'each is told once').toHaveCount(0);
    await expect(page.locator('body')).toHaveCSS('background-color', colorScheme === 'light' ? 'rgb(247, 246, 243)' : 'rgb(18, 19, 22)');
    expect(complaints).toEqual([]);
    expect(await barriersOn(page)).toEqual([]);
  });
}

for (const width of [360, 768, 1440]) {
  test(`fits ${width} pixels, with everything opened`, async ({ page }, info) => {
    await page.setViewportSize({ width, height: 900 });
    await open(page, info.outputPath('report.html'), { name: 'a-name-without-any-place-to-break'.repeat(4) });
    await openAll(page);
    expect(await overflowOf(page)).toBe(0);
    expect(await barriersOn(page)).toEqual([]);
  });
}

test('the keyboard skips to the reasons and opens lists', async ({ page }, info) => {
  await open(page, info.outputPath('report.html'));
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the reasons' })).toBeFocused();
  const requirements = page.getByText('Requirements (2)');
  await requirements.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('PRV-09', { exact: true })).toBeVisible();
});

test('trials link to the reports of their runs if those exist', async ({ page }, info) => {
  await open(page, info.outputPath('report.html'), {}, (side, { seed }) => `seeds-from-1/${side}/report.html#scenario-1-seed-${seed}`);
  await expect(page.locator('.problem').first().getByRole('link', { name: 'report of a/s1 seed 1' })).toHaveAttribute(
    'href',
    'seeds-from-1/candidate/report.html#scenario-1-seed-1',
  );
});

test('a promoted candidate has no trials to look at', async ({ page }, info) => {
  await open(page, info.outputPath('report.html'), { promoted: true });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/✓\s*Promote\s*Every criterion is met, by 75 pairs\./);
  await expect(page.locator('.problem')).toHaveCount(0);
  await expect(page.getByText('Every trial of both sides passed.')).toBeVisible();
});

test('accepted failures have their own section with the reason, and do not look open', async ({ page }, info) => {
  await open(page, info.outputPath('report.html'), { promoted: true, accepting: true });
  await expect(page.getByRole('region', { name: 'Trials of the candidate to look at' })).toHaveCount(0);
  const accepted = page.getByRole('region', { name: 'Accepted, since the baseline has them, too' }).locator('.problem');
  await expect(accepted).toHaveText(
    /Accepted\s*a\/known\s*seed 3\s*existing-failures: launches\/double in 1 of 3 episodes, in the baseline in 1 of 3\s*scaleproof replay/,
  );
  await expect(accepted.locator('.badge')).toHaveClass(/not-run/);
  expect(await barriersOn(page)).toEqual([]);
});

test('a hostile name is escaped', async ({ page }, info) => {
  const { image, script, attribute, style } = HOSTILE_NAMES;
  const name = `${image}${script}${attribute}${style}`;
  const complaints = await open(page, info.outputPath('report.html'), { name });
  await expect(page.locator('.sides strong').last()).toHaveText(name);
  await expect(page.locator('img, script')).toHaveCount(0);
  await expect(page.locator('body')).toBeVisible();
  expect(complaints).toEqual([]);
});
