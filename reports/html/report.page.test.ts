import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import type { HistoryEvent } from '../../history/events.ts';
import { buildReport } from '../build-report.ts';
import { formatJunit } from '../junit.ts';
import type { ReportInput } from '../report-input.ts';
import { barriersOn, openAll, openPage, overflowOf } from '../testing/pages.ts';
import { sampleTrend } from '../testing/large-run.ts';
import { HOSTILE_NAMES, sampleRun } from '../testing/sample-run.ts';
import { renderHtml } from './render-html.ts';

function openReport(page: Page, path: string, input: ReportInput): Promise<string[]> {
  return openPage(page, path, renderHtml(input));
}

/** Puts hostile names everywhere that a cluster controls. */
function makeHostile(event: HistoryEvent): HistoryEvent {
  const { image, script, attribute, style } = HOSTILE_NAMES;
  switch (event.type) {
    case 'pod':
      return { ...event, pod: `default/${image}${event.uid}`, reason: script };
    case 'node':
      return { ...event, node: `${attribute}${event.node}` };
    case 'request.end':
      return { ...event, note: `${script}${style}` };
    case 'workload':
      return { ...event, note: image };
    case 'target.panic':
      return { ...event, message: `${script}${image}` };
    case 'fault.armed':
      return { ...event, fault: { ...event.fault, description: style, color: '"><script>alert(3)</script>' } };
    default:
      return event;
  }
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`shows the verdict, what went wrong and every scenario (${colorScheme})`, async ({ page }, info) => {
    await page.emulateMedia({ colorScheme });
    const complaints = await openReport(page, info.outputPath('report.html'), sampleRun());
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(/Fail\s+reference failed 2 of 6 scenarios/);
    await expect(page.getByRole('heading', { name: 'What went wrong' })).toBeVisible();
    await expect(page.locator('.profiles li')).toHaveText([/Fail\s*core/, /Partial\s*extended/, /Fail\s*robustness/]);
    await expect(page.locator('table.scenarios tbody tr:not(.group)')).toHaveCount(7);
    await expect(page.locator('table.scenarios tr.group')).toHaveText([
      /core/,
      /extended/,
      /robustness\s*faults that no correct API causes/,
    ]);
    const robustness = page.getByRole('region', { name: 'robustness' });
    await expect(robustness.locator('.scenario-id')).toHaveText(['scheduling/negative-max-skew']);
    await expect(page.locator('table.scenarios tr.not-run')).toContainText('capacity-reservations');
    await expect(page.locator('.tile', { hasText: 'Leaked instances' })).toContainText('1of 88 instances');
    await expect(page.locator('body')).toHaveCSS('background-color', colorScheme === 'light' ? 'rgb(247, 246, 243)' : 'rgb(18, 19, 22)');
    expect(complaints).toEqual([]);
  });
}

test('scenarios that were not requested are counted by profile, in one line for profiles without any other', async ({ page }, info) => {
  const input = sampleRun({ trials: 1, only: ['scheduling/spot-spread'] });
  const notRequested = { core: 86, extended: 44, robustness: 1 };
  await openReport(page, info.outputPath('report.html'), { ...input, run: { ...input.run, notRequested } });
  await expect(page.locator('.profiles li')).toHaveText([/Partial\s*extended\s*1 passed, 44 not requested/]);
  await expect(page.locator('.unrequested')).toHaveText('not requested: 86 scenarios of core, 1 scenario of robustness');

  const all = { core: 0, extended: 0, robustness: 0 };
  await openReport(page, info.outputPath('report.html'), { ...input, run: { ...input.run, notRequested: all } });
  await expect(page.locator('.profiles li')).toHaveText([/Pass\s*extended\s*1 passed$/]);
  await expect(page.locator('.unrequested')).toHaveCount(0);
});

