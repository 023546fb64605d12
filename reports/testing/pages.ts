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

/** Rules of accessibility that the page breaks, found by axe-core. The debugger injects it, since the page's policy allows no other scripts. */
export async function barriersOn(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  const found: { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly html: string }[] }[] =
    await page.evaluate('axe.run().then(({ violations }) => violations)');
  return found.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.length} times, ${nodes[0]?.html.slice(0, 200) ?? ''}`);
}

/** Opens all lists, tables and scenarios, with what is packed in them. */
export async function openAll(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const closed = () => document.querySelectorAll('details:not([open])');
    const packed = () => document.querySelector('template.packed');
    while (closed().length > 0 || packed() !== null) {
      for (const one of closed()) one.open = true;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  })()`);
}

/** How many pixels the page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - innerWidth)');
}
