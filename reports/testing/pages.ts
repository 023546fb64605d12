import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

/**
 * Writes a page and opens it.
 * @returns what goes wrong on it from then on: messages of its console, errors, dialogs, and any request for something else
 */
export async function openPage(page: Page, path: string, text: string): Promise<string[]> {
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  writeFileSync(path, text);
  await page.goto(`file://${path}`);
  page.on('request', (request) => complaints.push(request.url()));
  return complaints;
}

const OPEN_ALL = `async () => {
  const closed = () => document.querySelectorAll('details:not([open])');
  const packed = () => document.querySelector('template.packed');
  while (closed().length > 0 || packed() !== null) {
    for (const one of closed()) one.open = true;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}`;

/** Rules of accessibility that the page breaks, found by axe-core. */
export async function barriersOn(page: Page): Promise<string[]> {
  await loadAxe(page);
  return barriersIn(page, 'document', '{}');
}

/** Most elements of scenarios that axe looks at together: it is slow with many. */
const MAX_ELEMENTS_AT_ONCE = 8_000;

/**
 * The same with everything opened, and where the page is too wide, for a report that is too large to look at it at once: first without
 * its scenarios, then with a few of them at a time.
 * @param rules all, or only those about colours, for a page that was looked at in the other ones
 */
export async function barriersInReport(page: Page, rules: 'all' | 'colours'): Promise<string[]> {
  const options = rules === 'all' ? '{}' : "{ runOnly: ['color-contrast', 'link-in-text-block'] }";
  const found = new Set<string>();
  const look = async (context: string): Promise<void> => {
    for (const barrier of await barriersIn(page, context, options)) found.add(barrier);
    const overflow = await overflowOf(page);
    if (overflow > 0) found.add(`${overflow} pixels too wide`);
  };
  await loadAxe(page);
  // Until then the page unpacks scenarios that are open, which it can't while they are away.
  await page.locator('body[data-complete]').waitFor();
  await page.evaluate(TAKE_SCENARIOS_AWAY);
  await openAll(page);
  await look('document');
  for (;;) {
    const ids = await page.evaluate<string[]>('nextScenarios()');
    if (ids.length === 0) return [...found];
    await look(JSON.stringify({ include: ids.map((id) => [`#${id}`]) }));
  }
}

const TAKE_SCENARIOS_AWAY = `{
  const away = [...document.querySelectorAll('.scenario')].map((section) => ({ section, place: document.createComment('') }));
  for (const { section, place } of away) section.replaceWith(place);
  let shown = [];
  globalThis.nextScenarios = async () => {
    // What was looked at would only cost time.
    for (const one of [...shown, ...document.querySelectorAll('main > :not(.profile)')]) one.remove();
    shown = [];
    for (let elements = 0; elements < ${MAX_ELEMENTS_AT_ONCE} && away.length > 0; elements += shown.at(-1).querySelectorAll('*').length) {
      const { section, place } = away.shift();
      place.replaceWith(section);
      shown.push(section);
      await (${OPEN_ALL})();
    }
    return shown.map(({ id }) => id);
  };
}`;

/** The debugger injects axe, since the page's policy allows no other scripts. */
async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
}

async function barriersIn(page: Page, context: string, options: string): Promise<string[]> {
  const found: { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly html: string }[] }[] =
    await page.evaluate(`axe.run(${context}, ${options}).then(({ violations }) => violations)`);
  return found.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.length} times, ${nodes[0]?.html.slice(0, 200) ?? ''}`);
}

/** Opens all lists, tables and scenarios, with what is packed in them. */
export async function openAll(page: Page): Promise<void> {
  await page.evaluate(`(${OPEN_ALL})()`);
}

/** How many pixels the page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - innerWidth)');
}