test('workloads that cannot be served are named with what is missing on the nearest node, also in a narrow window', async ({
  page,
}, info) => {
  const input = sampleRun({ trials: 1, only: ['scheduling/spot-spread'] });
  const gap = {
    workload: `Deployment shop/${'analytics-of-everything-'.repeat(3)}api`,
    where: 'api.yaml, document 1',
    kind: 'unservable' as const,
    why: 'pool general: it is too large: it requests 20 cpu, and a m6i.4xlarge has 15500m cpu for it, 500m cpu taken by DaemonSets',
  };
  const manifests = { directory: './shop', workloads: 4, gaps: [gap, { ...gap, kind: 'partly' as const }], strict: false };
  await page.setViewportSize({ width: 360, height: 740 });
  const complaints = await openReport(page, info.outputPath('report.html'), { ...input, run: { ...input.run, manifests } });
  await expect(page.getByRole('heading', { level: 1 })).toContainText('but 2 of 4 workloads in ./shop are not shown to be served');
  const gaps = page.locator('.gaps');
  await expect(gaps.getByRole('listitem')).toHaveText([
    `${gap.workload}: it CANNOT BE SERVED by these pools, even without faults: ${gap.why} (api.yaml, document 1)`,
    `${gap.workload}: it may not be served completely, even without faults: ${gap.why} (api.yaml, document 1)`,
  ]);
  await expect(gaps).toContainText("They don't count in the verdict; with --strict they do.");
  expect(await overflowOf(page)).toBe(0);
  expect(await barriersOn(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a failing trial is expanded, with its story, timeline, finding, evidence and replay line', async ({ page }, info) => {
  const complaints = await openReport(page, info.outputPath('report.html'), sampleRun({ trials: 1 }));
  const trial = page.locator('.scenario', { hasText: 'crashes/killed-after-launch' }).getByRole('region', { name: 'Seed 1' });
  await expect(trial.locator('.story dt')).toHaveText(['Actions', 'Faults', 'Observations', 'Why this verdict']);
  await expect(trial.locator('.replay code')).toHaveText(
    'scaleproof replay sp1,scenario=crashes/killed-after-launch@d1d1d1d1d1d1,target=reference,seed=1,catalogue=c4c4c4c4c4c4',
  );
  await expect(trial.locator('.finding')).toContainText('is still live after all workloads and pools were removed');
  await expect(trial.locator('.finding .events tbody tr').first()).toContainText('ec2:CreateFleet');
  await expect(trial.locator('.timeline').first().locator('.band')).toHaveCount(1);
  await expect(trial.locator('.lane-labels .flagged:has(title)')).toHaveCount(1);
  await expect(trial.locator('.plot use[href="#tick-killed"]')).toHaveCount(1);
  await expect(trial.locator('.plot title', { hasText: 'pending from' }).first()).toHaveText(
    /^i-\w+ \(on-demand \S+ in us-east-1\w\) pending from 0:/,
  );

  await trial.locator('.flag').click();
  await expect(trial.locator('.finding')).toBeFocused();
  await trial.locator('.moment').first().click();
  await expect(trial.locator('.cursor text').first()).toHaveText('0:14.708');
  expect(complaints).toEqual([]);
});

test('passing scenarios are collapsed, and a link expands them', async ({ page }, info) => {
  await openReport(page, info.outputPath('report.html'), sampleRun({ trials: 1 }));
  const scenario = page.locator('#scenario-1');
  await expect(scenario).not.toHaveAttribute('open');
  await page.getByRole('link', { name: 'provisioning/scale-out-and-back' }).first().click();
  await expect(scenario).toHaveAttribute('open');
  await expect(scenario.locator('.plot').first()).toBeVisible();
});

test('every scenario has a picture, also if it is collapsed, and without scripts', async ({ browser }, info) => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await openReport(page, info.outputPath('report.html'), sampleRun({ trials: 2 }));
  await expect(page.locator('.scenario > summary').getByRole('img', { name: /^Seed/ })).toHaveCount(6);
  const passed = page.locator('.scenario', { hasText: 'provisioning/scale-out-and-back' });
  await expect(passed).not.toHaveAttribute('open');
  await expect(passed.getByRole('img').first()).toBeVisible();
  await expect(passed.getByRole('img').first()).toHaveAccessibleName('Seed 1, 3 min 16 s: up to 10 Ready nodes, up to 10 pending pods.');
  const spot = page.locator('.scenario', { hasText: 'capacity/spot-runs-out' });
  await expect(spot.locator('summary svg text')).toHaveText(['insufficient-capacity', 'slow-answer']);
  const failed = page.locator('.scenario', { hasText: 'crashes/killed-after-launch' });
  await expect(failed.locator('> summary use[href="#tick-fail"]'), 'its finding').toHaveCount(1);
  await page.close();
});

test('what is closed stays packed until it is opened', async ({ page }, info) => {
  const path = info.outputPath('report.html');
  await openReport(page, path, sampleRun({ trials: 1 }));
  await expect(page.locator('body')).toHaveAttribute('data-complete');
  const [passed, failed] = [page.locator('.scenario[data-verdict=pass]').first(), page.locator('.scenario[data-verdict=fail]').first()];
  await expect(page.locator('.scenario[data-verdict=pass] .trial'), 'of passed scenarios').toHaveCount(0);
  await expect(failed.locator('.plot').first(), 'of those that failed').toBeVisible();
  const log = failed.locator('details', { hasText: 'What happened, in order' }).first();
  await expect(log.locator('tbody tr')).toHaveCount(0);
  await log.locator('summary').click();
  await expect(log.locator('tbody tr').first()).toBeVisible();
  await passed.locator('> summary').click();
  await expect(passed.locator('.trial .plot').first()).toBeVisible();

  const trial = page.locator('#scenario-1-seed-1');
  await page.goto('about:blank');
  await page.goto(`file://${path}#scenario-1-seed-1`);
  await expect(trial).toBeInViewport();
  await trial.locator('.plot').first().hover();
  await expect(trial.locator('.cursor text').first()).toHaveText(/^\d+:\d\d/);
});

test('without scripts, problems can be read, and passed scenarios say why they are missing', async ({ browser }, info) => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await openReport(page, info.outputPath('report.html'), sampleRun({ trials: 1 }));
  await expect(page.locator('.finding').first()).toBeVisible();
  await page.locator('#scenario-1 > summary').click();
  await expect(page.locator('#scenario-1').getByText('This is packed to keep the page small')).toBeVisible();
  await expect(page.getByRole('search'), 'it would do nothing').toHaveCount(0);
  await page.close();
});

