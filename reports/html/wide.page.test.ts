import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { largeRun, sampleTrend } from '../testing/large-run.ts';
import { buildReport } from '../build-report.ts';
import { barriersInReport, barriersOn, openAll, openPage, overflowOf } from '../testing/pages.ts';
import { sampleComparison } from '../testing/sample-comparison.ts';
import { sampleGate } from '../testing/sample-gate.ts';
import { sampleRun } from '../testing/sample-run.ts';
import { renderComparison } from './compare.ts';
import { renderGate } from './gate.ts';
import { renderHtml } from './render-html.ts';

/** Every page, with all that it can have. */
const PAGES: Readonly<Record<string, () => string>> = {
  report: () => {
    const input = sampleRun({ trials: 2 });
    const built = buildReport(input);
    return renderHtml(input, { ...built, trend: sampleTrend(built) });
  },
  comparison: () => renderComparison(sampleComparison()),
  gate: () => renderGate(sampleGate({ accepting: true }), () => '#trials'),
};

const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) => [360, 768, 1_440].map((width) => ({ colorScheme, width })));

/** No sideways scrolling, no barriers, no errors. */
async function expectClean(page: Page, complaints: readonly string[]): Promise<void> {
  expect(await overflowOf(page)).toBe(0);
  expect(await barriersOn(page)).toEqual([]);
  expect(complaints).toEqual([]);
}

for (const [name, render] of Object.entries(PAGES)) {
  for (const { colorScheme, width } of LOOKS) {
    test(`the ${name} is clean (${colorScheme}, ${width} pixels)`, { tag: '@long' }, async ({ page }, info) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const complaints = await openPage(page, info.outputPath('page.html'), render());
      await openAll(page);
      await expectClean(page, complaints);
    });
  }
}

for (const { colorScheme, width } of LOOKS) {
  test(
    `a report of 156 scenarios with 20 seeds each is clean (${colorScheme}, ${width} pixels)`,
    { tag: '@long' },
    async ({ page }, info) => {
      // Rules of accessibility look at each of its two hundred thousand elements.
      test.setTimeout(1_800_000);
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const { input, report } = largeRun({ failed: 10, passed: 146 }, 20);
      const complaints = await openPage(page, info.outputPath('page.html'), renderHtml(input, report));
      // The dark page differs in nothing but colours.
      expect(await barriersInReport(page, colorScheme === 'light' ? 'all' : 'colours')).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );
}
