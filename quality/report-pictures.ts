import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from '@playwright/test';
import { root } from './sources.ts';

/**
 * Takes the pictures of the README from the report of a run in which some scenarios failed:
 *
 *     npx scaleproof run --target mutant:swallowed-topology-error --suite scheduling --out runs/picture
 *     node_modules/.bin/node quality/report-pictures.ts runs/picture
 */
const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: report-pictures.ts RUN-DIRECTORY');

const WIDTH = 1200;
const MARGIN = 12;
const folder = join(root, 'docs/images');
mkdirSync(folder, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
  // The sandbox does not work as root. The page is local.
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 900 }, colorScheme: 'light' });
  await page.goto(pathToFileURL(join(resolve(directory), 'report.html')).href);
  const take = async (name: string, first: string, last: string): Promise<void> => {
    const top = await page.locator(first).first().boundingBox();
    const bottom = await page.locator(last).first().boundingBox();
    if (top === null || bottom === null) throw new Error(`the report of ${directory} does not show ${first} or ${last}`);
    const y = top.y - MARGIN;
    const clip = { x: 0, y, width: WIDTH, height: bottom.y + bottom.height + MARGIN - y };
    await page.screenshot({ path: join(folder, name), fullPage: true, clip });
  };
  await take('report-summary.png', 'header.top', 'section.problems');
  await take('report-timeline.png', 'section.trial:has(.finding) h5:has-text("Timeline")', 'section.trial .finding');
} finally {
  await browser.close();
}