const SEARCH = 'Search scenarios by name, title, requirement or suite';
const sectionsOf = (page: Page): Locator => page.locator('.scenario:not([hidden]) > summary .scenario-id');
const rowsOf = (page: Page): Locator => page.locator('table.scenarios tbody:not([hidden]) tr:not(.group, [hidden]) th');

test('the search finds scenarios by name, title, requirement and suite, in the table and below it', async ({ page }, info) => {
  const complaints = await openReport(page, info.outputPath('report.html'), sampleRun({ trials: 1 }));
  await page.keyboard.press('/');
  await expect(page.getByLabel(SEARCH)).toBeFocused();
  for (const [text, found] of [
    ['killed-after', ['crashes/killed-after-launch']],
    ['FIFTY pods', ['scheduling/spot-spread']],
    ['cap-03', ['capacity/spot-runs-out']],
    ['scheduling robustness', ['scheduling/negative-max-skew']],
    ['nothing has this', []],
  ] as const) {
    await page.getByLabel(SEARCH).fill(text);
    await expect(sectionsOf(page), text).toHaveText([...found]);
    await expect(rowsOf(page), text).toHaveText(found.map((id) => new RegExp(`^\\s*${id}`)));
    await expect(page.getByText(`${found.length === 0 ? 'none' : found.length} of 6 scenarios`)).toBeVisible();
  }
  await page.getByLabel(SEARCH).fill('reservations');
  await expect(rowsOf(page), 'one that was not run').toHaveText([/capacity\/reserved-capacity/]);

  await page.getByLabel(SEARCH).fill('spot-spread');
  await page.keyboard.press('Enter');
  const found = page.locator('#scenario-5');
  await expect(found.locator('> summary')).toBeFocused();
  await expect(found.locator('.plot').first()).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.press('Escape');
  await expect(sectionsOf(page)).toHaveCount(6);
  expect(complaints).toEqual([]);
});

test('only what did not pass can be shown, until a link leads to another scenario', async ({ page }, info) => {
  await openReport(page, info.outputPath('report.html'), sampleRun({ trials: 1 }));
  const only = page.getByRole('button', { name: 'Not passed only' });
  const bad = [/killed-after-launch/, /lost-launch-answer/, /negative-max-skew/];
  await expect(only).toHaveAttribute('aria-pressed', 'false');
  await only.click();
  await expect(only).toHaveAttribute('aria-pressed', 'true');
  await expect(sectionsOf(page)).toHaveText(bad);
  await expect(rowsOf(page)).toHaveText(bad);
  await expect(page.getByRole('region', { name: 'extended' })).toBeHidden();
  await page.goto(`${page.url()}#scenario-5-seed-1`);
  await expect(page.locator('#scenario-5-seed-1')).toBeInViewport();
  await expect(only).toHaveAttribute('aria-pressed', 'false');
  await expect(sectionsOf(page)).toHaveCount(6);
});

test('n and p, and two buttons, lead from failure to failure, below the head', async ({ page }, info) => {
  await openReport(page, info.outputPath('report.html'), sampleRun({ trials: 1 }));
  const step = page.locator('.finder-steps [role="status"]');
  const focused = page.locator(':focus');
  await expect(step).toHaveText('– of 3');
  const seen: string[] = [];
  for (const key of ['n', 'n', 'n', 'n', 'p', 'p']) {
    await page.keyboard.press(key);
    await expect(focused.locator('.scenario-id')).toBeInViewport();
    seen.push(`${(await step.textContent()) ?? ''} ${(await focused.locator('.scenario-id').textContent()) ?? ''}`);
    const [head, summary] = [await page.locator('.finder').boundingBox(), await focused.boundingBox()];
    expect(summary?.y ?? 0, 'below the head').toBeGreaterThanOrEqual(head?.height ?? Infinity);
  }
  const [killed, lost, skew] = ['crashes/killed-after-launch', 'api-pressure/lost-launch-answer', 'scheduling/negative-max-skew'];
  expect(seen).toEqual([`1 of 3 ${killed}`, `2 of 3 ${lost}`, `3 of 3 ${skew}`, `1 of 3 ${killed}`, `3 of 3 ${skew}`, `2 of 3 ${lost}`]);

  const next = page.getByRole('button', { name: 'Next scenario that did not pass' });
  await next.click();
  await expect(next, 'so that it can be pressed again').toBeFocused();
  await expect(step).toHaveText('3 of 3');
  await page.getByLabel(SEARCH).fill('n');
  await expect(step, 'typing is no step').toHaveText('3 of 3');
  await page.getByLabel(SEARCH).fill('crashes');
  await expect(step).toHaveText('– of 1');
});

test('a page on which everything passed has only the search', async ({ page }, info) => {
  await openReport(page, info.outputPath('report.html'), sampleRun({ trials: 1, only: ['scheduling/spot-spread'] }));
  await expect(page.getByRole('search').getByRole('button')).toHaveCount(0);
  await page.keyboard.press('n');
  await page.getByLabel(SEARCH).fill('sch-04');
  await expect(page.getByText('1 of 1 scenario')).toBeVisible();
});

test('requirements have verdicts and evidence, and link to the scenarios', async ({ page }, info) => {
  const complaints = await openReport(page, info.outputPath('report.html'), sampleRun());
  const requirements = page.getByRole('region', { name: 'Requirements' });
  await expect(requirements.locator('summary .level')).toHaveText([
    /MUST\s+✓ 5 hold\s+✗ 3 broken\s+\? 1 unknown\s+– 1 not run/,
    /SHOULD\s+✓ 1 holds/,
  ]);
  await expect(requirements.locator('tr.group')).toHaveCount(7);
  await expect(requirements.locator('#requirement-CAP-13')).toContainText('not run: the target does not declare the feature');
  await expect(requirements.locator('#requirement-LEK-02')).toContainText('not requested: provisioning/pool-deleted-during-launch');
  await expect(requirements.getByText('STL-01')).toBeHidden();
  await requirements.getByText('No scenario of this run tests 1 other requirement').click();
  await expect(requirements.locator('.untested dl')).toHaveText(/stale reads\s+STL-01/);
  await requirements.getByRole('link', { name: 'capacity/spot-runs-out' }).first().click();
  const scenario = page.locator('#scenario-2');
  await expect(scenario).toHaveAttribute('open');
  await scenario.getByRole('link', { name: 'CAP-03' }).click();
  await expect(page.locator(':target')).toContainText('Where there is no spot capacity');
  expect(complaints).toEqual([]);
});

test('a bound that was not kept is marked in each place, also without colours', async ({ page }, info) => {
  const only = ['scheduling/negative-max-skew', 'scheduling/spot-spread'];
  await openReport(page, info.outputPath('report.html'), sampleRun({ trials: 1, only }));
  await openAll(page);
  const broken = page.locator('.scenario', { hasText: 'scheduling/negative-max-skew' });
  await expect(broken.locator('.gauge.bad').first()).toBeVisible();
  expect(await page.evaluate(`getComputedStyle(document.querySelector('.scenario td.num.bad'), '::before').content`)).toBe('"✗ "');
  await expect(page.locator('#bound-provision')).toContainText(/✗ Not kept in\s+scheduling\/negative-max-skew\s*$/);
  await expect(page.locator('#bound-recover')).not.toContainText('Not kept');
  const kept = page.locator('.scenario', { hasText: 'scheduling/spot-spread' });
  await expect(kept.locator('.bad, .limit.broken')).toHaveCount(0);
  await expect(kept.locator('.limit')).not.toHaveCount(0);
});

test('requirements that all hold are collapsed, and a link expands them', async ({ page }, info) => {
  await openReport(page, info.outputPath('report.html'), sampleRun({ trials: 1, only: ['scheduling/spot-spread'] }));
  const requirement = page.locator('#requirement-SCH-04');
  await expect(requirement).toBeHidden();
  await page.locator('#scenario-1 > summary').click();
  await page.getByRole('link', { name: 'SCH-04' }).click();
  await expect(requirement).toBeVisible();
});

test('everything can be used with the keyboard', async ({ page }, info) => {
  await openReport(page, info.outputPath('report.html'), sampleRun({ trials: 1, only: ['provisioning/scale-out-and-back'] }));
  const focused = page.locator(':focus');
  const tabTo = async (selector: string): Promise<void> => {
    for (let presses = 0; presses < 40; presses += 1) {
      await page.keyboard.press('Tab');
      if ((await focused.and(page.locator(selector)).count()) > 0) return;
    }
    throw new Error(`no ${selector} within 40 presses of Tab`);
  };
  await page.keyboard.press('Tab');
  await expect(focused).toHaveText('Skip to the scenarios');
  await tabTo('#scenario-1 > summary');
  await page.keyboard.press('Enter');
  await expect(page.locator('#scenario-1')).toHaveAttribute('open');
  await tabTo('#scenario-1 .scroller');
  const plot = page.locator('#scenario-1 .plot').first();
  const width = async (): Promise<number> => (await plot.boundingBox())?.width ?? 0;
  const before = await width();
  await page.keyboard.press('+');
  expect(await width()).toBeGreaterThan(1.9 * before);
  await page.keyboard.press('0');
  expect(await width()).toBe(before);
  await tabTo('#scenario-1 details > summary');
  await page.keyboard.press('Enter');
  await expect(page.locator('#scenario-1 details[open] .plot')).toBeVisible();
});

test('hostile names are escaped', async ({ page }, info) => {
  const only = ['scheduling/negative-max-skew', 'crashes/killed-after-launch'];
  const input = sampleRun({ trials: 1, only, rewrite: (events) => events.map(makeHostile) });
  const requirements = (input.run.requirements ?? []).map((one) => ({ ...one, title: HOSTILE_NAMES.image, area: HOSTILE_NAMES.script }));
  const complaints = await openReport(page, info.outputPath('report.html'), { ...input, run: { ...input.run, requirements } });
  await expect(page.locator('img')).toHaveCount(0);
  await expect(page.locator('script')).toHaveCount(1);
  await expect(page.locator('[onmouseover], [onerror]')).toHaveCount(0);
  await expect(page).toHaveTitle('✗ reference: scaleproof report');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.locator('.finding', { hasText: 'pod-not-served' }).first()).toContainText(`default/${HOSTILE_NAMES.image}`);
  await page.getByText('What happened, in order').first().click();
  expect(complaints).toEqual([]);
});

for (const { colorScheme, width } of [
  { colorScheme: 'light', width: 1_440 },
  { colorScheme: 'dark', width: 360 },
] as const) {
  test(`accessibility: axe finds nothing (${colorScheme}, ${width} pixels)`, async ({ page }, info) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await openReport(page, info.outputPath('report.html'), sampleRun({ trials: 1 }));
    await openAll(page);
    expect(await barriersOn(page)).toEqual([]);
  });
}

test('how long pods waited is drawn for each phase over all trials, with bounds and a table', async ({ page }, info) => {
  const complaints = await openReport(page, info.outputPath('report.html'), sampleRun({ trials: 2 }));
  const waits = page.getByRole('region', { name: 'How long pods waited, by phase' });
  await expect(waits.locator('figcaption').first()).toHaveText(/pending → running\s*the whole wait/);
  await expect(waits.getByRole('img').first()).toHaveAccessibleName(
    /^pending → running\. p50 67 s, p95 not reached, 200 pods, of which 30 never; bound provision, .*, not kept/,
  );
  await expect(waits.locator('.curve-plot').first().locator('.limit.broken line')).toHaveCSS('stroke', 'rgb(179, 38, 26)');
  await expect(waits.locator('.bad').first()).toHaveText(/✗ bound provision/);
  await waits.getByText('All figures').focus();
  await page.keyboard.press('Enter');
  await expect(waits.getByRole('row', { name: 'pending → running' }).getByRole('cell')).toHaveText([
    '200',
    '30',
    '67 s',
    'not reached',
    'not reached',
  ]);
  expect(complaints).toEqual([]);
});

test('a trend shows what got better or worse, and which runs are not comparable', async ({ page }, info) => {
  const input = sampleRun({ trials: 1 });
  const built = buildReport(input);
  const complaints = await openPage(page, info.outputPath('report.html'), renderHtml(input, { ...built, trend: sampleTrend(built, 5) }));
  const trend = page.getByRole('region', { name: 'Trend over 5 runs' });
  await expect(trend).toContainText('1 run is not comparable with this one');
  await expect(trend.getByRole('img', { name: /^Scenarios that passed, by profile/ })).toHaveAccessibleName(
    /core: 66.7 %, 66.7 %, 66.7 %, 66.7 %, 66.7 %;/,
  );
  const closest = trend.locator('.curve-plot', { hasText: 'The bound that came closest' });
  await expect(closest.locator('.column'), 'the run that is not comparable').toHaveCount(1);
  await expect(closest.locator('.point.broken').last()).toHaveCSS('fill', 'rgb(179, 38, 26)');
  const rows = trend.locator('tbody tr');
  await expect(rows.first()).toContainText('this run');
  await expect(rows.nth(3)).toContainText('no: scaleproof 0.0.9, not 0.1.0');
  await expect(rows.nth(1).locator('td').last()).toHaveText('yes');
  await expect(rows.nth(1).locator('td.bad')).toHaveCount(2);
  expect(complaints).toEqual([]);
  expect(await barriersOn(page)).toEqual([]);
});

test('the waits of all trials are drawn as points, with faults and bounds', async ({ page }, info) => {
  await openReport(
    page,
    info.outputPath('report.html'),
    sampleRun({ trials: 3, only: ['scheduling/negative-max-skew', 'capacity/spot-runs-out'] }),
  );
  await expect(page.locator('body')).toHaveAttribute('data-complete');
  const failed = page.locator('.scenario', { hasText: 'scheduling/negative-max-skew' }).locator('.points');
  await expect(failed).toContainText('✗ 30 not in time');
  await expect(failed.locator('use')).toHaveCount(30);
  await expect(failed.getByRole('img', { name: /^Waits of 30 pods in 3 trials.*30 not in time\. Faults: topology-skew/ })).toBeVisible();
  const passed = page.locator('.scenario', { hasText: 'capacity/spot-runs-out' });
  await passed.locator('> summary').click();
  await expect(passed.locator('.points')).toContainText('60 pods in time');
  await expect(passed.locator('.points text', { hasText: 'insufficient-capacity' })).toBeVisible();
});

test('a pod can be followed from pending to running, with its node, claim and instance', async ({ page }, info) => {
  const complaints = await openReport(
    page,
    info.outputPath('report.html'),
    sampleRun({ trials: 1, only: ['crashes/killed-after-launch'] }),
  );
  const trial = page.locator('#scenario-1-seed-1');
  const lanes = trial.locator('.timeline').first().locator('.labels .row[data-object]:not(.away)');
  const before = await lanes.count();
  const chooser = trial.getByLabel('Follow an object from its request to its end').first();
  const pod = (await chooser.locator('option[value^="pods/"]').first().getAttribute('value')) ?? '';
  await chooser.selectOption(pod);
  await expect(lanes).toHaveCount(4);
  const followed = trial.getByRole('region', { name: 'The path of an object' });
  await expect(followed.locator('h5')).toHaveText(`The path of ${pod}`);
  await expect(followed.locator('li').filter({ hasText: 'sends ec2:CreateFleet' })).toHaveCount(1);
  for (const step of ['Pod created', 'NodeClaim created', 'Instance pending', 'Node ready', 'Pod running'])
    await expect(followed.locator('li').filter({ hasText: step }).first()).toBeVisible();

  await followed.getByRole('link').last().click();
  await expect(trial.locator('tr.linked')).toBeInViewport();
  await chooser.selectOption('');
  await expect(lanes).toHaveCount(before);
  expect(complaints).toEqual([]);
});

test('at any moment of a timeline the state of its objects is shown, at once', async ({ page }, info) => {
  const complaints = await openReport(
    page,
    info.outputPath('report.html'),
    sampleRun({ trials: 1, only: ['crashes/killed-after-launch'] }),
  );
  const trial = page.locator('#scenario-1-seed-1');
  const slider = trial.getByLabel('Show the state at a moment').first();
  const state = trial.getByRole('region', { name: 'State at a moment of crashes/killed-after-launch, seed 1' });
  await expect(state).toBeHidden();
  await slider.focus();
  await page.keyboard.press('End');
  await expect(state.locator('h5')).toHaveText('At 7:00.400');
  await expect(state.locator('dt'), 'only the leaked instance is left').toHaveText(['Instances (1)']);
  await expect(state.locator('dd')).toHaveText([/^1 running i-/]);
  await page.keyboard.press('Home');
  await expect(state).toHaveText('At 0:00.000, nothing that has a lane existed');
  await slider.fill('250');
  await expect(state.locator('div', { hasText: 'Pods (5)' })).toContainText(/5 (created|unschedulable) web-/);
  await expect(slider).toHaveAttribute('aria-valuetext', '1:03.718');
  await trial.locator('.plot').first().hover();
  await page.mouse.move(0, 0);
  await expect(trial.locator('.cursor text').first(), 'the cursor stays at the moment').toBeVisible();
  const tookMs: number = await page.evaluate(`(() => {
    const slider = document.querySelector('[data-travel]');
    const from = performance.now();
    for (let at = 0; at < 20; at += 1) {
      slider.value = String(at * 50);
      slider.dispatchEvent(new Event('input'));
      document.body.offsetHeight;
    }
    return (performance.now() - from) / 20;
  })()`);
  expect(tookMs).toBeLessThan(100);
  expect(complaints).toEqual([]);
});

test('lanes are filtered by name', async ({ page }, info) => {
  await openReport(page, info.outputPath('report.html'), sampleRun({ trials: 1, only: ['crashes/killed-after-launch'] }));
  const timeline = page.locator('#scenario-1-seed-1 .timeline').first();
  const height = async (): Promise<number> => (await timeline.boundingBox())?.height ?? 0;
  const whole = await height();
  await page.getByLabel('Show only lanes whose name has this').first().fill('CreateFleet');
  await expect(timeline.locator('.labels .row:not(.group):not(.away)')).toHaveText([/CreateFleet/]);
  expect(await height()).toBeLessThan(whole / 2);
  await page.getByLabel('Show only lanes whose name has this').first().fill('');
  expect(await height()).toBe(whole);
});

test('links lead to a scenario, a trial, a finding and an event, even if these are packed', async ({ page }, info) => {
  const path = info.outputPath('report.html');
  await openReport(page, path, sampleRun({ trials: 1 }));
  await openAll(page);
  const ids: string[] = await page.evaluate("[...document.querySelectorAll('[id]')].map(({ id }) => id)");
  expect(new Set(ids).size, 'no duplicate ids').toBe(ids.length);
  const links: string[] = await page.evaluate(
    `[...document.querySelectorAll('a[href^="#"]')].map((one) => one.getAttribute('href').slice(1))`,
  );
  expect([...new Set(links)].filter((id) => !ids.includes(id) && !/-event-\d+$/.test(id))).toEqual([]);
  const event = ids.find((id) => id.startsWith('scenario-1-seed-1-event-')) ?? '';
  const finding = ids.find((id) => id.endsWith('-finding-1')) ?? '';
  for (const id of ['scenario-2', 'scenario-3-seed-1', finding, event]) {
    await page.goto('about:blank');
    await page.goto(`file://${path}#${id}`);
    await expect(page.locator(`#${id}`)).toBeInViewport();
  }
  await expect(page.locator('tr.linked')).toHaveCount(1);
});

test('requests, cost and utilisation are drawn over time, with throttled and failed requests', async ({ page }, info) => {
  await openReport(
    page,
    info.outputPath('report.html'),
    sampleRun({ trials: 1, only: ['scheduling/negative-max-skew', 'crashes/killed-after-launch'] }),
  );
  const skew = page.locator('#scenario-2-seed-1-rates');
  await expect(skew.locator('.chart-failed')).toHaveCount(1);
  const crash = page.locator('#scenario-1-seed-1-rates');
  await expect(crash.locator('.chart-cost')).toHaveCount(1);
  await expect(crash.locator('.labels')).toContainText(/cost: \$0\.\d+ in total/);
});

for (const width of [360, 768]) {
  test(`a window of ${width} pixels needs no sideways scrolling`, async ({ page }, info) => {
    await page.setViewportSize({ width, height: 740 });
    await openReport(page, info.outputPath('report.html'), sampleRun({ trials: 1 }));
    await openAll(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await page.getByLabel(SEARCH).fill('spot');
    expect((await page.locator('.finder').boundingBox())?.height, 'the head stays small').toBeLessThan(80);
  });
}

test('printing includes what did not pass, and passed scenarios that the reader opened', async ({ page }, info) => {
  const failing = 'crashes/killed-after-launch';
  const passing = 'scheduling/spot-spread';
  const input = sampleRun({ trials: 1, only: [failing, passing] });
  await openReport(page, info.outputPath('report.html'), input);
  const idOf = (id: string): string => `#scenario-${buildReport(input).scenarios.findIndex((scenario) => scenario.id === id) + 1}`;
  const passed = page.locator(idOf(passing));
  const sheetsOf = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
  const short = sheetsOf(await page.pdf());
  await expect(passed, 'it is as the reader left it').not.toHaveAttribute('open');
  await expect(page.locator(idOf(failing))).toHaveAttribute('open');
  await passed.locator('> summary').click();
  await expect(passed.locator('.trial')).toBeVisible();
  const long = sheetsOf(await page.pdf());
  await expect(passed).toHaveAttribute('open');
  await page.locator(`${idOf(failing)} > summary`).click();
  expect({ short, long }, 'more sheets').toEqual({ short, long: Math.max(long, short + 1) });
  expect(sheetsOf(await page.pdf()), 'a scenario that the reader closed stays closed').toBeLessThan(long);
});

test('junit.xml is well-formed with any content', async ({ page }) => {
  const xml = formatJunit(buildReport(sampleRun({ trials: 1, rewrite: (events) => events.map(makeHostile) })));
  const found = await page.evaluate(`(() => {
    const parsed = new DOMParser().parseFromString(${JSON.stringify(xml)}, 'application/xml');
    return { errors: parsed.querySelectorAll('parsererror').length, cases: parsed.querySelectorAll('testcase').length };
  })()`);
  expect(found).toEqual({ errors: 0, cases: 7 });
});
